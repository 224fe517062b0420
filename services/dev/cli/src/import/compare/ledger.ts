import type { ModelPrice } from "@uag/catalog/price";
import { modelPrice } from "@uag/catalog/rates";
import { catalogModel } from "@uag/contract/responses/admin-fleet";
import { listedUsageEvent } from "@uag/contract/responses/admin-usage";
import { z } from "zod";
import type { AdminApi } from "../../commands/admin-api.ts";
import type { Period } from "../source.ts";
import { type Entry, oneRequest } from "./entry.ts";

const event = listedUsageEvent
  .pick({
    request_id: true,
    key_id: true,
    model: true,
    status: true,
    started_at: true,
    client_request_id: true,
    provider_request_id: true,
    units: true,
  })
  .extend({ cost_nano_usd: z.union([z.number(), z.string()]) });

const priced = catalogModel.pick({ id: true, price: true });

const idsOf = (row: z.output<typeof event>): string[] =>
  [row.request_id, row.client_request_id, row.provider_request_id].filter((id) => id !== null);

function entryOf(row: z.output<typeof event>): Entry {
  const { units, started_at: startedAt } = row;
  const tokens = (unit: string): bigint => BigInt(units[unit] ?? 0);
  return {
    id: row.request_id,
    ids: idsOf(row),
    keyId: row.key_id,
    model: row.model,
    startedMs: Date.parse(startedAt ?? ""),
    tokens: {
      input_tokens: tokens("input_tokens"),
      cached_input_tokens: tokens("cached_input_tokens"),
      cache_write_5m_tokens: tokens("cache_write_5m_tokens"),
      cache_write_1h_tokens: tokens("cache_write_1h_tokens"),
      output_tokens: tokens("output_tokens"),
    },
    costNanoUsd: BigInt(row.cost_nano_usd),
    ...oneRequest,
  };
}

const timeOf = (ms: number): string => new Date(ms).toISOString();

/** The requests of accounts that began in a period, as the ledger has them. */
export async function readLedger(
  api: AdminApi,
  accounts: Iterable<string>,
  { fromMs, untilMs }: Period,
): Promise<Entry[]> {
  const entries: Entry[] = [];
  for (const account of accounts) {
    const query = { account, from: timeOf(fromMs), until: timeOf(untilMs) };
    for await (const row of api.rows("/usage/events", query)) entries.push(entryOf(event.parse(row)));
  }
  return entries;
}

const withoutVariants = (usd: Readonly<Record<string, number>>): Record<string, number> =>
  Object.fromEntries(Object.entries(usd).filter(([unit]) => !unit.includes(":")));

/** The prices in force, by the model's id. */
export async function readPrices(api: AdminApi): Promise<Map<string, ModelPrice>> {
  const prices = new Map<string, ModelPrice>();
  for await (const row of api.rows("/models")) {
    const { id, price } = priced.parse(row);
    const tiers = price.tiers.map(({ usd, ...tier }) => ({ ...tier, ...withoutVariants(usd) }));
    prices.set(id, modelPrice({ ...withoutVariants(price.usd), ...(tiers.length > 0 && { tiers }) }));
  }
  return prices;
}
