import { type AccountDocument, accountState } from "@uag/ledger/documents/accounts";
import { type GrantDocument, grantOf } from "@uag/ledger/documents/grants";
import type { HolderDocument } from "@uag/ledger/documents/holders";
import type { EntryDocument } from "@uag/ledger/documents/ledger";
import type { Store } from "@uag/ledger/documents/store";
import type { Book, Needs, Operation } from "@uag/ledger/rules/book";
import type { Grant, HolderState } from "@uag/ledger/rules/grant";
import type { Money } from "@uag/ledger/rules/money";
import type { ClientSession } from "mongoose";
import { readBudgets } from "./budgets.ts";
import type { NextSeq } from "./sequence.ts";

/** Operations of one account, decided in order. */
export interface Line {
  readonly accountId: string;
  readonly operations: readonly Operation<unknown>[];
}

export interface ReadOptions {
  readonly store: Store;
  readonly session: ClientSession;
  /** This is a retry: nothing is assumed, everything is looked up. */
  readonly again: boolean;
  /** The transaction's time by the database's clock, Unix milliseconds. */
  readonly nowMs: number;
  readonly nextSeq: NextSeq;
}

/**
 * Hints the primary key, the cheapest access to rows with known ids, even where another index
 * begins with the account.
 */
const byId = { _id: 1 } as const;

const idsOf = (lines: readonly Line[], part: keyof Needs, wanted?: (operation: Operation<unknown>) => boolean) => [
  ...new Set(
    lines.flatMap(({ operations }) =>
      operations.flatMap((operation) => ((wanted?.(operation) ?? true) ? (operation.needs[part] ?? []) : [])),
    ),
  ),
];

async function readGrants({ store, session }: ReadOptions, lines: readonly Line[], accountIds: string[]) {
  const found: GrantDocument[] = [];
  const accountId = { $in: accountIds };
  const ids = idsOf(lines, "grants");
  const requests = idsOf(lines, "grantRequests");
  const find = async (filter: object, hint: Record<string, 1>): Promise<void> => {
    found.push(
      ...(await store.grants
        .find({ accountId, ...filter })
        .hint(hint)
        .session(session)
        .lean<GrantDocument[]>()),
    );
  };
  if (ids.length > 0) await find({ _id: { $in: ids } }, byId);
  if (requests.length > 0) await find({ requestId: { $in: requests } }, { accountId: 1, requestId: 1 });
  return found.map(grantOf);
}

async function readEntries(
  { store, session, again }: ReadOptions,
  lines: readonly Line[],
  accountIds: string[],
): Promise<EntryDocument[]> {
  const ids = idsOf(lines, "entries", (operation) => again || operation.expectsNewEntries !== true);
  if (ids.length === 0) return [];
  const columns = { accountId: 1, available: 1, held: 1, charged: 1, writtenOff: 1, toppedUp: 1 };
  return await store.ledger
    .find({ _id: { $in: ids }, accountId: { $in: accountIds } }, columns)
    .hint(byId)
    .session(session)
    .lean<EntryDocument[]>();
}

/**
 * Read outside the transaction, which would otherwise span two shards: a grant made to a holder
 * that was just fenced is found by the holder's second sweep.
 */
export async function readHolders(store: Store, lines: readonly Line[]): Promise<Map<string, HolderState>> {
  const ids = idsOf(lines, "holders");
  if (ids.length === 0) return new Map();
  const holders = await store.holders
    .find({ _id: { $in: ids } }, { state: 1 })
    .read("primary")
    .readConcern("majority")
    .lean<HolderDocument[]>();
  return new Map(holders.map((holder) => [holder._id, holder.state]));
}

/**
 * A retry writes to the accounts first: a later transaction then loses at its first statement, and
 * a stream of short ones cannot keep aborting a long one.
 */
async function readAccounts({ store, session, again }: ReadOptions, ids: string[]): Promise<AccountDocument[]> {
  const filter = { _id: { $in: ids } };
  if (again) await store.accounts.updateMany(filter, { $inc: { version: 1n } }, { session });
  return await store.accounts.find(filter).session(session).lean<AccountDocument[]>();
}

/** Reads what the lines' operations need, by account; accounts that do not exist are missing. */
export async function readBooks(
  options: ReadOptions,
  lines: readonly Line[],
  holders: ReadonlyMap<string, HolderState>,
): Promise<Map<string, Book>> {
  const ids = lines.map(({ accountId }) => accountId);
  const accounts = await readAccounts(options, ids);
  const { nowMs, nextSeq } = options;
  const { grants: counted, ...budgets } = await readBudgets(options, {
    keyIds: idsOf(lines, "budgets"),
    budgetIds: idsOf(lines, "sharedBudgets"),
    accountIds: ids,
    nowMs,
  });
  const grants = Map.groupBy([...counted, ...(await readGrants(options, lines, ids))], (one) => one.accountId);
  const entries = Map.groupBy(await readEntries(options, lines, ids), (one) => one.accountId);
  const common = { holders, ...budgets, nowMs, nextSeq };
  return new Map(accounts.map((account) => [account._id, bookOf(account, grants, entries, common)]));
}

function bookOf(
  account: AccountDocument,
  allGrants: ReadonlyMap<string, Grant[]>,
  allEntries: ReadonlyMap<string, EntryDocument[]>,
  common: Omit<Book, "account" | "grants" | "grantsByRequest" | "entries">,
): Book {
  const grants = allGrants.get(account._id) ?? [];
  const entries = allEntries.get(account._id) ?? [];
  return {
    ...common,
    account: accountState(account),
    grants: new Map(grants.map((grant) => [grant.id, grant])),
    grantsByRequest: new Map(grants.map((grant) => [grant.requestId, grant])),
    entries: new Map<string, Money>(entries.map((row) => [row._id, row])),
  };
}
