import type { IsHolderGoneRequest, IsHolderGoneResponse } from "@uag/proto/billing/v1/grants.ts";
import type { Billing } from "../billing.ts";
import { isGone } from "../grants/holders.ts";

/**
 * Reports whether a holder is closed: by the process that published its usage, or because it was
 * silent for longer than any request lasts.
 */
export async function isHolderGone(billing: Billing, request: IsHolderGoneRequest): Promise<IsHolderGoneResponse> {
  return { gone: await isGone(billing.store, request.holderId) };
}
