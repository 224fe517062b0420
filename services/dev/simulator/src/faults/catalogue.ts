interface FaultInfo {
  readonly value: "flag" | "number" | "text";
  /** The value when the name is given without one. */
  readonly otherwise: number | string;
  readonly about: string;
}

function flag(about: string): FaultInfo {
  return { value: "flag", otherwise: 1, about };
}

function amount(otherwise: number, about: string): FaultInfo {
  return { value: "number", otherwise, about };
}

/**
 * Every fault by name. A chunk is one server-sent event (or one element of a streamed JSON array).
 */
export const faultTable = {
  latency: amount(1000, "waits this many ms before the first byte"),
  slow: amount(50, "waits this many ms before each chunk; a JSON response is split into 8 pieces"),
  status: amount(500, "returns this HTTP status with the provider's own error body"),
  rate: amount(5, "the key may make this many requests in a window, as the rate limit headers report; more get 429"),
  "rate-ms": amount(60_000, "how long a window of `rate` lasts, in ms"),
  quota: flag("makes a 429 report an exhausted account"),
  "retry-after": amount(1, "error responses have retry-after with this many seconds"),
  "retry-date": amount(1, "error responses have retry-after as the HTTP date this many seconds ahead"),
  "retry-ms": amount(100, "error responses have retry-after-ms"),
  "leak-key": flag("a 400 whose text repeats the request's credential"),
  html: amount(502, "returns this HTTP status with a proxy's HTML page"),
  hang: flag("never responds"),
  stall: amount(1, "stalls permanently after this many chunks"),
  reset: amount(0, "resets the connection after this many bytes of the body; 0 is before the head"),
  "reset-chunks": amount(1, "resets the connection after this many chunks"),
  truncate: amount(0, "closes the connection after this many bytes of an incomplete body"),
  cut: amount(1, "ends the stream properly after this many chunks, without usage and terminator"),
  "no-terminator": flag("omits only the terminator ([DONE], message_stop)"),
  "error-event": amount(1, "sends the provider's error event in place of this chunk (1 is the first) and ends"),
  "error-status": amount(500, "the HTTP status that an error event or an ok-error represents"),
  "ok-error": flag("returns 200 with an error body"),
  "ok-error-usage": flag("returns 200 with an error body that reports the response's usage (not for streams)"),
  garbage: flag("returns 200 with bytes that are neither JSON nor events"),
  "garbage-event": amount(1, "sends an event of broken JSON before this chunk"),
  "empty-body": flag("returns 200 with no body"),
  "content-type": { value: "text", otherwise: "text/html", about: "sends this content type, whatever the body" },
  "usage-missing": flag("reports no usage"),
  "usage-lie": amount(10, "multiplies every usage count by this number"),
  "usage-negative": flag("reports every count of the usage below zero"),
  "usage-text": flag("reports every count of the usage as text"),
  "usage-fraction": flag("reports every count of the usage with a fraction"),
  "usage-new": amount(7, "reports this many of a counter that no provider documents, `oracle_requests`"),
  "usage-repeat": amount(2, "sends the usage event this many times"),
  "usage-cumulative": flag("reports cumulative usage on every chunk"),
  cached: amount(1024, "reports this many prompt tokens as read from the cache (at most all)"),
  "tool-no-index": flag("tool call deltas have no index"),
  "tool-whole": flag("sends each tool call in one delta"),
  "tool-repeat-id": flag("every tool call delta repeats id, type and name"),
  "tool-empty-id": flag("tool calls have an empty id"),
  "created-ms": flag("created is in milliseconds"),
  "same-id": flag("all responses have the same id"),
  "keepalive-chunk": amount(1, "sends a chunk without choices before every nth chunk"),
  huge: amount(1, "returns this many MiB of text, one token for every 4 bytes"),
  "huge-chunk": amount(16, "KiB of text in each chunk of a huge response"),
  split: amount(1, "writes the body in pieces of this many bytes; 0 is random sizes from 1 to 32"),
  join: amount(2, "writes this many chunks at once"),
  crlf: flag("ends event lines with CR LF"),
  cr: flag("ends event lines with CR"),
  "no-space": flag("writes data: and event: without the space after the colon"),
  "multi-data": flag("spreads the JSON of an event over several data lines"),
  "no-final-newline": flag("omits the line ends after the last event"),
  comments: amount(1, "sends a comment line before every nth chunk"),
  gzip: flag("compresses the body with gzip"),
  br: flag("compresses the body with Brotli"),
  strict: flag("rejects unknown top-level request fields if the provider is known to"),
  "abort-bills": flag("continues when the client disconnects from its stream, and bills the whole response"),
  "end-reason": {
    value: "text",
    otherwise: "OTHER",
    about: "Gemini's finishReason and Anthropic's stop_reason, whatever was generated",
  },
  moderation: flag("the provider's policy withholds the result"),
  "image-fail": amount(1, "this many images of a set fail"),
  "image-mib": amount(20, "pads every image file to this many MiB"),
  "embeddings-shuffle": flag("returns embeddings in reverse order, each with its index"),
  "wav-unsized": flag("WAV files declare 0xFFFFFFFF as their sizes"),
  "speech-url": flag("streamed speech has no audio, only the URL of its file"),
  "media-slow": amount(
    200,
    "media URLs of the response serve their file in 8 pieces, with this delay in ms before each",
  ),
  "media-expired": flag("media URLs of the response have expired"),
  "task-ms": amount(
    2000,
    "a task takes this many ms from its acceptance to its end, the first fifth of them in the queue",
  ),
  "task-fail": { value: "text", otherwise: "The task failed.", about: "the task fails with this message" },
  "task-charged": flag("a task that fails, expires or is cancelled by the provider is charged, and reports its usage"),
  "task-stuck": flag("the task runs indefinitely"),
  "task-expire": flag("the task expires"),
  "task-cancelled": flag("the task is cancelled by the provider while it is queued"),
  "task-unknown": flag("the task is accepted, but later lookups do not find it"),
  "task-empty-url": flag("the task succeeds with an empty URL"),
  "poll-limit": amount(1000, "a task that is polled again within this many ms returns 429"),
  "poll-empty": flag("xAI returns no body for polls of a pending task"),
  "callback-repeat": amount(2, "every callback is sent this many times"),
  "callback-reverse": flag("sends callbacks of a task in reverse order after its end"),
  "report-late": amount(3600, "usage and cost reports omit requests served within this many seconds"),
  "report-missing": { value: "text", otherwise: "today", about: "usage and cost reports have no bucket for this day" },
  "report-drift": amount(1, "usage reports count this many more, cost reports this many nano-USD, in their first row"),
  hostile: amount(1, "adds other faults to each attempt, chosen by this seed: see `faults/hostile.ts`"),
  times: amount(1, "the other faults hit only the first this many attempts of the same request"),
} as const satisfies Record<string, FaultInfo>;

export type FaultName = keyof typeof faultTable;
type TextFault = { [K in FaultName]: (typeof faultTable)[K]["value"] extends "text" ? K : never }[FaultName];

/** The faults of one attempt. A flag is 1 when set. */
export type Faults = { readonly [K in Exclude<FaultName, TextFault>]?: number } & {
  readonly [K in TextFault]?: string;
};

/** An unknown fault name or an invalid value. */
export class UnknownFault extends Error {}

function isFaultName(name: string): name is FaultName {
  return Object.hasOwn(faultTable, name);
}

/** All names, longest first, so that a suffix matches its longest name. */
export const faultNames: readonly FaultName[] = Object.keys(faultTable)
  .filter(isFaultName)
  .sort((a, b) => b.length - a.length);

/** Parses one fault. An absent or empty value means the default. Throws UnknownFault. */
export function parseFault(name: string, value: unknown): Faults {
  if (!isFaultName(name)) throw new UnknownFault(`unknown fault '${name}'`);
  const info: FaultInfo = faultTable[name];
  if (value === undefined || value === "" || value === true) return { [name]: info.otherwise };
  if (info.value === "text") return { [name]: String(value) };
  const number = typeof value === "number" ? value : Number(value);
  if (!Number.isFinite(number) || number < 0) throw new UnknownFault(`fault '${name}' takes a number, got '${value}'`);
  return { [name]: number };
}
