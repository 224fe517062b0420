import { createHash } from "node:crypto";
import { watchFile } from "node:fs";
import type { ModelPrice, Rates } from "@uag/catalog/price";
import type { Model } from "@uag/catalog/types";
import type { PriceDocument } from "@uag/ledger/documents/prices";
import type { Store } from "@uag/ledger/documents/store";
import { recordOnce } from "../audit/record.ts";
import type { Billing } from "../billing.ts";

const pollEveryMs = 1_000;

const pairsOf = (rates: Rates): [string, string][] => [...rates].map(([unit, rate]) => [unit, String(rate)]);
const ratesOf = (pairs: PriceDocument["rates"]): Rates => new Map(pairs.map(([unit, rate]) => [unit, BigInt(rate)]));

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
  if (found === null) return undefined;
  const tiers = found.tiers.map((tier) => ({ aboveInputTokens: tier.aboveInputTokens, rates: ratesOf(tier.rates) }));
  return { version, rates: ratesOf(found.rates), tiers };
}

const auditIdDigits = 24;

/**
 * Records every accepted price change in the audit log, once, independent of who accepted it and by
 * which way its file came here.
 */
async function recordAccepted(billing: Billing, { id, prices = [] }: Model): Promise<void> {
  for (const [index, { accepted }] of prices.entries()) {
    if (accepted === undefined) continue;
    const after = { ...accepted, price_version: prices[index]?.price.version };
    const before = { price_version: prices[index - 1]?.price.version };
    const auditId = createHash("sha256").update(JSON.stringify(after)).digest("hex").slice(0, auditIdDigits);
    const actor = { id: "catalog", name: accepted.accepted_by, requestId: "" };
    const change = { actor, action: "price.accept", targetId: id };
    const texts = { before: JSON.stringify(before), after: JSON.stringify(after) };
    await recordOnce(billing, { ...change, ...texts }, `aud_price_${auditId}`);
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
