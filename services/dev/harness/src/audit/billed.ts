import type { ModelPrice } from "@uag/catalog/price";
import { auditBooks, type Findings } from "@uag/ledger/books/audit-books";
import { auditChain } from "@uag/ledger/books/audit-chain";
import { type AuditedDatabase, openAuditPool } from "@uag/ledger/books/audit-pool";
import type { CatalogEntryDocument } from "@uag/ledger/documents/catalog-overlay";
import { auditWaitMs, connectBooks } from "@uag/ledger/documents/connection";
import { type PriceDocument, priceOf } from "@uag/ledger/documents/prices";
import { modelsOn, type Store } from "@uag/ledger/documents/store";
import { entryId } from "@uag/ledger/rules/entry";
import { operatorClient } from "@uag/local/operator";
import type { Run } from "@uag/local/run-file";
import { type Account, type AccountServiceServer, AccountServiceService } from "@uag/proto/billing/v1/accounts.ts";
import { type Outcome, type Pricing, UsageEvent } from "@uag/proto/metering/v1/usage.ts";
import type { ServedLog } from "./served.ts";

/** One settled request of the ledger. */
export interface Billed {
  readonly requestId: string;
  readonly keyId: string;
  /** Admission time, Unix milliseconds. */
  readonly startedAtMs: number;
  /** The provider's name in the catalogue. */
  readonly upstream: string;
  readonly costNanoUsd: bigint;
  readonly outcome: Outcome;
  readonly pricing: Pricing;
  /** The HTTP status; 499 when the client was gone. */
  readonly status: number;
  /** Images billed individually; undefined when none are. */
  readonly images: number | undefined;
  /** The provider's usage as stored in the row; undefined when it reported none. */
  readonly rawUsage: unknown;
}

export interface Books {
  readonly accounts: readonly Account[];
  readonly billed: readonly Billed[];
  readonly entries: bigint;
  readonly settledRequests: bigint;
  readonly openGrants: bigint;
  /** Rows after which an account's available balance was negative. */
  readonly overdrafts: number;
  /** The calls of providers' tests, whose cost the audit log has in place of the ledger. */
  readonly providerTests: ReadonlySet<string>;
  /** Settlements of requests that were already settled. */
  readonly doubled: number;
  /** Violations within the ledger itself. */
  readonly violations: readonly string[];
}

const pageLimit = 1000;
/** Threads only pay off for ledgers with this many rows. */
const largeBooks = 100_000;
const threads = 2;

async function readAccounts(run: Run): Promise<Account[]> {
  using client = operatorClient<AccountServiceServer>(run, "billing", AccountServiceService);
  const accounts: Account[] = [];
  let cursor = "";
  do {
    const response = await client.listAccounts({ page: { limit: pageLimit, cursor } });
    accounts.push(...response.accounts);
    cursor = response.nextCursor;
  } while (cursor !== "");
  return accounts;
}

function rawUsageOf(event: UsageEvent): unknown {
  const text = Buffer.from(event.rawUsage).toString();
  return text === "" ? undefined : JSON.parse(text);
}

function imagesOf(event: UsageEvent): number | undefined {
  const pictures = event.units.filter(({ name }) => name === "images" || name.startsWith("images:"));
  return pictures.length === 0 ? undefined : pictures.reduce((sum, { quantity }) => sum + Number(quantity), 0);
}

function billedOf(event: UsageEvent): Billed {
  const { requestId, keyId, upstream, outcome, pricing, costNanoUsd, status } = event;
  const startedAtMs = Number(event.startedAtMs);
  const counts = { images: imagesOf(event), rawUsage: rawUsageOf(event) };
  return { requestId, keyId, startedAtMs, upstream, outcome, pricing, status, costNanoUsd, ...counts };
}

/** The usage events in the ledger's rows that match a filter. */
async function* settled({ ledger }: Pick<Store, "ledger">, filter: object): AsyncGenerator<UsageEvent> {
  for await (const { event } of ledger.collection.find(filter, { projection: { event: 1 } }))
    if (event !== undefined) yield UsageEvent.fromPartial(event as UsageEvent);
}

/**
 * Rows of settled requests: all of them if the simulator's log is complete, else those that it
 * still has.
 */
async function readBilled(store: Pick<Store, "ledger">, served: ServedLog): Promise<Billed[]> {
  const billed: Billed[] = [];
  const find = async (filter: object): Promise<void> => {
    for await (const event of settled(store, filter)) billed.push(billedOf(event));
  };
  if (served.complete) {
    await find({ kind: "settle" });
    return billed;
  }
  const ids = [...new Set(served.attempts.flatMap(({ requestId }) => (requestId === undefined ? [] : [requestId])))];
  for (let n = 0; n < ids.length; n += pageLimit)
    await find({ _id: { $in: ids.slice(n, n + pageLimit).map(entryId.settle) } });
  return billed;
}

/** Names of the providers that operators added and that are called at the simulator. */
export async function providersAtSimulator(run: Run): Promise<string[]> {
  const connection = await connectBooks({ url: run.mongodb_url, database: "billing", waitMs: auditWaitMs });
  await using stack = new AsyncDisposableStack();
  stack.defer(() => connection.close());
  const { catalogProviders } = modelsOn(connection);
  const entries = await catalogProviders.find({ added: true }).lean<CatalogEntryDocument[]>();
  const isAt = ({ fields }: CatalogEntryDocument): boolean =>
    String((JSON.parse(fields) as { base_url?: unknown }).base_url).startsWith(`${run.simulator_url}/`);
  return entries.filter(isAt).map(({ _id }) => _id);
}

/** A settled request, with the price that its bill names. */
export interface Settled {
  readonly bill: UsageEvent;
  /** Undefined for a price that billing has not seen. */
  readonly price: ModelPrice | undefined;
}

/** All settled requests, as the ledger has them. */
export async function readSettled(run: Run): Promise<Settled[]> {
  const connection = await connectBooks({ url: run.mongodb_url, database: "billing", waitMs: auditWaitMs });
  await using stack = new AsyncDisposableStack();
  stack.defer(() => connection.close());
  const store = modelsOn(connection);
  const known = (await store.prices.find().lean<PriceDocument[]>()).map(priceOf);
  const prices = new Map(known.map((price) => [price.version, price]));
  const found: Settled[] = [];
  for await (const bill of settled(store, { kind: "settle" }))
    found.push({ bill, price: prices.get(bill.priceVersion) });
  return found;
}

async function auditAll(store: Store, books: AuditedDatabase): Promise<Findings> {
  if ((await store.ledger.estimatedDocumentCount()) < largeBooks) return await auditBooks({ store });
  await using pool = openAuditPool(threads, books);
  return await auditBooks({ store, pool });
}

/** Recorded before the call. */
async function readProviderTests({ audit }: Pick<Store, "audit">): Promise<Set<string>> {
  return new Set(await audit.distinct("requestId", { action: "provider.test" }));
}

const everything: ServedLog = { attempts: [], complete: true };

/**
 * Re-adds the whole ledger in this process, and reads the settled requests; see {@link readBilled}.
 */
export async function readBooks(run: Run, served = everything): Promise<Books> {
  const books = { url: run.mongodb_url, database: "billing" };
  const connection = await connectBooks({ ...books, waitMs: auditWaitMs });
  await using stack = new AsyncDisposableStack();
  stack.defer(() => connection.close());
  const store = { connection, ...modelsOn(connection) };
  const { violations, entries, settledRequests, openGrants, overdrafts } = await auditAll(store, books);
  const faults = [...violations];
  await auditChain(store, (sentence) => faults.push(sentence));
  const billed = await readBilled(store, served);
  const doubled = billed.length - new Set(billed.map(({ requestId }) => requestId)).size;
  const accounts = await readAccounts(run);
  const providerTests = await readProviderTests(store);
  return {
    accounts,
    billed,
    entries,
    settledRequests,
    openGrants,
    overdrafts,
    providerTests,
    doubled,
    violations: faults,
  };
}
