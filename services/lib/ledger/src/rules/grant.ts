/**
 * `open`: requests may be admitted on it. `closed`: no more are admitted, and its spending is still
 * to be settled. `finished`: closed, and all its spending is settled. `released`: taken back,
 * because its holder or its task is gone.
 */
export type GrantState = "open" | "closed" | "finished" | "released";

/** Money reserved for a holder ahead of need. Nano-USD. */
export interface Grant {
  readonly id: string;
  readonly accountId: string;
  /** Set when only this key, which has a budget of its own, may spend it. */
  readonly keyId: string;
  /** The shared budgets that it counts toward: that of its keys, then those above it. */
  readonly budgetIds: readonly string[];
  readonly holderId: string;
  /** Id of the Acquire call that asked for it. */
  readonly requestId: string;
  readonly amount: bigint;
  readonly returned: bigint;
  /** Total charged to it. */
  readonly settled: bigint;
  /**
   * The part of `settled` that the account's own columns already include; see {@link unfoldedOf}.
   */
  readonly folded: bigint;
  /** Seq of the last ledger row that changed it. */
  readonly seq: bigint;
  /** Hash of the last row in its own chain. */
  readonly head: Buffer;
  readonly state: GrantState;
  /**
   * 0: bound to its holder's heartbeat. Otherwise bound to a task, until this time (unix
   * milliseconds).
   */
  readonly taskUntilMs: number;
  readonly createdAtMs: number;
}

/** What the grant still holds of its account's money. */
export function leftOf(grant: Grant): bigint {
  return grant.amount - grant.returned - grant.settled;
}

/**
 * Charged to the grant since its account's row was last written: the account has that much less
 * held and that much more charged than its row says.
 */
export function unfoldedOf(grant: Grant): bigint {
  return grant.settled - grant.folded;
}

export function isLive(grant: Grant): boolean {
  return grant.state === "open" || grant.state === "closed";
}

/**
 * `alive` until its lease expires (`orphaned`) or it is closed; `gone` once nothing of it is left
 * to release.
 */
export type HolderState = "alive" | "orphaned" | "closed" | "gone";
