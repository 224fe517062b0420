import type { DatabaseClock } from "@uag/mongo/database-clock";
import { isContended } from "@uag/mongo/errors";
import * as mongo from "@uag/mongo/transaction";
import type { ClientSession } from "mongoose";
import { toStoreError } from "./errors.ts";

/** A transaction under way. */
export interface Transaction {
  readonly session: ClientSession;
  /** The database's time at which it began: the time of everything it writes. */
  readonly at: Date;
}

/** {@link inTransaction} on billing's own connection. */
export type Transact = <T>(work: (transaction: Transaction) => Promise<T>) => Promise<T>;

/**
 * Runs `work` in one transaction until it is committed: see `inTransaction` of `@uag/mongo`.
 * @throws {GatewayError} `service_unavailable` after 4 s without success; the outcome may be
 * unknown then, so callers repeat with the same ids. With `yields`, whatever was thrown when
 * another transaction won.
 */
export async function inTransaction<T>(
  options: mongo.TransactionOptions,
  work: (session: ClientSession, again: boolean) => Promise<T>,
): Promise<T> {
  try {
    return await mongo.inTransaction(options, work);
  } catch (error) {
    throw options.yields && isContended(error) ? error : toStoreError(error);
  }
}

/** Transactions that know when they began, by the database's clock. */
export const transactionsAt =
  (clock: Pick<DatabaseClock, "moment">, options: mongo.TransactionOptions): Transact =>
  (work) =>
    inTransaction(options, async (session) => await work({ session, at: new Date(await clock.moment()) }));
