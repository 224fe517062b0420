/**
 * `open`: requests may be admitted on it. `closed`: no more are, and what was spent waits to be
 * settled. `finished`: closed, and all that was spent is settled. `released`: taken back, because
 * its holder or its task is gone.
 */
export type GrantState = "open" | "closed" | "finished" | "released";

/** Money handed to a holder ahead of need. Nano-USD. */
export interface Grant {
  readonly id: string;
  readonly accountId: string;
  /** Set when only this key may spend it, because it has a budget of its own. */
  readonly keyId: string;
  readonly holderId: string;
  /** The Acquire that asked for it. */
  readonly requestId: string;
  readonly amount: bigint;
  readonly returned: bigint;
  /** Charged to it in all. */
  readonly settled: bigint;
  /** The part of `settled` that its account's own columns have taken up; see {@link unfoldedOf}. */
  readonly folded: bigint;
  /** Of the last ledger row that changed it. */
  readonly seq: bigint;
  /** Hash of the last row in its own chain. */
  readonly head: Buffer;
  readonly state: GrantState;
  /**
   * 0: bound to its holder's heartbeat. Else bound to a task, until this time (unix milliseconds).
   */
  readonly taskUntilMs: number;
  readonly createdAtMs: number;
}

/** What the grant still holds of its account's money. */
export function leftOf(grant: Grant): bigint {
  return grant.amount - grant.returned - grant.settled;
}

/**
 * What was charged to the grant since its account's row was last written: the account has that much
 * less held and that much more charged than its row says.
 */
export function unfoldedOf(grant: Grant): bigint {
  return grant.settled - grant.folded;
}

export function isLive(grant: Grant): boolean {
  return grant.state === "open" || grant.state === "closed";
}

/**
 * `alive` until its lease runs out (`orphaned`) or it is closed; `gone` once nothing of it is left
 * to release.
 */
export type HolderState = "alive" | "orphaned" | "closed" | "gone";
