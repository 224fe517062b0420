import type { Model, Upstream } from "@uag/catalog/types.ts";
import type { Unit } from "@uag/proto/metering/v1/usage.ts";
import type { UpstreamFailure } from "./failure.ts";
import type { MediaFetcher } from "./media/fetch.ts";

/** Formats in which clients ask for generated text, by their operations. */
export type GenerationFormat = "chat.completions" | "messages";

/** One text generation as the client asked for it, in the client's own format. */
export interface GenerationCall {
  readonly requestId: string;
  /** The request body: valid JSON, an object. */
  readonly body: Buffer;
  /** The same body, parsed. */
  readonly fields: Readonly<Record<string, unknown>>;
  readonly model: Model;
  readonly stream: boolean;
  /** The client wants the usage in its stream (formats in which that is a choice). */
  readonly usageWanted: boolean;
  /** Output cap to send instead of the client's, tokens. */
  readonly outputCap: number | undefined;
  /** Most uses of each tool that the upstream runs itself and the client has not capped. */
  readonly maxUses?: number | undefined;
  /**
   * Headers of the client that mean something in its format (such as `anthropic-beta`), name and
   * value by turns.
   */
  readonly headers: readonly string[];
  /** Fetches what the request's URLs point at, for upstreams that do not do so themselves. */
  readonly media?: MediaFetcher;
}

/** What an upstream counted. */
export interface UsageReport {
  /** In the catalogue's units, none containing another. */
  readonly units: Unit[];
  /** The upstream's usage object as it came (JSON). */
  readonly raw: Buffer;
}

/** An answer in one piece, in the client's format. */
export interface WholeResponse {
  readonly body: Buffer;
  readonly usage: UsageReport | undefined;
  /** The generated text, for an estimate where the usage is missing. */
  deliveredText(): string;
}

/** An answer as a stream: upstream bytes go in, the client's bytes come out. */
export interface ResponseStream {
  /**
   * Takes upstream bytes and answers what the client gets now; slices of the same bytes where the
   * formats agree.
   */
  push(chunk: Buffer): Buffer[];
  /** The upstream's connection ended; a stream that is not finished by now is broken. */
  end(): Buffer[];
  readonly state: "open" | "finished" | "failed";
  /** Why, when failed. */
  readonly failure: UpstreamFailure | undefined;
  /** The client's last bytes (its format's terminator), kept back until the bill is on disk. */
  readonly closing: Buffer;
  /** The upstream's count of the whole answer. */
  readonly usage: UsageReport | undefined;
  /**
   * What it has counted so far where it tells that early: all of the prompt, the answer in part.
   */
  readonly soFar?: UsageReport | undefined;
  readonly delivered: Delivered;
}

/**
 * What a stream has brought so far, counted from its content: what is billed when the upstream's
 * own count never comes.
 */
export interface Delivered {
  readonly text: string;
  /** A quick guess: a quarter of the text's bytes. */
  readonly roughTokens: number;
}

export interface UpstreamCall {
  /** Path and query, behind the provider's base path. */
  readonly path: string;
  /** Name and value by turns. */
  readonly headers: readonly string[];
  readonly body: Buffer;
  /** The upstream is asked for a stream; default: when the client asked for one. */
  readonly stream?: boolean;
}

/** One client format spoken to one upstream protocol. */
export interface GenerationAdapter {
  /**
   * @throws {UpstreamFailure} `client` for a request that cannot be said in the upstream's protocol
   */
  encode(call: GenerationCall, upstream: Upstream, signal: AbortSignal): UpstreamCall | Promise<UpstreamCall>;
  /** @throws {UpstreamFailure} when the body is no answer, or an error under a good status */
  decode(body: Buffer, call: GenerationCall, upstream: Upstream): WholeResponse;
  /**
   * A whole stream as one answer: for models that only stream. @throws {UpstreamFailure} as
   * `decode`
   */
  collect?(body: Buffer, call: GenerationCall, upstream: Upstream): WholeResponse;
  openStream(call: GenerationCall, upstream: Upstream): ResponseStream;
  /** What an answer with a bad status means. */
  failureOf(response: BadResponse, upstream: Upstream): UpstreamFailure;
}

/** A request in the messages format whose prompt is to be counted. */
export type CountCall = Pick<GenerationCall, "requestId" | "body" | "fields" | "headers" | "media">;

/** How an upstream protocol counts a prompt without answering it. */
export interface PromptCounter {
  /**
   * @throws {UpstreamFailure} `client` for a request that cannot be said in the upstream's protocol
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
