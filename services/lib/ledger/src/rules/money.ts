/** An account's balances, or a ledger row's change to them. Nano-USD (1e-9 USD). */
export interface Money {
  readonly available: bigint;
  readonly held: bigint;
  readonly charged: bigint;
  readonly writtenOff: bigint;
  readonly toppedUp: bigint;
}

export const noMoney: Money = { available: 0n, held: 0n, charged: 0n, writtenOff: 0n, toppedUp: 0n };

/**
 * The largest amount of one top-up, hold or cost: a billion USD, far below the maximum of int64.
 */
export const maxAmount = 1_000_000_000_000_000_000n;

/** The largest total of an account: it leaves room in int64 for one more row. */
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

/** Money moved from held to charged. */
export function moved(amount: bigint): Money {
  return { ...noMoney, held: -amount, charged: amount };
}

/** A write-off is charged after all, and the credit we gave for it is taken back. */
export function repaid(amount: bigint): Money {
  return { available: -amount, held: 0n, charged: amount, writtenOff: -amount, toppedUp: -amount };
}

/** What a row bills: the part that money covered, and the part that was written off. */
export function billedOf({ charged, writtenOff }: Money): bigint {
  return charged + writtenOff;
}

/**
 * True when all money that came in is accounted for. Holds for every row's change and so for every
 * account.
 */
export function isBalanced(money: Money): boolean {
  return money.toppedUp === money.available + money.held + money.charged + money.writtenOff;
}

/**
 * True for balances an account may have: balanced, none negative, and none beyond
 * {@link maxTotal}. The database would store a larger one wrapped around.
 */
export function isSound(money: Money): boolean {
  return isBalanced(money) && Object.values(money).every((amount: bigint) => amount >= 0n && amount <= maxTotal);
}

export const smaller = (a: bigint, b: bigint): bigint => (a < b ? a : b);
export const larger = (a: bigint, b: bigint): bigint => (a > b ? a : b);
