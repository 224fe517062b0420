import { secondLooks } from "./accept.ts";
import type { Difference, ModelDifference } from "./compare.ts";
import { type Quote, usdDecimal } from "./quote.ts";

/** Changes of a model's prices that a person can accept. */
export interface Proposal {
  /** The new prices, nano-USD, by key. */
  readonly changes: ReadonlyMap<string, bigint>;
  /** Why it must be confirmed, one sentence each; empty when it need not be. */
  readonly looks: readonly string[];
}

/** What a table's price for one key adds: that of both, or that of the chosen table alone. */
function changeOf({ theirs, finding }: Difference, table: string | undefined): bigint | undefined {
  if (finding === "changed") return [...theirs.values()][0];
  return finding === "disagree" || finding === "one_source" ? theirs.get(table ?? "") : undefined;
}

/**
 * What the tables propose for a model: the prices that both have, and with `table` also those that
 * only it has.
 * @param set prices that were read on the vendor's page, nano-USD: they replace the tables'
 */
export function propose(
  ours: Quote,
  { differences }: ModelDifference,
  { table, set = new Map() }: { table?: string | undefined; set?: ReadonlyMap<string, bigint> },
): Proposal {
  const changes = new Map<string, bigint>();
  const looks: string[] = [];
  for (const difference of differences) {
    const { key, finding } = difference;
    const next = changeOf(difference, table);
    if (next === undefined) continue;
    changes.set(key, next);
    if (finding !== "changed") looks.push(`Only ${table} has ${usdDecimal(next)} USD for ${key}.`);
  }
  for (const [key, nano] of set) {
    changes.set(key, nano);
    looks.push(`${key} is set to ${usdDecimal(nano)} USD by hand.`);
  }
  return { changes, looks: [...looks, ...secondLooks(ours, changes)] };
}
