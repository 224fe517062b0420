import type { Metadata } from "@grpc/grpc-js";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import { currentTraceparent, parseTraceparent } from "../tracing/traceparent.ts";
import type { Tracing } from "../tracing/tracing.ts";

/** As in the header of that name: https://www.w3.org/TR/trace-context/ */
const header = "traceparent";
const failed = { code: 2 } as const;

/** Attaches the current span to a call; does nothing without tracing. */
export function addTraceparent(metadata: Metadata): void {
  const traceparent = currentTraceparent();
  if (traceparent !== undefined) metadata.set(header, traceparent);
}

/**
 * Serves a call within a span, by OpenTelemetry's conventions for gRPC, if the call carries its
 * caller's span: calls of untraced requests have none.
 * @param method as `billing.v1.LedgerService/Settle`
 */
export async function inSpan<T>(
  { tracing, metadata, method }: { tracing: Tracing; metadata: Metadata; method: string },
  work: () => Promise<T>,
): Promise<T> {
  const parent = parseTraceparent(metadata.get(header)[0]?.toString());
  if (parent === undefined) return work();
  const attributes = { "rpc.system.name": "grpc", "rpc.method": method };
  const span = tracing.start(method, { kind: "SERVER", parent, attributes });
  try {
    return await work();
  } catch (error) {
    span.setStatus(failed).setAttribute("error.type", error instanceof GatewayError ? error.code : "_OTHER");
    throw error;
  } finally {
    span.end();
  }
}
