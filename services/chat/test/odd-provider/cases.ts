import { complete, events, half, type OddCase, retried, send, unusable, valid } from "@uag/harness/odd-provider/case";
import { commonCases, otherKind, usageInTwoEvents } from "@uag/harness/odd-provider/cases";
import type { Dialect } from "./dialects.ts";

const eventsHead = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n";
/** A stream up to its first text. */
const beginningOf = (dialect: Dialect): string[] => {
  const all = dialect.events(dialect.usage);
  return all.slice(0, all.findIndex((event) => event.includes("Hello ")) + 1);
};
const broken = { calls: 1, client: "broken" } as const;
const streamed = (edit: (all: string[], dialect: Dialect) => string) => (dialect: Dialect) =>
  send("200 OK", events, edit(dialect.events(dialect.usage), dialect));

const streams: Omit<OddCase<Dialect>, "kind">[] = [
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
    ...broken,
    bill: "usage",
  },
  {
    name: "half an event at its end",
    respond: streamed((all) => all.slice(0, 3).join("") + half(all[3] as string)),
    ...broken,
    bill: "estimate",
  },
  { name: "half of its first event", respond: streamed(([first = ""]) => half(first)), ...retried },
  {
    name: "an event that is not JSON",
    respond: streamed((all) => all.with(3, "data: not json\n\n").join("")),
    ...broken,
    bill: "estimate",
  },
  {
    name: "an event that is broken JSON",
    respond: streamed((all) => all.with(3, 'data: {"a":[}\n\n').join("")),
    ...broken,
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
    ...broken,
    bill: "estimate",
  },
  {
    name: "an error event with usage",
    respond: streamed((all, dialect) =>
      all.with(3, `event: error\ndata: ${dialect.error({ [dialect.usageName]: dialect.usage })}\n\n`).join(""),
    ),
    ...broken,
    bill: "usage",
  },
  {
    name: "every byte in a packet of its own",
    respond: (dialect, stream) => {
      const [bytes] = valid(undefined)(dialect, stream).pieces as [Buffer];
      return { pieces: Array.from(bytes, (byte) => Buffer.of(byte)) };
    },
    ...complete,
  },
  {
    name: "silence after its first text",
    respond: (dialect) => ({ pieces: [eventsHead, ...beginningOf(dialect)], end: "stay-open" }),
    ...broken,
    bill: "estimate",
  },
  {
    name: "a reset after its first text",
    respond: (dialect) => ({ pieces: [eventsHead, ...beginningOf(dialect)], pauseMs: 20, end: "reset" }),
    ...broken,
    bill: "estimate",
  },
  {
    name: "text without an end",
    once: true,
    respond: (dialect) => ({
      pieces: {
        *[Symbol.iterator]() {
          const [first = "", ...rest] = beginningOf(dialect);
          yield eventsHead;
          yield first;
          for (const event of rest) yield event;
          while (true) yield rest.at(-1) as string;
        },
      },
      pauseMs: 20,
    }),
    ...broken,
    bill: "estimate",
  },
];

export const cases: readonly OddCase<Dialect>[] = [
  ...commonCases,
  otherKind,
  usageInTwoEvents,
  ...streams.map((one): OddCase<Dialect> => ({ ...one, kind: "stream" })),
];
