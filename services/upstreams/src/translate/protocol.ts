import type { Upstream } from "@uag/catalog/types.ts";
import type { SseEvent } from "@uag/kit/sse/event.ts";
import type { ResponseEvent } from "../conversation/events.ts";
import type { Conversation } from "../conversation/types.ts";
import type { UpstreamFailure } from "../failure.ts";
import type { BadResponse, GenerationCall, UpstreamCall, UsageReport } from "../generation.ts";

/** A protocol of upstreams, as conversations are said in it and answers understood. */
export interface UpstreamProtocol {
  /** @throws {UpstreamFailure} `client` for what the protocol cannot say */
  encode(
    conversation: Conversation,
    call: GenerationCall,
    upstream: Upstream,
    signal: AbortSignal,
  ): UpstreamCall | Promise<UpstreamCall>;
  openReader(call: GenerationCall, upstream: Upstream): ResponseReader;
  failureOf(response: BadResponse, upstream: Upstream): UpstreamFailure;
}

/** Reads one answer, in one piece or as a stream. */
export interface ResponseReader {
  /** @throws {UpstreamFailure} when the body is no answer */
  whole(body: Buffer): ResponseEvent[];
  /**
   * @throws {UpstreamFailure} when the stream says that it failed, or what it says makes no sense
   */
  event(event: SseEvent): ResponseEvent[];
  /** The upstream has said its last word: nothing more is read. */
  readonly ended: boolean;
  /** The connection ended here. Answers the last events when that is a good end. */
  end(): ResponseEvent[] | undefined;
  readonly usage: UsageReport | undefined;
  readonly soFar: UsageReport | undefined;
}
