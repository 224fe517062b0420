import { httpBytes, type OddResponse } from "./server.ts";

/** What a provider sends in one protocol for one capability. */
export interface Wire {
  /** The member in which a response reports its usage. */
  readonly usageName: "usage" | "usageMetadata";
  /** A valid usage object. */
  readonly usage: object;
  /** A complete response, with `usage` verbatim; undefined: none. */
  whole(usage: unknown): string;
  /** The same as a stream, event by event; `usage` comes before its end. */
  events?(usage: unknown): string[];
  /** An error in the provider's format, to which usage may be added. */
  error(more: object): string;
}

/** The required outcome of an odd response. */
export interface Outcome {
  /** Upstream calls. */
  readonly calls: number;
  /** `error`: a status of 400 or more; `broken`: a stream whose last event is an error. */
  readonly client: "complete" | "error" | "broken";
  /**
   * What the client pays: the reported usage, an estimate, an upper bound (where an estimate cannot
   * contain what the provider may charge), the price of what was asked for (where the provider
   * reports nothing to charge by), the hold (provisionally), or nothing.
   */
  readonly bill: "usage" | "estimate" | "bound" | "asked" | "hold" | "free";
}

/** An odd behaviour of a provider, and its required outcome. */
export interface OddCase<W extends Wire = Wire> extends Outcome {
  readonly name: string;
  /** How the provider is asked to respond; default: both. */
  readonly kind?: "stream" | "whole";
  /** It moves hundreds of megabytes: only one mode with streams and one without them get it. */
  readonly once?: true;
  respond(wire: W, stream: boolean): OddResponse;
}

/** Headers by name. */
export type Headers = Readonly<Record<string, string>>;
export const json: Headers = { "content-type": "application/json" };
export const events: Headers = { "content-type": "text/event-stream" };

export const complete = { calls: 1, client: "complete", bill: "usage" } as const;
export const estimated = { calls: 1, client: "complete", bill: "estimate" } as const;
/** The provider charges for a response that the gateway cannot use. */
export const unusable = { calls: 1, client: "error", bill: "estimate" } as const;
/** The same, and it reported what it charges. */
export const failedWithUsage = { calls: 1, client: "error", bill: "usage" } as const;
export const retried = { calls: 3, client: "error", bill: "free" } as const;
export const refused = { calls: 1, client: "error", bill: "free" } as const;

/** A response that is not streamed. */
export const send = (status: string, headers: Headers, body: string | Buffer): OddResponse => ({
  pieces: [httpBytes(status, headers, body)],
});

/** The body of a valid response. */
export const bodyOf = (wire: Wire, stream: boolean, usage: unknown = wire.usage): string =>
  stream && wire.events !== undefined ? wire.events(usage).join("") : wire.whole(usage);

/** The valid response, under other headers, changed by `edit`. */
export const valid =
  (headers: Headers | undefined, edit: (body: string) => string | Buffer = (body) => body, status = "200 OK") =>
  (wire: Wire, stream: boolean): OddResponse =>
    send(status, headers ?? (stream ? events : json), edit(bodyOf(wire, stream)));

/** The valid response with other usage. */
export const withUsage =
  (usage: (wire: Wire) => unknown) =>
  (wire: Wire, stream: boolean): OddResponse =>
    send(
      "200 OK",
      stream ? events : json,
      stream ? (wire.events?.(usage(wire)) ?? []).join("") : wire.whole(usage(wire)),
    );

/** The first half of a text. */
export const half = (body: string): string => body.slice(0, body.length / 2);

/** The usage object with every number in it, at any depth, replaced. */
export function countsAs(usage: object, count: unknown): object {
  const replaced = (value: unknown): unknown => {
    if (typeof value === "number") return count;
    if (Array.isArray(value)) return value.map(replaced);
    return typeof value === "object" && value !== null ? countsAs(value, count) : value;
  };
  return Object.fromEntries(Object.entries(usage).map(([name, value]) => [name, replaced(value)]));
}
