import { GatewayError } from "@uag/kit/errors.ts";
import type { ClientSession } from "mongoose";
import type { Grant, HolderState } from "../grants/grant.ts";
import { type Book, type Needs, type Operation, WorkingBook } from "../ledger/book.ts";
import type { Money } from "../ledger/money.ts";
import { type AccountDocument, accountState } from "./accounts.ts";
import { readBudgets, writeSpending } from "./budgets.ts";
import { type GrantDocument, grantDocument, grantOf } from "./grants.ts";
import type { HolderDocument } from "./holders.ts";
import { type EntryDocument, entryDocument } from "./ledger.ts";
import type { Store } from "./store.ts";
import { inTransaction, type TransactionOptions } from "./transaction.ts";

export type CommitOptions = Omit<TransactionOptions, "connection"> & { readonly store: Store };

export type Decided = { readonly ok: true; readonly answer: unknown } | { readonly ok: false; readonly error: unknown };

const idsOf = (operations: readonly Operation<unknown>[], part: keyof Needs): string[] => [
  ...new Set(operations.flatMap((operation) => operation.needs[part] ?? [])),
];

async function readGrants(
  store: Store,
  session: ClientSession,
  operations: readonly Operation<unknown>[],
): Promise<Grant[]> {
  const accountId = operations[0]?.accountId ?? "";
  const ids = idsOf(operations, "grants");
  const requests = idsOf(operations, "grantRequests");
  const found: GrantDocument[] = [];
  if (ids.length > 0)
    found.push(
      ...(await store.grants
        .find({ _id: { $in: ids }, accountId })
        .session(session)
        .lean<GrantDocument[]>()),
    );
  if (requests.length > 0)
    found.push(
      ...(await store.grants
        .find({ requestId: { $in: requests } })
        .session(session)
        .lean<GrantDocument[]>()),
    );
  return found.map(grantOf);
}

async function readEntries(store: Store, session: ClientSession, ids: string[]): Promise<Map<string, Money>> {
  if (ids.length === 0) return new Map();
  const columns = { available: 1, held: 1, charged: 1, writtenOff: 1, toppedUp: 1 };
  const rows = await store.ledger
    .find({ _id: { $in: ids } }, columns)
    .session(session)
    .lean<EntryDocument[]>();
  return new Map(rows.map((row) => [row._id, row]));
}

async function readHolders(store: Store, session: ClientSession, ids: string[]): Promise<Map<string, HolderState>> {
  if (ids.length === 0) return new Map();
  const holders = await store.holders
    .find({ _id: { $in: ids } }, { state: 1 })
    .session(session)
    .lean<HolderDocument[]>();
  return new Map(holders.map((holder) => [holder._id, holder.state]));
}

/**
 * Reads the account by writing to it: whoever comes second loses at its first statement and not at its last, so a long
 * transaction is never undone by a stream of short ones.
 */
async function takeBook(
  store: Store,
  session: ClientSession,
  operations: readonly Operation<unknown>[],
  again: boolean,
): Promise<Book | undefined> {
  const account = await store.accounts
    .findOneAndUpdate(
      { _id: operations[0]?.accountId ?? "" },
      { $inc: { version: 1n } },
      { session, returnDocument: "after" },
    )
    .lean<AccountDocument>();
  if (account === null) return undefined;
  const nowMs = Date.now();
  const keyIds = idsOf(operations, "budgets");
  const budgets = await readBudgets(store, session, { keyIds, accountId: account._id, nowMs });
  const grants = [...budgets.grants, ...(await readGrants(store, session, operations))];
  const looksFirst = operations.filter((operation) => again || operation.expectsNewEntries !== true);
  return {
    account: accountState(account),
    grants: new Map(grants.map((grant) => [grant.id, grant])),
    grantsByRequest: new Map(grants.map((grant) => [grant.requestId, grant])),
    holders: await readHolders(store, session, idsOf(operations, "holders")),
    entries: await readEntries(store, session, idsOf(looksFirst, "entries")),
    budgets: budgets.budgets,
    spent: budgets.spent,
    nowMs,
  };
}

async function write(store: Store, session: ClientSession, book: WorkingBook): Promise<void> {
  if (book.newEntries.length > 0) {
    await store.ledger.collection.insertMany(book.newEntries.map(entryDocument) as never[], { session });
    const { money, seq, head, id } = book.account;
    const set = { ...money, seq, head };
    await store.accounts.collection.updateOne({ _id: id as never }, { $set: set }, { session });
  }
  await writeSpending(store, session, book);
  if (book.changedGrants.size > 0) {
    const writes = [...book.changedGrants.values()].map((grant) => ({
      replaceOne: { filter: { _id: grant.id as never }, replacement: grantDocument(grant) as never, upsert: true },
    }));
    await store.grants.collection.bulkWrite(writes, { session });
  }
}

function decide(book: WorkingBook, operation: Operation<unknown>): Decided {
  try {
    return { ok: true, answer: book.run(operation) };
  } catch (error) {
    return { ok: false, error };
  }
}

/**
 * Decides operations of one account, one after the other, and commits all their changes in one transaction. A refused
 * operation changes nothing and hinders none of the others. Nothing is answered before it is committed, not even "this
 * was done already": an answer that rested on a row which a failover then undid would lose money.
 */
export async function commitOperations(
  options: CommitOptions,
  operations: readonly Operation<unknown>[],
): Promise<{ decided: Decided[]; availableRose: boolean }> {
  const { store } = options;
  return inTransaction({ ...options, connection: store.connection }, async (session, again) => {
    const read = await takeBook(store, session, operations, again);
    if (read === undefined) {
      const error = new GatewayError("not_found", "There is no such account.", { param: "account_id" });
      return { decided: operations.map(() => ({ ok: false as const, error })), availableRose: false };
    }
    const book = new WorkingBook(read);
    const decided = operations.map((operation) => decide(book, operation));
    await write(store, session, book);
    return { decided, availableRose: book.newEntries.some((entry) => entry.availableNanoUsd > 0n) };
  });
}
