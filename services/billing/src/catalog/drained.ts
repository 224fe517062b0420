import type { CatalogEntryDocument } from "@uag/ledger/documents/catalog-overlay";
import type { Store } from "@uag/ledger/documents/store";
import { collectionOf } from "@uag/mongo/collection";
import { type Lease, type LeaseDocument, startLeased } from "@uag/mongo/lease";
import type { Billing } from "../billing.ts";
import { changeCatalog } from "./change.ts";
import { snapshot } from "./entries.ts";

const dayMs = 24 * 3_600_000;
/** No provider keeps a task for longer. */
const drainMs = 7 * dayMs;

const leaseOf = ({ connection, leases }: Store): Lease => ({
  leases: collectionOf<LeaseDocument>(connection, leases.collection.name),
  id: "drained-providers",
});

/** Deletes the rows and credentials of providers that were deleted long enough ago. */
async function deleteDrained(billing: Billing, keep: () => Promise<void>): Promise<void> {
  const { store, clock } = billing;
  const before = new Date((await clock.moment()) - drainMs);
  const drained = await store.catalogProviders.find({ deletedAt: { $lt: before } }).lean<CatalogEntryDocument[]>();
  for (const entry of drained) {
    await keep();
    const { _id: name } = entry;
    await changeCatalog(billing, undefined, async ({ session }) => {
      await store.catalogProviders.deleteOne({ _id: name }, { session });
      await store.catalogCredentials.deleteMany({ provider: name }, { session });
      return {
        result: undefined,
        audit: { action: "provider.drained", targetId: name, before: snapshot(entry) },
      };
    });
  }
}

/** Deletes drained providers periodically, in one replica at a time. */
export const startDrain = (billing: Billing, everyMs: number): AsyncDisposable =>
  startLeased(leaseOf(billing.store), {
    everyMs,
    work: (keep) => deleteDrained(billing, keep),
    failed: billing.events.drainFailed,
  });
