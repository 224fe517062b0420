import type { ModelPrice } from "@uag/catalog/price";
import type { Period } from "../source.ts";
import type { Entry, Tokens } from "./entry.ts";

const dayMs = 86_400_000;

const plus = (a: Tokens, b: Tokens): Tokens => ({
  input_tokens: a.input_tokens + b.input_tokens,
  cached_input_tokens: a.cached_input_tokens + b.cached_input_tokens,
  cache_write_5m_tokens: a.cache_write_5m_tokens + b.cache_write_5m_tokens,
  cache_write_1h_tokens: a.cache_write_1h_tokens + b.cache_write_1h_tokens,
  output_tokens: a.output_tokens + b.output_tokens,
});

const sum = (a: Entry, b: Entry): Entry => ({
  ...a,
  requests: a.requests + b.requests,
  tokens: plus(a.tokens, b.tokens),
  costNanoUsd: a.costNanoUsd + b.costNanoUsd,
  unbilled: a.unbilled === undefined ? undefined : b.unbilled,
});

/** Sums entries by day (UTC) and model, of all keys together. A model that is unknown here is one by the entry's id. */
export function sumsOfDays(entries: Iterable<Entry>): Entry[] {
  const sums = new Map<string, Entry>();
  for (const entry of entries) {
    const startedMs = Math.floor(entry.startedMs / dayMs) * dayMs;
    const id = `${new Date(startedMs).toISOString().slice(0, 10)} ${entry.model ?? entry.id}`;
    const before = sums.get(id);
    const fresh = { ...entry, id, ids: [id], keyId: undefined, startedMs };
    sums.set(id, before === undefined ? fresh : sum(before, fresh));
  }
  return [...sums.values()];
}

/** The whole days (UTC) of a period. */
export const wholeDays = ({ fromMs, untilMs }: Period): Period => ({
  fromMs: Math.ceil(fromMs / dayMs) * dayMs,
  untilMs: Math.floor(untilMs / dayMs) * dayMs,
});

/** Prices without those of long prompts, which sums do not tell apart. */
export const withoutTiers = (prices: ReadonlyMap<string, ModelPrice>): Map<string, ModelPrice> =>
  new Map([...prices].map(([id, price]) => [id, { ...price, tiers: [] }]));
