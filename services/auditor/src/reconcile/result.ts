/** One figure of a day: ours and the provider's, of one model in one unit. */
export interface Cell {
  /** As the provider reports it, without a snapshot's date; empty for a day's total. */
  readonly model: string;
  /** A unit of prices, or {@link costUnit}. */
  readonly unit: string;
  /** Null: we do not count it. */
  readonly ours: bigint | null;
  /** Null: the provider does not publish it. */
  readonly theirs: bigint | null;
  /** Part of ours, or of a neighboring day's, that the provider may count in either day. */
  readonly slack: bigint;
  readonly state: CellState;
}

/** `not_comparable`: one side does not count it; only the cost is compared. */
type CellState = "agrees" | "drifts" | "not_comparable";

/** Money, in nano-USD. */
export const costUnit = "cost_nano_usd";

/**
 * - `agrees`: every figure is within the tolerance
 * - `drifts`: one is not
 * - `unreadable`: the provider's figures, or ours, could not be read; never taken for 0
 */
type DayState = "agrees" | "drifts" | "unreadable";

/** One day (UTC) of one provider, compared. */
export interface DayResult {
  readonly provider: string;
  /** As `2026-11-24`. */
  readonly day: string;
  readonly state: DayState;
  /** False while the provider may still add to the day: its drift is not a fault yet. */
  readonly settled: boolean;
  /** Why something could not be read, one sentence each. */
  readonly unreadable: readonly string[];
  /** Our requests that reached the provider, and those of them that are billed by estimate. */
  readonly requests: bigint;
  readonly estimated: bigint;
  readonly cells: readonly Cell[];
}

/** What part of the provider's figure is accounted for by ours, in 1/100 %; null without one. */
export function coverageOf({ ours, theirs }: Pick<Cell, "ours" | "theirs">): bigint | null {
  if (ours === null || theirs === null) return null;
  if (theirs === 0n) return ours === 0n ? 10_000n : null;
  return (ours * 10_000n) / theirs;
}

/** Of a command that compares: 2 when a day drifts, 3 when one could not be compared, else 0. */
export function exitCodeOf(days: readonly DayResult[]): 0 | 2 | 3 {
  if (days.some(({ cells }) => cells.some(({ state }) => state === "drifts"))) return 2;
  return days.some(({ state }) => state === "unreadable") ? 3 : 0;
}
