import { brotliCompressSync, deflateRawSync, gzipSync } from "node:zlib";
import {
  bodyOf,
  complete,
  countsAs,
  estimated,
  events,
  failedWithUsage,
  half,
  json,
  type OddCase,
  type Outcome,
  refused,
  retried,
  send,
  unusable,
  valid,
  type Wire,
  withUsage,
} from "./case.ts";
import { chunk, httpBytes, type OddResponse } from "./server.ts";

const contentTypes: OddCase[] = [
  { name: "no content type", respond: valid({}), ...complete },
  ...["text/plain", "text/html", "application/octet-stream", "nonsense"].map((type) => ({
    name: `the content type ${type}`,
    respond: valid({ "content-type": type }),
    ...complete,
  })),
  {
    name: "the content type of JSON for any body",
    respond: valid({ "content-type": "application/json; charset=utf-8" }),
    ...complete,
  },
  {
    name: "the content type of events for any body",
    respond: valid({ "content-type": "text/event-stream" }),
    ...complete,
  },
  { name: "a byte order mark", respond: valid(undefined, (body) => `\ufeff${body}`), ...complete },
  { name: "blank lines before the body", respond: valid(undefined, (body) => `\n\n${body}`), ...complete },
  { name: "a gzip body", respond: valid({ "content-encoding": "gzip" }, (body) => gzipSync(body)), ...complete },
  {
    name: "a brotli body",
    respond: valid({ "content-encoding": "br" }, (body) => brotliCompressSync(body)),
    ...complete,
  },
  { name: "an unknown encoding", respond: valid({ "content-encoding": "lzw" }), ...unusable },
];

const statuses: OddCase[] = [
  { name: "status 201", respond: valid(undefined, undefined, "201 Created"), ...complete },
  { name: "status 206", respond: valid(undefined, undefined, "206 Partial Content"), ...complete },
  {
    name: "status 204",
    respond: () => ({ pieces: ["HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n"] }),
    ...retried,
  },
  ...["100 Continue", "103 Early Hints\r\nlink: x"].map((head) => ({
    name: `an unrequested ${head.split("\r", 1)[0]} before the response`,
    respond: (wire: Wire, stream: boolean) => ({
      pieces: [`HTTP/1.1 ${head}\r\n\r\n`, ...valid(undefined)(wire, stream).pieces],
    }),
    ...complete,
  })),
  { name: "a redirect", respond: () => send("302 Found", { location: "/elsewhere" }, ""), ...refused },
  { name: "status 400", respond: (wire) => send("400 Bad Request", json, wire.error({})), ...refused },
  {
    name: "status 401 with an HTML page",
    respond: () => send("401 Unauthorized", { "content-type": "text/html" }, "<html>"),
    ...refused,
  },
  { name: "status 500", respond: (wire) => send("500 Oops", json, wire.error({})), ...retried },
  { name: "status 503 without a body", respond: () => send("503 Busy", {}, ""), ...retried },
  { name: "a long retry-after", respond: () => send("429 Slow", { "retry-after": "3600" }, ""), ...refused },
  { name: "an absurd retry-after", respond: () => send("429 Slow", { "retry-after": "9e99" }, ""), ...refused },
];

const bodies: OddCase[] = [
  {
    name: "status 200 with an HTML page",
    respond: () => send("200 OK", { "content-type": "text/html" }, "<html>x</html>"),
    ...retried,
  },
  {
    name: "status 200 with plain text",
    respond: () => send("200 OK", { "content-type": "text/plain" }, "busy"),
    ...retried,
  },
  {
    name: "status 200 with binary data",
    respond: () => send("200 OK", { "content-type": "image/png" }, Buffer.from("89504e470d0a1a0a00ff00ff", "hex")),
    ...retried,
  },
  { name: "status 200 with an empty body", respond: () => send("200 OK", json, ""), ...retried },
  { name: "an empty object", respond: () => send("200 OK", json, "{}"), ...retried },
  {
    name: "usage without content",
    respond: (wire) => send("200 OK", json, JSON.stringify({ [wire.usageName]: wire.usage })),
    ...failedWithUsage,
  },
  { name: "a truncated JSON body", kind: "whole", respond: valid(undefined, half), ...unusable },
  {
    name: "a truncated JSON body instead of a stream",
    kind: "stream",
    respond: (wire) => send("200 OK", json, half(wire.whole(wire.usage))),
    ...unusable,
  },
  { name: "status 200 with an error", respond: (wire) => send("200 OK", json, wire.error({})), ...retried },
  {
    name: "status 200 with an error and usage",
    respond: (wire) => send("200 OK", json, wire.error({ [wire.usageName]: wire.usage })),
    ...failedWithUsage,
  },
  {
    name: "a content length beyond the body",
    kind: "whole",
    respond: (wire) => send("200 OK", { ...json, "content-length": "99999999" }, wire.whole(wire.usage)),
    ...complete,
  },
  {
    name: "an interrupted body",
    kind: "whole",
    respond: (wire) => send("200 OK", { ...json, "content-length": "99999999" }, half(wire.whole(undefined))),
    ...retried,
  },
  {
    name: "invalid chunked coding",
    respond: () => send("200 OK", { ...json, "transfer-encoding": "chunked" }, "zz\r\n{}"),
    ...retried,
  },
  { name: "a reset before the head", respond: () => ({ pieces: [], end: "reset" }), ...retried },
  {
    name: "a reset after the head",
    respond: () => ({ pieces: ["HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n"], end: "reset" }),
    ...retried,
  },
];

const head = httpBytes("200 OK", { ...json, "transfer-encoding": "chunked" }, "");
const slices = (bytes: Buffer, count: number): Buffer[] =>
  Array.from({ length: count }, (_, at) =>
    bytes.subarray(Math.floor((at * bytes.length) / count), Math.floor(((at + 1) * bytes.length) / count)),
  );

/** A valid beginning of JSON, then bytes for as long as they are read. */
const endlessBody: OddResponse = {
  pieces: {
    *[Symbol.iterator]() {
      yield head;
      yield chunk('{"padding":"');
      const padding = chunk(Buffer.alloc(1024 * 1024, "x"));
      while (true) yield padding;
    },
  },
};

const bombMebibytes = 300;
let bomb: Buffer | undefined;

/** 300 KiB of gzip that inflate to 300 MiB of JSON, longer than any capability's responses may be. */
function gzipBomb(): Buffer {
  if (bomb !== undefined) return bomb;
  // A block that ends at a byte can be repeated.
  const block = deflateRawSync(Buffer.alloc(1024 * 1024, "x"), { finishFlush: 3 });
  const opening = deflateRawSync('{"padding":"', { finishFlush: 3 });
  const header = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]);
  bomb = Buffer.concat([header, opening, ...Array.from({ length: bombMebibytes }, () => block)]);
  return bomb;
}

const lengths: OddCase[] = [
  {
    name: "a slow body",
    respond: (wire, stream) => ({
      pieces: slices(httpBytes("200 OK", stream ? events : json, bodyOf(wire, stream)), 12),
      pauseMs: 20,
    }),
    ...complete,
  },
  {
    name: "a stalled body",
    kind: "whole",
    respond: (wire) => ({ pieces: [head, chunk(half(wire.whole(undefined)))], end: "stay-open" }),
    ...refused,
  },
  { name: "a head without a body", respond: () => ({ pieces: [head], end: "stay-open" }), ...refused },
  { name: "an endless body", once: true, respond: () => endlessBody, ...unusable },
  {
    name: "a gzip bomb",
    once: true,
    respond: () => send("200 OK", { ...json, "content-encoding": "gzip" }, gzipBomb()),
    ...unusable,
  },
];

/** The text of a usage object in a body. */
const textIn = (usage: object): string => JSON.stringify(usage);

const usages: OddCase[] = [
  { name: "no usage", respond: withUsage(() => undefined), ...estimated },
  { name: "usage of null", respond: withUsage(() => null), ...estimated },
  ...["text", [], true].map((usage) => ({
    name: `usage of ${JSON.stringify(usage)}`,
    respond: withUsage(() => usage),
    ...estimated,
  })),
  ...Object.entries({ negative: -5, text: "5", "a float": 1.5, huge: 1e300, missing: null }).map(([what, count]) => ({
    name: `a count of ${what}`,
    respond: withUsage(({ usage }) => countsAs(usage, count)),
    ...estimated,
  })),
  {
    name: "an impossibly high count",
    respond: withUsage(({ usage }) => countsAs(usage, 10 ** 12)),
    calls: 1,
    client: "complete",
    bill: "hold",
  },
  {
    name: "a counter without a price",
    respond: withUsage(({ usage }) => ({ ...usage, oracle_requests: 3 })),
    calls: 1,
    client: "complete",
    bill: "hold",
  },
  {
    name: "usage with unknown fields",
    respond: withUsage(({ usage }) => ({ ...usage, x_tier: null, x_list: [] })),
    ...complete,
  },
  {
    name: "usage twice",
    kind: "whole",
    respond: (wire) => {
      const first = `{"${wire.usageName}":${textIn(countsAs(wire.usage, 1))},`;
      return send("200 OK", json, wire.whole(wire.usage).replace("{", first));
    },
    ...complete,
  },
];

const streams: OddCase[] = [
  {
    name: "a first event without an end",
    once: true,
    kind: "stream",
    respond: () => ({
      pieces: {
        *[Symbol.iterator]() {
          yield httpBytes("200 OK", { ...events, "transfer-encoding": "chunked" }, "");
          yield chunk('data: {"padding":"');
          const padding = chunk(Buffer.alloc(1024 * 1024, "x"));
          while (true) yield padding;
        },
      },
    }),
    ...unusable,
  },
];

/** The cases that every capability has in common. */
export const commonCases: readonly OddCase[] = [
  ...contentTypes,
  ...statuses,
  ...bodies,
  ...lengths,
  ...usages,
  ...streams,
];

/** A body of the other kind than was asked for, where the protocol has both. */
export const otherKind: OddCase = {
  name: "a stream for a plain response, or the reverse",
  respond: (wire, stream) =>
    stream
      ? send("200 OK", json, wire.whole(wire.usage))
      : send("200 OK", events, (wire.events?.(wire.usage) ?? []).join("")),
  ...complete,
};

/** For a protocol whose usage may come before its end. */
export const usageInTwoEvents: OddCase = {
  name: "usage split into two events",
  kind: "stream",
  respond: (wire) => {
    const text = textIn(wire.usage);
    const twice = (wire.events?.(wire.usage) ?? []).flatMap((event) =>
      event.includes(text) ? [event.replace(text, textIn(countsAs(wire.usage, 1))), event] : [event],
    );
    return send("200 OK", events, twice.join(""));
  },
  ...complete,
};

/** Bodies that no client can use, by name: with usage, which is charged, and without. */
export const unusableBodies = <W extends Wire>(
  bodies: Readonly<Record<string, (wire: W, usage: unknown) => string>>,
  withoutUsage: Outcome = unusable,
): OddCase<W>[] =>
  Object.entries(bodies).flatMap(([name, body]): OddCase<W>[] => [
    { name, respond: (wire) => send("200 OK", json, body(wire, wire.usage)), ...failedWithUsage },
    { name: `${name}, without usage`, respond: (wire) => send("200 OK", json, body(wire, undefined)), ...withoutUsage },
  ]);
