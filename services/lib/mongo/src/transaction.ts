import { setTimeout as sleep } from "node:timers/promises";
import { backoffMs, fullJitter } from "@uag/runtime/backoff";
import { crashPoint } from "@uag/runtime/crash-point";
import { type ClientSession, type Connection, mongo } from "mongoose";
import { isContended, isDuplicate, isUnavailable, isUnreachable } from "./errors.ts";

/** How long a transaction is retried: less than a caller's usual timeout of 5 s. */
const patienceMs = 4_000;
const backoff = { firstMs: 2, maxMs: 25 };
/** Losing to a live transaction for this long is unusual: they take milliseconds. */
const stuckMs = 500;

/** The connection a transaction runs on, and its callbacks. */
export interface TransactionOptions {
  readonly connection: Connection;
  /** Called before each retry. */
  readonly onRetry?: () => void;
  /** Called after each commit. */
  readonly onCommit?: () => void;
  /** Called after half a second of conflicts: aborts transactions of dead processes. */
  readonly unblock: () => Promise<unknown>;
  /**
   * True: a transaction that lost to another one is not retried, and its error is thrown as is.
   * Default false.
   */
  readonly yields?: boolean;
}

/**
 * True when the whole transaction should be retried: it lost to another one, or its server became
 * unavailable.
 */
function mayRunAgain(error: unknown): boolean {
  // The driver has already looked for a server for as long as a caller should wait.
  if (error instanceof mongo.MongoServerSelectionError) return false;
  return isUnavailable(error) || isDuplicate(error);
}

async function commit(session: ClientSession, deadline: number, onRetry?: () => void): Promise<void> {
  for (;;) {
    try {
      await session.commitTransaction();
      return;
    } catch (error) {
      const unknown = error instanceof mongo.MongoError && error.hasErrorLabel("UnknownTransactionCommitResult");
      if (!unknown || performance.now() > deadline) throw error;
      onRetry?.();
      await sleep(fullJitter(backoff.maxMs));
    }
  }
}

async function attempt<T>(
  session: ClientSession,
  work: (session: ClientSession) => Promise<T>,
  options: { deadline: number; onRetry: (() => void) | undefined },
): Promise<T> {
  session.startTransaction({
    readConcern: { level: "snapshot" },
    writeConcern: { w: "majority", j: true },
    readPreference: "primary",
  });
  try {
    const result = await work(session);
    crashPoint("in-transaction");
    await commit(session, options.deadline, options.onRetry);
    crashPoint("committed");
    return result;
  } catch (error) {
    // The server drops a transaction that is never ended; the first error is the one worth
    // reporting.
    if (session.inTransaction()) await session.abortTransaction().catch(() => undefined);
    throw error;
  }
}

/**
 * Runs `work` in one transaction (snapshot reads, majority and journalled commit) until it is
 * committed. `work` may run several times; its second argument is true on every retry.
 * @throws the last attempt's error after 4 s without success, and immediately any error that a
 * retry cannot fix. Whether the transaction was committed may then be unknown, so callers repeat
 * with the same ids.
 */
export async function inTransaction<T>(
  options: TransactionOptions,
  work: (session: ClientSession, again: boolean) => Promise<T>,
): Promise<T> {
  const started = performance.now();
  const deadline = started + patienceMs;
  for (let tries = 0; ; tries++) {
    try {
      // One session per attempt: after a network error the driver may not reuse it.
      await using session = await options.connection.startSession();
      const done = await attempt(session, (own) => work(own, tries > 0), { deadline, onRetry: options.onRetry });
      options.onCommit?.();
      return done;
    } catch (error) {
      if ((options.yields && isContended(error)) || !mayRunAgain(error)) throw error;
      const delayMs = fullJitter(backoffMs(tries, backoff));
      if (performance.now() + delayMs > deadline) throw error;
      options.onRetry?.();
      if (performance.now() - started > stuckMs && !isUnreachable(error)) await options.unblock();
      await sleep(delayMs);
    }
  }
}
