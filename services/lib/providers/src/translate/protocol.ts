import type { Upstream } from "@uag/catalog/types";
import type { SseEvent } from "@uag/untrusted/sse/event";
import type { ResponseEvent } from "../conversation/events.ts";
import type { Fields } from "../conversation/fields.ts";
import type { Conversation } from "../conversation/types.ts";
import type { UpstreamFailure } from "../failure.ts";
import type { BadResponse, GenerationAdapter, GenerationCall, UpstreamCall } from "../generation.ts";
import type { UsageReport } from "../usage-report.ts";

/** An upstream protocol: encodes conversations and reads responses. */
export interface UpstreamProtocol extends Pick<GenerationAdapter, "unframed"> {
  /** @throws {UpstreamFailure} `client` for what the protocol cannot express */
  encode(
    conversation: Conversation,
    call: GenerationCall,
    upstream: Upstream,
    signal: AbortSignal,
  ): UpstreamCall | Promise<UpstreamCall>;
  openReader(call: GenerationCall, upstream: Upstream): ResponseReader;
  /** The usage in a response object, whatever else is in it; undefined when it reports none. */
  usageIn(response: Fields, call: GenerationCall, upstream: Upstream): UsageReport | undefined;
  failureOf(response: BadResponse, upstream: Upstream): UpstreamFailure;
}

/** Reads one response, streamed or not. */
export interface ResponseReader {
  /** @throws {UpstreamFailure} when the body is not a response */
  body(body: Buffer): ResponseEvent[];
  /** @throws {UpstreamFailure} when the stream reports a failure, or is invalid */
  event(event: SseEvent): ResponseEvent[];
  /** The final event was received: nothing more is read. */
  readonly ended: boolean;
  /** The connection ended here. Returns the last events if the response is complete. */
  end(): ResponseEvent[] | undefined;
  readonly usage: UsageReport | undefined;
  readonly soFar: UsageReport | undefined;
}
