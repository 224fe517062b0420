/** What an account consists of, or what a ledger row changes of it. Nano-USD (1e-9 USD). */
export interface Money {
  readonly available: bigint;
  readonly held: bigint;
  readonly charged: bigint;
  readonly writtenOff: bigint;
  readonly toppedUp: bigint;
}

export const noMoney: Money = { available: 0n, held: 0n, charged: 0n, writtenOff: 0n, toppedUp: 0n };

/**
 * The largest amount that one top-up, hold or cost may have: a billion USD, far from the end of
 * int64.
 */
export const maxAmount = 1_000_000_000_000_000_000n;

/** The largest an account may grow: what is left of int64 after one more row. */
export const maxTotal = 8_000_000_000_000_000_000n;

export function addMoney(a: Money, b: Money): Money {
  return {
    available: a.available + b.available,
    held: a.held + b.held,
    charged: a.charged + b.charged,
    writtenOff: a.writtenOff + b.writtenOff,
    toppedUp: a.toppedUp + b.toppedUp,
  };
}

/** What was held and is charged now. */
export function moved(amount: bigint): Money {
  return { ...noMoney, held: -amount, charged: amount };
}

/** What a row repays of what was written off. */
export function repaymentOf(change: Money): bigint {
  return larger(0n, -change.writtenOff);
}

/**
 * True when what came in equals where it is now. Holds for every row's changes and so for every
 * account.
 */
export function isBalanced(money: Money): boolean {
  return money.toppedUp === money.available + money.held + money.charged + money.writtenOff;
}

/** True for balances that an account may have: balanced, and nothing below zero. */
export function isSound(money: Money): boolean {
  return isBalanced(money) && Object.values(money).every((amount: bigint) => amount >= 0n);
}

export const smaller = (a: bigint, b: bigint): bigint => (a < b ? a : b);
export const larger = (a: bigint, b: bigint): bigint => (a > b ? a : b);
