import type { AdmittedRequest, Size } from "./operation-spec.ts";

/**
 * Headers of every admitted request's response: its model, its number of upstream calls, and its
 * key's limits.
 */
export function usageHeaders<R>(
  { model, admitted }: AdmittedRequest<R, Size>,
  attempts: number,
  limits: readonly string[] = admitted.headers,
): string[] {
  return ["x-gateway-model", model.id, "x-gateway-attempts", String(attempts), ...limits];
}

/** Headers of an event stream, which no cache may keep and no proxy may hold back. */
export const eventStreamHeaders: readonly string[] = [
  "content-type",
  "text/event-stream; charset=utf-8",
  "cache-control",
  "no-cache",
  "x-accel-buffering",
  "no",
];
