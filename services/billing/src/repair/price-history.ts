import { watchFile } from "node:fs";
import type { ModelPrice, Rates } from "@uag/catalog/price.ts";
import type { Billing } from "../billing.ts";
import type { PriceDocument } from "../store/prices.ts";
import type { Store } from "../store/store.ts";

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

/** Stores the prices of the current catalogue, now and whenever its file changes. */
export function startPriceHistory(
  { store, prices, events }: Pick<Billing, "store" | "prices" | "events">,
  file: string | undefined,
): Disposable {
  if (file === undefined) return { [Symbol.dispose]: () => undefined };
  const keep = (): void => {
    prices()
      .then((inForce) => keepPrices(store, inForce.values()))
      .catch(events.pricesNotKept);
  };
  keep();
  const watcher = watchFile(file, { persistent: false, interval: pollEveryMs }, keep);
  return { [Symbol.dispose]: () => void watcher.removeListener("change", keep) };
}
