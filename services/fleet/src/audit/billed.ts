import type { RpcClient } from "@uag/kit/rpc/client.ts";
import { type Account, type AccountServiceServer, AccountServiceService } from "@uag/proto/billing/v1/accounts.ts";
import { type Entry, type LedgerServiceServer, LedgerServiceService } from "@uag/proto/billing/v1/ledger.ts";
import type { Outcome, UsageEvent } from "@uag/proto/metering/v1/usage.ts";
import { operatorClient } from "../operator.ts";
import type { Run } from "../run-file.ts";

/** One settled request of the ledger. */
export interface Billed {
  readonly requestId: string;
  readonly keyId: string;
  /** When it was admitted, Unix milliseconds. */
  readonly startedAtMs: number;
  /** The catalogue's name of the provider. */
  readonly upstream: string;
  readonly costNanoUsd: bigint;
  readonly outcome: Outcome;
  /** The HTTP status; 499 where nobody was left to read one. */
  readonly status: number;
  /** Pictures billed one by one; undefined when none are. */
  readonly images: number | undefined;
  /** The provider's own count as it is kept in the row; undefined when there was none. */
  readonly rawUsage: unknown;
}

export interface Books {
  readonly accounts: readonly Account[];
  readonly billed: readonly Billed[];
  readonly entries: bigint;
  readonly settledRequests: bigint;
  readonly openGrants: bigint;
  /** Rows behind which an account had less than nothing. */
  readonly overdrafts: number;
  /** Settlements of requests that had been settled before. */
  readonly doubled: number;
  /** What billing itself found wrong. */
  readonly violations: readonly string[];
}

const pageLimit = 1000;
const auditTimeoutMs = 120_000;

async function readAccounts(run: Run): Promise<Account[]> {
  using client = operatorClient<AccountServiceServer>(run, "billing", AccountServiceService);
  const accounts: Account[] = [];
  let cursor = "";
  do {
    const answer = await client.listAccounts({ page: { limit: pageLimit, cursor } });
    accounts.push(...answer.accounts);
    cursor = answer.nextCursor;
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

function billedIn(entry: Entry): Billed[] {
  const { event, kind } = entry;
  if (kind !== "settle" || event === undefined) return [];
  const { requestId, keyId, upstream, outcome, costNanoUsd, status } = event;
  const startedAtMs = Number(event.startedAtMs);
  const counts = { images: imagesOf(event), rawUsage: rawUsageOf(event) };
  return [{ requestId, keyId, startedAtMs, upstream, outcome, status, costNanoUsd, ...counts }];
}

/** All rows of an account, newest first. */
async function readEntries(ledger: RpcClient<LedgerServiceServer>, accountId: string): Promise<Entry[]> {
  const entries: Entry[] = [];
  let cursor = "";
  do {
    const page = { limit: pageLimit, cursor };
    const answer = await ledger.listEntries({ accountId, requestId: "", page }, { timeoutMs: auditTimeoutMs });
    entries.push(...answer.entries);
    cursor = answer.nextCursor;
  } while (cursor !== "");
  return entries;
}

/** How often the running sum of an account's rows, newest first, was below zero. */
function overdraftsIn(entries: readonly Entry[]): number {
  let [available, count] = [0n, 0];
  for (const { availableNanoUsd } of entries.toReversed()) {
    available += availableNanoUsd;
    if (available < 0n) count++;
  }
  return count;
}

/** Has billing re-add its whole ledger, and reads every settled request from it. */
export async function readBooks(run: Run): Promise<Books> {
  using ledger = operatorClient<LedgerServiceServer>(run, "billing", LedgerServiceService);
  const audit = await ledger.audit({}, { timeoutMs: auditTimeoutMs });
  const accounts = await readAccounts(run);
  const billed: Billed[] = [];
  let overdrafts = 0;
  for (const { id } of accounts) {
    const rows = await readEntries(ledger, id);
    overdrafts += overdraftsIn(rows);
    billed.push(...rows.flatMap(billedIn));
  }
  const doubled = billed.length - new Set(billed.map(({ requestId }) => requestId)).size;
  const { entries, settledRequests, openGrants, violations } = audit;
  return { accounts, billed, entries, settledRequests, openGrants, overdrafts, doubled, violations };
}
