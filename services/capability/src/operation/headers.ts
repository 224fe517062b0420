import type { AdmittedRequest, Size } from "./operation-spec.ts";

/**
 * What every admitted request's answer says: its model, the calls it took, and its key's limits.
 */
export function usageHeaders<R>(
  { model, admitted }: AdmittedRequest<R, Size>,
  attempts: number,
  limits: readonly string[] = admitted.headers,
): string[] {
  return ["x-gateway-model", model.id, "x-gateway-attempts", String(attempts), ...limits];
}
