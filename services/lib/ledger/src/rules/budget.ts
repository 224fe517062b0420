import { budgetOfLevel, isEndUserLevel } from "@uag/contract/end-users";
import type { budgetPeriods } from "@uag/contract/responses/admin-budgets";
import { type Grant, isLive, leftOf } from "./grant.ts";
import { smaller } from "./money.ts";

/** The calendar month (UTC) of a booking, as `2026-01`. */
export function monthOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 7);
}

export type BudgetPeriod = (typeof budgetPeriods)[number];

/** The most levels of a tree of budgets. */
export const maxBudgetLevels = 4;

/** A budget that keys share, as far as grants depend on it. */
export interface SharedBudget {
  readonly id: string;
  readonly name: string;
  /** Nano-USD. */
  readonly amount: bigint;
  readonly period: BudgetPeriod;
  /** False: it limits nothing. */
  readonly hard: boolean;
  /** For an envelope: from then on no grant is issued, Unix milliseconds. Absent: it is none. */
  readonly endsAtMs?: number;
}

/** The most levels of envelopes, above which are the budgets of the key that opened the highest. */
export const maxEnvelopeLevels = 4;

/** Start and end of the period (UTC) that contains a time, Unix milliseconds; a week begins on Monday. */
export function periodAt(period: Exclude<BudgetPeriod, "total">, ms: number): { startMs: number; endMs: number } {
  const now = new Date(ms);
  const [year, month, day] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()];
  if (period === "month") return { startMs: Date.UTC(year, month), endMs: Date.UTC(year, month + 1) };
  const first = period === "day" ? day : day - ((now.getUTCDay() + 6) % 7);
  return { startMs: Date.UTC(year, month, first), endMs: Date.UTC(year, month, first + (period === "day" ? 1 : 7)) };
}

/** When a budget's current period ends, Unix milliseconds; 0: never. */
export function resetOf(period: BudgetPeriod, nowMs: number): number {
  return period === "total" ? 0 : periodAt(period, nowMs).endMs;
}

/** A shared budget, or an end user's part of it, that does not cover a request. */
export interface ExceededBudget {
  /** The budget's. */
  readonly id: string;
  readonly name: string;
  /** Unix milliseconds; 0: never. */
  readonly resetsAtMs: number;
  readonly envelope: boolean;
  readonly endUser: boolean;
}

/** A limit on what a grant may take, nano-USD. */
export interface BudgetLimit {
  /** The amount minus what was charged in this period and what live grants still hold; at least 0. */
  readonly available: bigint;
  readonly held: bigint;
  /** Undefined: the key's own monthly budget. */
  readonly budget?: ExceededBudget;
}

/** What budgets are decided by, from one snapshot. */
export interface BudgetBook {
  /** Monthly budgets by key, nano-USD; `grants` contains the live grants of these keys. */
  readonly budgets: ReadonlyMap<string, bigint>;
  /** By id; `grants` contains the live grants that count toward them. */
  readonly sharedBudgets: ReadonlyMap<string, SharedBudget>;
  /** Charged in the current period by key and by shared budget, for those of both, nano-USD. */
  readonly spent: ReadonlyMap<string, bigint>;
  readonly grants: ReadonlyMap<string, Grant>;
  readonly nowMs: number;
}

/** Whose budgets limit a grant: see `AcquireGrant`. */
interface BudgetHolder {
  readonly keyId: string;
  readonly budgetIds: readonly string[];
}

/** The budgets that limit a grant: the shared ones from the highest down, then the key's own. */
export function budgetLimits(book: BudgetBook, { keyId, budgetIds }: BudgetHolder): BudgetLimit[] {
  const limits: BudgetLimit[] = [];
  for (const id of budgetIds.toReversed()) {
    const shared = book.sharedBudgets.get(id);
    if (!shared?.hard) continue;
    const { name, period, endsAtMs } = shared;
    const amount = endsAtMs !== undefined && endsAtMs <= book.nowMs ? 0n : shared.amount;
    const limit = limitOf(book, { id, amount, counts: ({ budgetIds }) => budgetIds.includes(id) });
    const resetsAtMs = resetOf(period, book.nowMs);
    const kind = { envelope: endsAtMs !== undefined, endUser: isEndUserLevel(id) };
    limits.push({ ...limit, budget: { id: budgetOfLevel(id), name, resetsAtMs, ...kind } });
  }
  const own = book.budgets.get(keyId) ?? 0n;
  if (own > 0n) limits.push(limitOf(book, { id: keyId, amount: own, counts: (grant) => grant.keyId === keyId }));
  return limits;
}

/** What the envelopes among these limits leave, nano-USD; undefined: there are none. */
export function envelopeLeft(limits: readonly BudgetLimit[]): bigint | undefined {
  const left = limits.flatMap(({ budget, available }) => (budget?.envelope ? [available] : []));
  return left.length === 0 ? undefined : left.reduce(smaller);
}

interface Counted {
  /** Of the budget, or of the key for its own. */
  readonly id: string;
  readonly amount: bigint;
  /** Whether a grant counts toward it. */
  counts(grant: Grant): boolean;
}

function limitOf(book: BudgetBook, { id, amount, counts }: Counted): BudgetLimit {
  let held = 0n;
  for (const grant of book.grants.values()) if (isLive(grant) && counts(grant)) held += leftOf(grant);
  const available = amount - (book.spent.get(id) ?? 0n) - held;
  return { available: available > 0n ? available : 0n, held };
}
