import { brotliCompressSync, gzipSync } from "node:zlib";
import { httpBytes, type OddResponse } from "@uag/testing/odd-provider.ts";
import type { Dialect } from "./dialects.ts";

/** A provider that behaves oddly, and what must come of it. */
export interface OddCase {
  readonly name: string;
  /** `both` unless it makes sense for one of them only. */
  readonly kind?: "stream" | "whole";
  respond(dialect: Dialect, stream: boolean): OddResponse;
  /** Upstream calls. */
  readonly calls: number;
  /** `error`: a status of 400 or more; `broken`: a stream whose last event is an error. */
  readonly client: "complete" | "error" | "broken";
  readonly bill: "usage" | "estimate" | "free";
}

type Headers = Readonly<Record<string, string>>;
const json = { "content-type": "application/json" };
const events = { "content-type": "text/event-stream" };

const send = (status: string, headers: Headers, body: string | Buffer): OddResponse => ({
  pieces: [httpBytes(status, headers, body)],
});
/** The valid response, under other headers, changed by `edit`. */
const valid =
  (headers: Headers | undefined, edit: (body: string) => string | Buffer = (body) => body, status = "200 OK") =>
  (dialect: Dialect, stream: boolean): OddResponse => {
    const body = stream ? dialect.events(dialect.usage).join("") : dialect.whole(dialect.usage);
    return send(status, headers ?? (stream ? events : json), edit(body));
  };
const streamed = (edit: (all: string[], dialect: Dialect) => string) => (dialect: Dialect) =>
  send("200 OK", events, edit(dialect.events(dialect.usage), dialect));
const withUsage = (usage: (dialect: Dialect) => unknown) => (dialect: Dialect, stream: boolean) =>
  stream
    ? send("200 OK", events, dialect.events(usage(dialect)).join(""))
    : send("200 OK", json, dialect.whole(usage(dialect)));

const complete = { calls: 1, client: "complete", bill: "usage" } as const;
const estimated = { calls: 1, client: "complete", bill: "estimate" } as const;
const unusable = { calls: 1, client: "error", bill: "estimate" } as const;
const retried = { calls: 3, client: "error", bill: "free" } as const;
const refused = { calls: 1, client: "error", bill: "free" } as const;
const half = (body: string): string => body.slice(0, body.length / 2);

const contentTypes: OddCase[] = [
  { name: "no content type", respond: valid({}), ...complete },
  ...["text/plain", "text/html", "application/octet-stream", "nonsense"].map((type) => ({
    name: `the content type ${type}`,
    respond: valid({ "content-type": type }),
    ...complete,
  })),
  {
    name: "JSON's content type for anything",
    respond: valid({ "content-type": "application/json; charset=utf-8" }),
    ...complete,
  },
  {
    name: "the content type of events for anything",
    respond: valid({ "content-type": "text/event-stream" }),
    ...complete,
  },
  { name: "a byte order mark", respond: valid(undefined, (body) => `\ufeff${body}`), ...complete },
  { name: "blank lines first", respond: valid(undefined, (body) => `\n\n${body}`), ...complete },
  {
    name: "the other kind of body",
    respond: (dialect, stream) =>
      stream
        ? send("200 OK", json, dialect.whole(dialect.usage))
        : send("200 OK", events, dialect.events(dialect.usage).join("")),
    ...complete,
  },
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
  { name: "status 204", respond: () => ({ pieces: ["HTTP/1.1 204 No Content\r\n\r\n"] }), ...retried },
  {
    name: "100 Continue first",
    respond: (dialect, stream) => ({
      pieces: ["HTTP/1.1 100 Continue\r\n\r\n", ...valid(undefined)(dialect, stream).pieces],
    }),
    ...complete,
  },
  {
    name: "103 Early Hints first",
    respond: (dialect, stream) => ({
      pieces: ["HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n", ...valid(undefined)(dialect, stream).pieces],
    }),
    ...complete,
  },
  { name: "a redirect", respond: () => send("302 Found", { location: "/elsewhere" }, ""), ...refused },
  { name: "status 400", respond: (dialect) => send("400 Bad Request", json, dialect.error({})), ...refused },
  {
    name: "status 401 as a page",
    respond: () => send("401 Unauthorized", { "content-type": "text/html" }, "<html>"),
    ...refused,
  },
  { name: "status 500", respond: (dialect) => send("500 Oops", json, dialect.error({})), ...retried },
  { name: "status 503 without a body", respond: () => send("503 Busy", {}, ""), ...retried },
  { name: "a long retry-after", respond: () => send("429 Slow", { "retry-after": "3600" }, ""), ...refused },
  { name: "an absurd retry-after", respond: () => send("429 Slow", { "retry-after": "9e99" }, ""), ...refused },
];

const bodies: OddCase[] = [
  {
    name: "a page under 200",
    respond: () => send("200 OK", { "content-type": "text/html" }, "<html>x</html>"),
    ...retried,
  },
  { name: "text under 200", respond: () => send("200 OK", { "content-type": "text/plain" }, "busy"), ...retried },
  { name: "nothing under 200", respond: () => send("200 OK", json, ""), ...retried },
  { name: "an empty object", respond: () => send("200 OK", json, "{}"), ...retried },
  {
    name: "usage without content",
    respond: (dialect) => send("200 OK", json, JSON.stringify({ usage: dialect.usage })),
    calls: 1,
    client: "error",
    bill: "usage",
  },
  { name: "half a JSON body", kind: "whole", respond: valid(undefined, half), ...unusable },
  { name: "an error under 200", respond: (dialect) => send("200 OK", json, dialect.error({})), ...retried },
  {
    name: "an error and usage under 200",
    respond: (dialect) => send("200 OK", json, dialect.error({ usage: dialect.usage })),
    calls: 1,
    client: "error",
    bill: "usage",
  },
  {
    name: "a length that is too large",
    kind: "whole",
    respond: (dialect) => send("200 OK", { ...json, "content-length": "99999" }, dialect.whole(dialect.usage)),
    ...complete,
  },
  {
    name: "a body that breaks off",
    kind: "whole",
    respond: (dialect) => send("200 OK", { ...json, "content-length": "99999" }, half(dialect.whole(undefined))),
    ...retried,
  },
  {
    name: "chunks that are none",
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

const usages: OddCase[] = [
  { name: "no usage", respond: withUsage(() => undefined), ...estimated },
  { name: "usage that is null", respond: withUsage(() => null), ...estimated },
  ...Object.entries({ negative: -5, text: "5", "a float": 1.5, huge: 1e300 }).map(([what, count]) => ({
    name: `a count that is ${what}`,
    respond: withUsage(({ usage }) => Object.fromEntries(Object.keys(usage).map((name) => [name, count]))),
    ...estimated,
  })),
  {
    name: "unknown fields in the usage",
    respond: withUsage(({ usage }) => ({ ...usage, x_tier: null, x_list: [] })),
    ...complete,
  },
];

const streams: Omit<OddCase, "kind">[] = [
  { name: "CRLF", respond: streamed((all) => all.join("").replaceAll("\n", "\r\n")), ...complete },
  { name: "comments", respond: streamed((all) => all.join(": ping\n\n")), ...complete },
  {
    name: "no space after the colon",
    respond: streamed((all) => all.join("").replaceAll(/^(data|event): /gm, "$1:")),
    ...complete,
  },
  {
    name: "data in two lines",
    respond: streamed((all) => all.join("").replaceAll(/^data: \{/gm, "data: {\ndata: ")),
    ...complete,
  },
  { name: "empty data", respond: streamed((all) => all.join("data:\n\n")), ...complete },
  { name: "no final blank line", respond: streamed((all) => all.join("").trimEnd()), ...complete },
  { name: "its end twice", respond: streamed((all) => all.join("") + all.at(-1)), ...complete },
  { name: "bytes after its end", respond: streamed((all) => `${all.join("")}garbage\n\n{{{`), ...complete },
  {
    name: "no end",
    respond: streamed((all) =>
      all
        .slice(0, -1)
        .filter((event) => !event.includes('"finish_reason":"stop"'))
        .join(""),
    ),
    calls: 1,
    client: "broken",
    bill: "usage",
  },
  {
    name: "half an event at its end",
    respond: streamed((all) => all.slice(0, 3).join("") + half(all[3] as string)),
    calls: 1,
    client: "broken",
    bill: "estimate",
  },
  { name: "half of its first event", respond: streamed(([first = ""]) => half(first)), ...retried },
  {
    name: "an event that is not JSON",
    respond: streamed((all) => all.with(3, "data: not json\n\n").join("")),
    calls: 1,
    client: "broken",
    bill: "estimate",
  },
  {
    name: "an event that is broken JSON",
    respond: streamed((all) => all.with(3, 'data: {"a":[}\n\n').join("")),
    calls: 1,
    client: "broken",
    bill: "estimate",
  },
  {
    name: "a first event that is not JSON",
    respond: streamed((all) => all.with(0, "data: not json\n\n").join("")),
    ...unusable,
  },
  {
    name: "an error event in the middle",
    respond: streamed((all, dialect) => all.with(3, `event: error\ndata: ${dialect.error({})}\n\n`).join("")),
    calls: 1,
    client: "broken",
    bill: "estimate",
  },
  {
    name: "an error event with usage",
    respond: streamed((all, dialect) =>
      all.with(3, `event: error\ndata: ${dialect.error({ usage: dialect.usage })}\n\n`).join(""),
    ),
    calls: 1,
    client: "broken",
    bill: "usage",
  },
  {
    name: "every byte by itself",
    respond: (dialect, stream) => {
      const [bytes] = valid(undefined)(dialect, stream).pieces as [Buffer];
      return { pieces: Array.from(bytes, (byte) => Buffer.of(byte)) };
    },
    ...complete,
  },
];

export const cases: readonly OddCase[] = [
  ...contentTypes,
  ...statuses,
  ...bodies,
  ...usages,
  ...streams.map((one): OddCase => ({ ...one, kind: "stream" })),
];
