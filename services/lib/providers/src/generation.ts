import type { Model, Upstream } from "@uag/catalog/types";
import type { Fields } from "./conversation/fields.ts";
import type { UpstreamFailure } from "./failure.ts";
import type { HttpResponse } from "./http/call.ts";
import type { MediaFetcher } from "./media/fetch.ts";
import type { UsageReport } from "./usage-report.ts";

/** Server-sent events, or one JSON array. */
export type StreamFraming = "events" | "array";

/** One text generation as requested, in the client's own format. */
export interface GenerationCall {
  readonly requestId: string;
  /** The request body: valid JSON, an object. */
  readonly body: Buffer;
  /** The same body, parsed. */
  readonly fields: Readonly<Record<string, unknown>>;
  readonly model: Model;
  readonly stream: boolean;
  /** How a stream is sent, for formats with a choice; default: as server-sent events. */
  readonly framing?: StreamFraming | undefined;
  /** The client wants usage in its stream (for formats where that is optional). */
  readonly usageWanted: boolean;
  /** Output cap to send in place of the client's, tokens. */
  readonly outputCap: number | undefined;
  /** Maximum uses of each tool that the upstream runs itself and the client has not capped. */
  readonly maxUses?: number | undefined;
  /** The upstream may run tools itself, which bring input of their own. */
  readonly runsTools: boolean;
  /** Some field, which the upstream may receive, has an unknown effect on its usage. */
  readonly hasUnclassedField?: boolean | undefined;
  /**
   * Client headers that belong to its format (such as `anthropic-beta`), names and values
   * alternating.
   */
  readonly headers: readonly string[];
  /** Fetches the request's URLs, for upstreams that do not do so themselves. */
  readonly media?: MediaFetcher;
}

/** A non-streamed response, in the client's format. */
export interface UnaryResponse {
  readonly body: Buffer;
  readonly usage: UsageReport | undefined;
  /** The generated text, for an estimate when usage is missing. */
  deliveredText(): string;
}

/** A complete response as a stream, for a client that asked for one. */
export interface ReplayedResponse extends Pick<ResponseStream, "closing" | "usage" | "delivered"> {
  readonly output: Buffer[];
}

/** A streamed response: converts upstream bytes to client bytes. */
export interface ResponseStream {
  /**
   * Takes upstream bytes and returns what the client gets now; slices of the same bytes if the
   * formats agree.
   */
  push(chunk: Buffer): Buffer[];
  /** The upstream's connection ended; a stream that is not finished by now is broken. */
  end(): Buffer[];
  readonly state: "open" | "finished" | "failed";
  /** Why it failed, if it did. */
  readonly failure: UpstreamFailure | undefined;
  /** The client's last bytes (its format's terminator), held back until the bill is on disk. */
  readonly closing: Buffer;
  /** The upstream's usage of the complete response. */
  readonly usage: UsageReport | undefined;
  /** Preliminary usage, if reported early: all of the prompt, and part of the response. */
  readonly soFar?: UsageReport | undefined;
  readonly delivered: Delivered;
}

/**
 * What a stream has delivered so far, measured by its content: the basis of the bill if the
 * upstream never reports usage.
 */
export interface Delivered {
  readonly text: string;
  /** A rough estimate: a quarter of the text's bytes. */
  readonly roughTokens: number;
}

export interface UpstreamCall {
  /** Path and query, relative to the provider's base path. */
  readonly path: string;
  /** Names and values alternating. */
  readonly headers: readonly string[];
  readonly body: Buffer;
  /** Whether to request a stream; default: if the client did. */
  readonly stream?: boolean;
}

/** Converts one client format to one upstream protocol. */
export interface GenerationAdapter {
  /** Log probabilities are parsed, and not passed on as bytes. */
  readonly rewritesLogprobs?: true;
  /**
   * @throws {UpstreamFailure} `client` for a request that the upstream's protocol cannot express
   */
  encode(call: GenerationCall, upstream: Upstream, signal: AbortSignal): UpstreamCall | Promise<UpstreamCall>;
  /**
   * @throws {UpstreamFailure} when the body is not a response, or is an error under a good status
   */
  decode(body: Buffer, call: GenerationCall, upstream: Upstream): UnaryResponse;
  /**
   * Assembles a complete stream into one response, in turns of the event loop: for models that only
   * stream, and upstreams that stream unasked.
   * @throws {UpstreamFailure} as `decode`
   */
  collect(body: Buffer, call: GenerationCall, upstream: Upstream): Promise<UnaryResponse>;
  /**
   * Converts a complete body to a stream, for an upstream that does not stream although asked to.
   * @throws {UpstreamFailure} as `decode`
   */
  replay(body: Buffer, call: GenerationCall, upstream: Upstream): ReplayedResponse;
  /** The usage in a response object, whatever else is in it; undefined when it reports none. */
  usageIn(response: Fields, call: GenerationCall, upstream: Upstream): UsageReport | undefined;
  openStream(call: GenerationCall, upstream: Upstream): ResponseStream;
  /** The response with server-sent events, for an upstream that frames its events in another way. */
  unframed?(response: HttpResponse, upstream: Upstream): HttpResponse;
  /** Classifies a response with a bad status. */
  failureOf(response: BadResponse, upstream: Upstream): UpstreamFailure;
}

/** Client formats whose prompt tokens can be counted. */
export type CountFormat = "messages" | "generate_content" | "responses";

/** A request whose prompt tokens are counted, in the client's own format. */
export type CountCall = Pick<GenerationCall, "requestId" | "body" | "fields" | "headers" | "media">;

/** How an upstream protocol counts prompt tokens without generating. */
export interface PromptCounter {
  /** Whether an upstream of the protocol counts prompts; default: all do. */
  serves?(upstream: Upstream): boolean;
  /**
   * @throws {UpstreamFailure} `client` for a request that the upstream's protocol cannot express
   */
  encode(call: CountCall, upstream: Upstream, signal: AbortSignal): UpstreamCall | Promise<UpstreamCall>;
  /** The member of the response that holds the number of tokens. */
  readonly field: string;
  failureOf(response: BadResponse, upstream: Upstream): UpstreamFailure;
}

export interface BadResponse {
  readonly status: number;
  header(name: string): string | undefined;
  readonly body: Buffer;
}
