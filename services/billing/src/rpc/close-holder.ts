import type { CloseHolderRequest, CloseHolderResponse } from "@uag/proto/billing/v1/grants.ts";
import type { Billing } from "../billing.ts";
import { markClosed } from "../grants/holders.ts";
import { releaseHolder } from "../grants/release.ts";

/**
 * Fences a holder and releases all its grants at once, except those of tasks. Call it when
 * everything the holder will ever report is settled. Calling it again is harmless.
 */
export async function closeHolder(billing: Billing, request: CloseHolderRequest): Promise<CloseHolderResponse> {
  const { holderId } = request;
  await markClosed(billing.store, holderId);
  // Everything that it spent is in the ledger, so its leases end too.
  await billing.store.credentialSpending.updateMany({ holderId }, { $set: { leased: 0n } });
  const grantsClosed = await releaseHolder(billing, holderId, "holder closed");
  billing.events.holderClosed({ holderId, grants: grantsClosed });
  return { grantsClosed };
}
