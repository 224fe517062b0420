import { createHash } from "node:crypto";
import { watchFile } from "node:fs";
import type { ModelPrice, Rates } from "@uag/catalog/price";
import type { Model, PriceVersion } from "@uag/catalog/types";
import { type PriceDocument, priceOf } from "@uag/ledger/documents/prices";
import type { Store } from "@uag/ledger/documents/store";
import { type AdminChange, recordOnce } from "../audit/record.ts";
import type { Billing } from "../billing.ts";

const pollEveryMs = 1_000;

const pairsOf = (rates: Rates): [string, string][] => [...rates].map(([unit, rate]) => [unit, String(rate)]);

/** Stores prices, each version once, so that an old receipt can name the price of its time. */
export async function keepPrices({ prices }: Pick<Store, "prices">, inForce: Iterable<ModelPrice>): Promise<void> {
  const seenAt = new Date();
  const writes = [...inForce].map(({ version, rates, tiers }) => {
    const kept = tiers.map((tier) => ({ aboveInputTokens: tier.aboveInputTokens, rates: pairsOf(tier.rates) }));
    const document = { rates: pairsOf(rates), tiers: kept, seenAt };
    return { updateOne: { filter: { _id: version }, update: { $setOnInsert: document }, upsert: true } };
  });
  if (writes.length > 0) await prices.bulkWrite(writes, { ordered: false });
}

/** The price of a version; undefined for one never seen here or set by hand. */
export async function findPrice({ prices }: Pick<Store, "prices">, version: string): Promise<ModelPrice | undefined> {
  const found = await prices.findById(version).lean<PriceDocument>();
  return found === null ? undefined : priceOf(found);
}

const auditIdDigits = 24;

/** The audit log's row about an accepted price, and its id, which follows from its content. */
export interface PriceChange {
  readonly change: AdminChange;
  readonly id: string;
}

/** The row about the price at `index`; undefined for the one that the model was listed with. */
export function priceChange(prices: readonly PriceVersion[], index: number): PriceChange | undefined {
  const { accepted, price } = prices[index] ?? {};
  if (accepted === undefined) return undefined;
  const after = JSON.stringify({ ...accepted, price_version: price?.version });
  const before = JSON.stringify({ price_version: prices[index - 1]?.price.version });
  const id = createHash("sha256").update(after).digest("hex").slice(0, auditIdDigits);
  const actor = { id: "catalog", name: accepted.accepted_by, requestId: "" };
  return {
    change: { actor, action: "price.accept", targetId: accepted.model, before, after },
    id: `aud_price_${id}`,
  };
}

/**
 * Records every accepted price change in the audit log, once, independent of who accepted it and by
 * which way its file came here.
 */
async function recordAccepted(billing: Billing, { prices = [] }: Model): Promise<void> {
  for (const index of prices.keys()) {
    const found = priceChange(prices, index);
    if (found !== undefined) await recordOnce(billing, found.change, found.id);
  }
}

/**
 * Stores the prices of the current catalogue, those to come included, and records accepted ones in
 * the audit log; now and whenever its file changes.
 */
export function startPriceHistory(billing: Billing, file: string | undefined): Disposable {
  if (file === undefined) return { [Symbol.dispose]: () => undefined };
  const { store, readCatalog, events } = billing;
  const keepAll = async (): Promise<void> => {
    const models = [...(await readCatalog()).models.values()];
    await keepPrices(
      store,
      models.flatMap(({ price, prices = [] }) => [price, ...prices.map((version) => version.price)]),
    );
    for (const model of models) await recordAccepted(billing, model);
  };
  const keep = (): void => void keepAll().catch(events.pricesNotKept);
  keep();
  const watcher = watchFile(file, { persistent: false, interval: pollEveryMs }, keep);
  return { [Symbol.dispose]: () => void watcher.removeListener("change", keep) };
}
