import type { Upstream } from "@uag/catalog/types";
import { noChoice, type RoutingReasons } from "@uag/providers/routing-reason";
import { envelopeHeaders } from "@uag/usage/refusals";
import type { AdmittedRequest, Size } from "./operation-spec.ts";

/** The upstream calls of a request, as its response's headers show them. */
export interface Calls {
  /** Called last; undefined: none was. */
  readonly upstream: Upstream | undefined;
  readonly attempts: number;
  /** Why `upstream` was called. */
  readonly reasons: RoutingReasons;
}

/**
 * Headers of every admitted request's response: its model and the one that it replaces, its number
 * of upstream calls, why the last was made and its credential, its unknown fields, its key's limits, and
 * what its envelopes leave.
 */
export function usageHeaders<R>(
  { model, admitted, warnings, replaced }: AdmittedRequest<R, Size>,
  { upstream, attempts, reasons }: Calls,
  limits: readonly string[] = admitted.headers,
): string[] {
  const headers = ["x-gateway-model", model.id, "x-gateway-attempts", String(attempts)];
  if (replaced !== undefined) headers.push("x-gateway-fallback", `${replaced.model}; reason=${replaced.reason}`);
  const credential = upstream?.provider.credential.name ?? "";
  if (credential !== "") headers.push("x-gateway-credential", credential);
  if (reasons !== noChoice) headers.push("x-gateway-routing", routingText(reasons));
  headers.push(...warnings, ...limits, ...envelopeHeaders(admitted.envelopeRemaining));
  return headers;
}

/** Such as `provider=priority, credential=affinity` (a dictionary of RFC 9651). */
function routingText({ upstream, credential }: RoutingReasons): string {
  const parts: string[] = [];
  if (upstream !== undefined) parts.push(`provider=${upstream}`);
  if (credential !== undefined) parts.push(`credential=${credential}`);
  return parts.join(", ");
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
