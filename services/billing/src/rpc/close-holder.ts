import type { CloseHolderRequest, CloseHolderResponse } from "@uag/proto/billing/v1/grants.ts";
import type { Billing } from "../billing.ts";
import { markClosed } from "../grants/holders.ts";
import { releaseHolder } from "../grants/release.ts";

/**
 * Fences a holder and takes back all its grants at once, those of tasks excepted. Call it when
 * everything the holder will ever report has been settled. Calling it again is harmless.
 */
export async function closeHolder(billing: Billing, request: CloseHolderRequest): Promise<CloseHolderResponse> {
  const { holderId } = request;
  await markClosed(billing.store, holderId);
  const grantsClosed = await releaseHolder(billing, holderId, "holder closed");
  billing.events.holderClosed({ holderId, grants: grantsClosed });
  return { grantsClosed };
}
