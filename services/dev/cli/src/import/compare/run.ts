import { UserError } from "@uag/local/terminal/step";
import type { AdminApi } from "../../commands/admin-api.ts";
import { readLive } from "../live.ts";
import type { Files, Period, Source } from "../source.ts";
import { sumsOfDays, wholeDays, withoutTiers } from "./days.ts";
import type { Entry } from "./entry.ts";
import { withOurCache } from "./explain.ts";
import { readLedger, readPrices } from "./ledger.ts";
import { match, type Pair } from "./match.ts";
import { type Compared, compare, report } from "./report.ts";

/** How a spend log is compared with the ledger. */
export interface Comparison {
  readonly api: AdminApi;
  readonly source: Source;
  readonly files: Files;
  /** The accounts whose requests are compared; undefined: those of the keys that were imported from it. */
  readonly accounts: readonly string[] | undefined;
  /** The source's name in the command. */
  readonly name: string;
  readonly period: Period;
  /** Maximum difference between the starts of a request that has no common id. */
  readonly withinMs: number;
  /** Also prints what is equal. */
  readonly all: boolean;
}

const cachedAsHere = (pair: Pair): Pair => ({ ...pair, theirs: { ...pair.theirs, tokens: withOurCache(pair) } });

/** Whether a difference is more than rounding. */
const differs = ({ parts }: Compared): boolean => parts.some(({ cause }) => cause !== "rounding");

/** Compares a spend log with the ledger, and prints each difference. @returns the exit code: 2 if there is one */
export async function runComparison(comparison: Comparison): Promise<number> {
  const { api, source, files, name, withinMs, all } = comparison;
  const ofDays = source.logs === "days";
  const period = ofDays ? wholeDays(comparison.period) : comparison.period;
  if (period.untilMs <= period.fromMs)
    throw new UserError(ofDays ? "The period has no whole day (UTC)." : "--until must be after --from.");
  const live = await readLive(api);
  const imported = [...live.imported].filter(([origin]) => origin.startsWith(`${name}/`));
  const accounts = comparison.accounts ?? imported.map(([, key]) => key.account_id);
  if (accounts.length === 0) throw new UserError(`No key was imported from ${name}. Set --account.`);
  const log = await source.spendLog(files, live, period);
  const inUnits = (entries: readonly Entry[]): readonly Entry[] => (ofDays ? sumsOfDays(entries) : entries);
  const ours = inUnits(await readLedger(api, new Set(accounts), period));
  const matches = match(ours, inUnits(log.entries), withinMs);
  const pairs = log.countsCache ? matches.pairs : matches.pairs.map(cachedAsHere);
  const prices = await readPrices(api);
  const rules = { prices: ofDays ? withoutTiers(prices) : prices, withinMs, roundingNanoUsd: log.roundingNanoUsd };
  const rows = compare({ ...matches, pairs }, rules);
  report(rows, { all, what: source.logs });
  return rows.some(differs) ? 2 : 0;
}
