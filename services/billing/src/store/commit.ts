import { GatewayError } from "@uag/contract/errors/gateway-error";
import { grantDocument } from "@uag/ledger/documents/grants";
import { entryDocument } from "@uag/ledger/documents/ledger";
import type { Store } from "@uag/ledger/documents/store";
import { type Operation, WorkingBook } from "@uag/ledger/rules/book";
import type { DatabaseClock } from "@uag/mongo/database-clock";
import type { TransactionOptions } from "@uag/mongo/transaction";
import type { ClientSession } from "mongoose";
import { countSpending } from "../spend/count.ts";
import { writeSpending } from "./budgets.ts";
import { type Line, readBooks, readHolders } from "./read-book.ts";
import type { NextSeq } from "./sequence.ts";
import { inTransaction } from "./transaction.ts";

export interface CommitOptions extends Omit<TransactionOptions, "connection"> {
  readonly store: Store;
  readonly clock: Pick<DatabaseClock, "moment">;
  /** Begins the numbering of a transaction's rows at its time, Unix milliseconds. */
  readonly sequence: (nowMs: number) => NextSeq;
}

export type Decided =
  | { readonly ok: true; readonly response: unknown }
  | { readonly ok: false; readonly error: unknown };

/** The outcome of one account's operations, in order. */
export interface Committed {
  readonly decided: readonly Decided[];
  readonly availableRose: boolean;
}

interface Writing {
  readonly store: Store;
  readonly session: ClientSession;
  /** The transaction's time, Unix milliseconds. */
  readonly nowMs: number;
}

async function write({ store, session, nowMs }: Writing, books: readonly WorkingBook[]): Promise<void> {
  const changed = books.filter(({ newEntries }) => newEntries.length > 0);
  if (changed.length === 0) return;
  const rows = changed.flatMap(({ newEntries }) => newEntries.map(entryDocument));
  await store.ledger.collection.insertMany(rows as never[], { session });
  const accounts = changed.map(({ account: { id, money, repaid, seq, head } }) => ({
    updateOne: { filter: { _id: id as never }, update: { $set: { ...money, repaid, seq, head } } },
  }));
  await store.accounts.collection.bulkWrite(accounts, { session });
  await writeSpending(
    { store, session },
    changed.flatMap(({ newSpending }) => newSpending.charges),
    nowMs,
  );
  await countSpending(
    { store, session },
    changed.flatMap(({ newEntries }) => newEntries),
    nowMs,
  );
  const grants = changed.flatMap(({ changedGrants }) =>
    [...changedGrants.values()].map((grant) => ({
      replaceOne: {
        filter: { _id: grant.id as never, accountId: grant.accountId },
        replacement: grantDocument(grant, nowMs) as never,
        upsert: true,
      },
    })),
  );
  if (grants.length > 0) await store.grants.collection.bulkWrite(grants, { session });
}

function decide(book: WorkingBook, operation: Operation<unknown>): Decided {
  try {
    return { ok: true, response: book.run(operation) };
  } catch (error) {
    return { ok: false, error };
  }
}

function noAccount(line: Line): Committed {
  const error = new GatewayError("not_found", "The account does not exist.", { param: "account_id" });
  return { decided: line.operations.map(() => ({ ok: false as const, error })), availableRose: false };
}

/**
 * Decides operations of several accounts, those of each account in order, and commits all changes
 * in one transaction. A refused operation changes nothing and does not affect the others. Nothing
 * is reported before the commit, not even "already done": a result based on a row that a failover
 * then rolls back would lose money.
 * @param lines of different accounts
 * @param known part of this was tried before, so rows may exist already
 */
export async function commitLines(
  options: CommitOptions,
  lines: readonly Line[],
  known: boolean,
): Promise<readonly Committed[]> {
  const { store, clock, sequence } = options;
  return inTransaction({ ...options, connection: store.connection }, async (session, retried) => {
    const again = known || retried;
    const holders = await readHolders(store, lines);
    const nowMs = await clock.moment();
    const read = await readBooks({ store, session, again, nowMs, nextSeq: sequence(nowMs) }, lines, holders);
    const books = new Map([...read].map(([id, book]) => [id, new WorkingBook(book)]));
    const committed = lines.map((line): Committed => {
      const book = books.get(line.accountId);
      if (book === undefined) return noAccount(line);
      const decided = line.operations.map((operation) => decide(book, operation));
      return { decided, availableRose: book.newEntries.some((entry) => entry.availableNanoUsd > 0n) };
    });
    await write({ store, session, nowMs }, [...books.values()]);
    return committed;
  });
}
