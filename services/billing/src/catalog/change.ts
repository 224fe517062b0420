import { CatalogError } from "@uag/catalog/catalog-error";
import type { Catalog, PriceVersion, PriceVersionRow } from "@uag/catalog/types";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import { catalogChanged, catalogChangedSubject } from "@uag/contract/messages/billing";
import type { Actor } from "@uag/proto/common/v1/actor.ts";
import { type AdminChange, recordChange } from "../audit/record.ts";
import type { Billing } from "../billing.ts";
import { insertAccepted } from "../prices/accepted.ts";
import { keepPrices, priceChange } from "../repair/price-history.ts";
import { catalogOf } from "../repair/prices.ts";
import type { Transaction } from "../store/transaction.ts";
import { headId, overlayOf, overlayVersion, storedOverlay } from "./overlay.ts";

/** What a change returns, and its row of the audit log. */
interface Changed<T> {
  readonly result: T;
  readonly audit: Omit<AdminChange, "actor">;
  /** The model whose price it sets. */
  readonly priced?: string;
  /** The price, for a model that had another before. */
  readonly accepted?: PriceVersionRow | undefined;
}

/**
 * Makes one change of the catalogue: its documents, the overlay's version and the audit log's row
 * are written in one transaction, unless the catalogue would be invalid. Of two concurrent changes
 * one runs again, on what the other has written.
 * @throws {GatewayError} `invalid_request` with the field
 */
export async function changeCatalog<T>(
  billing: Billing,
  actor: Actor | undefined,
  change: (transaction: Transaction) => Promise<Changed<T>>,
): Promise<T> {
  const { store, transact, bus, events, readSource } = billing;
  // Refuses the change when there is no file to check it against.
  const source = await readSource();
  const { result, version, audit } = await transact(async (transaction) => {
    const { session } = transaction;
    await store.catalogHeads.updateOne({ _id: headId }, { $inc: { version: 1 } }, { upsert: true, session });
    const changed = await change(transaction);
    const overlay = overlayOf(await storedOverlay(store, session));
    const accepted = changed.accepted === undefined ? source.accepted : [...source.accepted, changed.accepted];
    const { prices } = checked(() => catalogOf({ ...source, accepted, overlay }));
    await recordChange(store, transaction, { actor, ...changed.audit });
    if (changed.priced !== undefined) {
      const versions = prices.get(changed.priced);
      if (versions === undefined) throw new Error(`The catalogue has no model ${changed.priced}.`);
      await setPrice(billing, transaction, { actor, versions, accepted: changed.accepted });
    }
    return { ...changed, version: await overlayVersion(store, session) };
  });
  bus.connection.publish(catalogChangedSubject, catalogChanged.encode({ version }));
  events.catalogChanged({ action: audit.action, target: audit.targetId, version });
  return result;
}

/** Stores a model's prices for its receipts, and the one that was set with its row of the audit log. */
async function setPrice(
  { store }: Billing,
  transaction: Transaction,
  {
    actor,
    versions,
    accepted,
  }: {
    readonly actor: Actor | undefined;
    readonly versions: readonly PriceVersion[];
    readonly accepted: PriceVersionRow | undefined;
  },
): Promise<void> {
  await keepPrices(
    store,
    versions.map(({ price }) => price),
  );
  if (accepted === undefined) return;
  await insertAccepted(store, transaction, { row: accepted, nth: versions.length - 2 });
  const audit = priceChange(versions, versions.length - 1);
  if (audit !== undefined)
    await recordChange(store, transaction, { ...audit.change, actor: actor ?? audit.change.actor }, audit.id);
}

/** A fault of the catalogue: its place, and the text. */
const fault = /^ {2}(\S{1,400}): (.{1,500})$/m;
/** The part of a place that is not a field of the request. */
const owner = /^(models\[[^\]]{0,200}\]|providers\.[a-z0-9-]{1,64})\.?/;

/** @throws {GatewayError} `invalid_request` with the field of the catalogue's first fault */
function checked(read: () => Catalog): Catalog {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof CatalogError)) throw error;
    const [, place = "", text = error.message] = fault.exec(error.message) ?? [];
    const param = place.replace(owner, "");
    throw new GatewayError("invalid_request", `${place}: ${text}`, { ...(param && { param }), cause: error });
  }
}
