import type { ModelPrice } from "@uag/catalog/price";
import { print } from "@uag/local/terminal/step";
import { usdText } from "@uag/runtime/usd";
import { table } from "../../commands/table.ts";
import type { Entry } from "./entry.ts";
import { type Cause, causes, explain, missing, type Part } from "./explain.ts";
import { isDoubled, type Matches } from "./match.ts";

/** A request of one or both gateways, and why they bill it differently. */
export interface Compared {
  readonly ours: Entry | undefined;
  readonly theirs: Entry | undefined;
  readonly parts: readonly Part[];
}

/** How amounts and times are compared. */
export interface Rules {
  readonly prices: ReadonlyMap<string, ModelPrice>;
  readonly withinMs: number;
  /** What their amounts are rounded to. */
  readonly roundingNanoUsd: bigint;
}

/** Explains every request, oldest first. Requests that cost nothing and that only one has are left out. */
export function compare({ pairs, oursOnly, theirsOnly }: Matches, rules: Rules): Compared[] {
  const { prices, withinMs, roundingNanoUsd } = rules;
  const paired = pairs.map((pair): Compared => {
    const rates = prices.get(pair.ours.model ?? "");
    return { ...pair, parts: explain(pair, rates, roundingNanoUsd) };
  });
  const [ours, theirs] = [pairs.map((pair) => pair.ours), pairs.map((pair) => pair.theirs)];
  const billed = ({ costNanoUsd }: Entry): boolean => costNanoUsd !== 0n;
  const here = oursOnly.filter(billed).map((entry): Compared => {
    return { ours: entry, theirs: undefined, parts: [missing(entry, "there", isDoubled(entry, ours, withinMs))] };
  });
  const there = theirsOnly.filter(billed).map((entry): Compared => {
    return { ours: undefined, theirs: entry, parts: [missing(entry, "here", isDoubled(entry, theirs, withinMs))] };
  });
  const startOf = ({ ours: own, theirs: other }: Compared): number => (own ?? other)?.startedMs ?? 0;
  return [...paired, ...here, ...there].sort((a, b) => startOf(a) - startOf(b));
}

const shown = (entry: Entry | undefined): string => (entry === undefined ? "-" : usdText(entry.costNanoUsd));

function rowOf({ ours, theirs, parts }: Compared): string[] {
  const entry = ours ?? theirs;
  const why = parts.map(({ cause, nanoUsd }) => `${causes[cause]} (${usdText(nanoUsd)})`).join("; ");
  const at = new Date(entry?.startedMs ?? 0).toISOString();
  return [
    at,
    ours?.id ?? "-",
    theirs?.id ?? "-",
    entry?.model ?? "unknown",
    shown(ours),
    shown(theirs),
    why || "equal",
  ];
}

/** What is printed. */
export interface Shown {
  readonly all: boolean;
  /** What a row is. */
  readonly what: "requests" | "days";
}

const nounOf = { requests: "requests", days: "sums of a day and a model" } as const;

function sumRows(rows: readonly Compared[]): string[][] {
  const parts = rows.flatMap((row) => row.parts);
  return [...Map.groupBy(parts, ({ cause }) => cause)].map(([cause, group]) => [
    causes[cause as Cause],
    String(group.length),
    usdText(group.reduce((sum, { nanoUsd }) => sum + nanoUsd, 0n)),
  ]);
}

/** Prints the rows that differ, the sums by cause, and the totals. @param all also those that are equal */
export function report(rows: readonly Compared[], { all, what }: Shown): void {
  const listed = rows.filter(({ parts }) => all || parts.length > 0);
  const head = ["STARTED", "HERE", "THERE", "MODEL", "USD HERE", "USD THERE", "DIFFERENCE"];
  if (listed.length > 0) print(`${table([head, ...listed.map(rowOf)])}\n`);
  const sums = sumRows(rows);
  if (sums.length > 0) print(`${table([["WHY", what.toUpperCase(), "USD THERE LESS USD HERE"], ...sums])}\n`);
  const total = (of: (row: Compared) => Entry | undefined): bigint =>
    rows.reduce((sum, row) => sum + (of(row)?.costNanoUsd ?? 0n), 0n);
  const [ours, theirs] = [total((row) => row.ours), total((row) => row.theirs)];
  const equal = rows.filter(({ parts }) => parts.length === 0).length;
  print(`${rows.length} ${nounOf[what]}, ${equal} equal. ${usdText(ours)} USD here, ${usdText(theirs)} USD there.`);
}
