import type { Upstream } from "@uag/catalog/types";
import type { Fields } from "./conversation/fields.ts";
import type { UpstreamFailure } from "./failure.ts";
import type { BadResponse, UpstreamCall } from "./generation.ts";
import type { UsageReport } from "./usage-report.ts";

/** A header of a response; undefined without it. */
export type ResponseHeader = (name: string) => string | undefined;

/** The adapter of an operation whose calls are one JSON request with one JSON response each. */
export interface JsonAdapter<Call, Response> {
  encode(call: Call, upstream: Upstream): Omit<UpstreamCall, "stream">;
  /**
   * @throws {UpstreamFailure} when the body does not match this call, or is an error under a good
   * status
   */
  decode(body: Buffer, call: Call, upstream: Upstream, header: ResponseHeader): Response;
  /**
   * The usage in a response object, whatever else is in it; undefined when it reports none. Absent
   * for an operation that is free.
   */
  usageIn?(response: Fields): UsageReport | undefined;
  failureOf(response: BadResponse, upstream: Upstream): UpstreamFailure;
}
