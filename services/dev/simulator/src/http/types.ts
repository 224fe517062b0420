import type { IncomingHttpHeaders } from "node:http";
import type { PrefixCache } from "../content/prefix-cache.ts";
import type { Faults } from "../faults/catalogue.ts";
import type { LogEntry } from "../log/entry.ts";
import type { TaskStore } from "../tasks/store.ts";
import type { Units, Usage } from "../usage.ts";

export interface ReplyHeaders {
  readonly [name: string]: string;
}

/** One server-sent event, or one element of a streamed JSON array. */
export interface StreamEvent {
  readonly event?: string;
  /** The event's number, if the provider numbers its events. */
  readonly id?: number;
  /** An HTTP status in a comment line. */
  readonly httpStatus?: number;
  /** The type of an exception in AWS's event stream, which this is in place of an event. */
  readonly exception?: string;
  /** One line: JSON, or a terminator such as [DONE]. */
  readonly data: string;
  /** Tokens of the response in this event. */
  readonly tokens?: number;
  /** Usage that it reports to the client; later reports replace earlier ones field by field. */
  readonly usage?: Usage | undefined;
  /** Contains only usage, so it may be sent again. */
  readonly usageOnly?: true;
  readonly terminator?: true;
  /** Fields of the data that repeat the request id. */
  readonly requestIdFields?: (requestId: string) => object;
}

interface Measured {
  /** The usage an honest provider reports for the whole response. */
  readonly trueUsage?: Usage;
  /** The units a provider bills for the whole response. */
  readonly units?: Units;
  /** The task it created or reports, and how often the task was polled. */
  readonly task?: { readonly id: string; readonly polls: number };
  /** The id inside the response. */
  readonly responseId?: string;
  readonly headers?: ReplyHeaders;
}

export type JsonReply = Measured & {
  readonly type: "json";
  readonly status: number;
  readonly body: unknown;
  /** The usage in the body. */
  readonly usage?: Usage | undefined;
  readonly tokens?: number;
  /** Fields of the body that repeat the request id. */
  readonly requestIdFields?: (requestId: string) => object;
};
export type EventsReply = Measured & {
  readonly type: "events";
  /**
   * `tight` is SSE without a space after the colon and with the HTTP status of each event; `aws` is
   * AWS's binary event stream.
   */
  readonly framing: "sse" | "tight" | "json-array" | "aws";
  readonly events: Iterable<StreamEvent>;
};
export type BytesReply = Measured & {
  readonly type: "bytes";
  readonly status: number;
  readonly contentType: string;
  readonly bytes: Buffer;
  readonly usage?: Usage | undefined;
  /** Milliseconds before each of its pieces, as with the fault `slow`. */
  readonly slow?: number | undefined;
};
export type Reply = JsonReply | EventsReply | BytesReply;

/** An error that the provider returns instead of serving the request. */
export class Rejection extends Error {
  readonly reply: Reply;
  constructor(reply: Reply) {
    super("request rejected");
    this.reply = reply;
  }
}

/** An error to be reported in the provider's format. */
export interface Problem {
  readonly status: number;
  /** A 429 because the account is exhausted, rather than rate limited. */
  readonly quota?: boolean;
  readonly message?: string;
  /** Seconds after which to retry, for providers that report it in the body. */
  readonly retrySeconds?: number | undefined;
}

/** What is left of a key's limit. */
export interface RateStanding {
  readonly limit: number;
  readonly remaining: number;
  readonly resetMs: number;
}

/** A request as its signature covers it. */
export interface SignedRequest {
  readonly method: string;
  /** As it was sent, escaped. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
}

/** What all operations of one provider share: credentials, error bodies, headers. */
export interface Protocol {
  readonly provider: string;
  /** Serves requests without a credential. */
  readonly open?: true;
  /** How its streams are framed, if not as server-sent events. */
  readonly framing?: EventsReply["framing"];
  /**
   * The client's credential, unmodified; undefined or empty when there is none. One that begins with `bad-` is
   * rejected, for whatever reason.
   */
  credential(headers: IncomingHttpHeaders, query: URLSearchParams, request: SignedRequest): string | undefined;
  /** The response to a missing (undefined) or wrong credential. */
  unauthorized(credential: string | undefined): Reply;
  notFound(method: string, path: string): Reply;
  badJson(): Reply;
  tooLarge(): Reply;
  error(problem: Problem): JsonReply;
  streamError(problem: Problem): StreamEvent;
  /**
   * A request id in the provider's format. The digest differs between requests, the count between
   * attempts.
   */
  newRequestId(digest: string, count: number): string;
  /** Headers that report what is left of a limit of requests; absent if the provider sends none. */
  rateHeaders?(standing: RateStanding): ReplyHeaders;
  /** Headers of every response. */
  headers(requestId: string, tookMs: number): ReplyHeaders;
}

/** One parsed request to one operation. */
export interface Call {
  readonly params: { readonly [name: string]: string };
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  /** The same with credentials masked, for responses that echo them. */
  readonly shownHeaders: IncomingHttpHeaders;
  /** Scheme, host and port under which the client reached the simulator. */
  readonly origin: string;
  /** The path of the request. */
  readonly path: string;
  /** The caller's own id of the request. */
  readonly requestId: string | undefined;
  /**
   * The parsed JSON body or form, with the fault suffix removed from its model; undefined without a
   * body.
   */
  readonly body: unknown;
  /** Model id without fault suffix. */
  readonly model: string | undefined;
  readonly faults: Faults;
  /**
   * Determines the response: a hash over provider, operation, model and body, independent of
   * streaming.
   */
  readonly digest: string;
  readonly credential: string;
  readonly cache: PrefixCache;
  readonly tasks: TaskStore;
  /** All attempts that have ended, oldest first: the basis of a provider's reports. */
  served(): readonly LogEntry[];
  /** Creates an id with the prefix; deterministic for the same request and count of ids. */
  newId(prefix: string): string;
  /** Unix time in seconds, or in milliseconds with the fault `created-ms`. */
  readonly created: number;
}

export interface Route {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** Relative to the provider's prefix; `{name}` matches one path segment or a part of it. */
  readonly path: string;
  /** Name in the truth log. */
  readonly operation: string;
  /** The type of its body; default: `json` for a POST, `nothing` for others. */
  readonly reads?: "json" | "form" | "urlencoded" | "nothing";
  /**
   * Whether it streams, if that depends on the path or a header rather than on the body's `stream`.
   */
  readonly streams?: boolean | ((headers: IncomingHttpHeaders) => boolean);
  readonly handle: (call: Call) => Reply | Promise<Reply>;
}

/** One upstream provider: a prefix on the port, a protocol, and its operations. */
export interface Provider {
  readonly name: string;
  readonly prefix: string;
  readonly protocol: Protocol;
  readonly routes: readonly Route[];
}
