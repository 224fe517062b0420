import { setTimeout as sleep } from "node:timers/promises";
import { GatewayError } from "@uag/contract/errors/gateway-error.ts";
import { crashPoint } from "@uag/kit/crash-point.ts";
import { type ClientSession, type Connection, mongo } from "mongoose";
import { isStoreUnavailable, isStoreUnreachable, toStoreError } from "./errors.ts";

/** How long a transaction is tried again: less than a caller's usual patience of 5 s. */
const patienceMs = 4_000;
const firstBackoffMs = 2;
const largestBackoffMs = 25;
/** Losing for this long to a living transaction is not usual: they take milliseconds. */
const stuckMs = 500;
export const duplicateKey = 11000;

export interface TransactionOptions {
  readonly connection: Connection;
  /** Called before each further try. */
  readonly onRetry: () => void;
  /** Called after each that was committed. */
  readonly onCommit?: () => void;
  /** Called when others have been in the way for half a second: see to it that they are alive. */
  readonly unblock: () => Promise<void>;
  /** True: what has lost against another transaction is not tried again, but thrown as it is. Default false. */
  readonly yields?: boolean;
}

/** {@link inTransaction} on billing's own connection. */
export type Transact = <T>(work: (session: ClientSession) => Promise<T>) => Promise<T>;

/** True when the whole transaction should run again: it lost against another one, or its server went away. */
function mayRunAgain(error: unknown): boolean {
  // The driver has looked for a server for as long as a caller should wait.
  if (error instanceof mongo.MongoServerSelectionError) return false;
  return isStoreUnavailable(error) || (error instanceof mongo.MongoError && error.code === duplicateKey);
}

const contendedCodes: ReadonlySet<unknown> = new Set([112, duplicateKey]);

/** True when the transaction met another one's changes. */
export function isContended(error: unknown): boolean {
  return error instanceof mongo.MongoError && contendedCodes.has(error.code);
}

async function commit(session: ClientSession, deadline: number, onRetry: () => void): Promise<void> {
  for (;;) {
    try {
      await session.commitTransaction();
      return;
    } catch (error) {
      const unknown = error instanceof mongo.MongoError && error.hasErrorLabel("UnknownTransactionCommitResult");
      if (!unknown || performance.now() > deadline) throw error;
      onRetry();
      await sleep(Math.random() * largestBackoffMs);
    }
  }
}

async function attempt<T>(
  session: ClientSession,
  work: (session: ClientSession) => Promise<T>,
  options: { deadline: number; onRetry: () => void },
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
    // The server drops a transaction that nobody ends; the first error is the one worth telling.
    if (session.inTransaction()) await session.abortTransaction().catch(() => undefined);
    throw error;
  }
}

/**
 * Runs `work` in one transaction (snapshot reads, majority and journalled commit) until it is committed. `work` may run
 * several times; it gets true from the second time on.
 * @throws {GatewayError} `service_unavailable` after 4 s without success; the outcome may be unknown then, so callers
 *   repeat with the same ids.
 */
export async function inTransaction<T>(
  options: TransactionOptions,
  work: (session: ClientSession, again: boolean) => Promise<T>,
): Promise<T> {
  const started = performance.now();
  const deadline = started + patienceMs;
  for (let tries = 0; ; tries++) {
    try {
      // One session a try: after a network error the driver may not reuse it.
      await using session = await options.connection.startSession();
      const done = await attempt(session, (own) => work(own, tries > 0), { deadline, onRetry: options.onRetry });
      options.onCommit?.();
      return done;
    } catch (error) {
      if (options.yields && isContended(error)) throw error;
      if (error instanceof GatewayError || !mayRunAgain(error)) throw toStoreError(error);
      const backoffMs = Math.min(largestBackoffMs, firstBackoffMs * 2 ** Math.min(tries, 5)) * Math.random();
      if (performance.now() + backoffMs > deadline) throw toStoreError(error);
      options.onRetry();
      if (performance.now() - started > stuckMs && !isStoreUnreachable(error)) await options.unblock();
      await sleep(backoffMs);
    }
  }
}
