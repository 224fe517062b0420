import { createRpcClient } from "@uag/kit/rpc/client.ts";
import { type Account, type AccountServiceServer, AccountServiceService } from "@uag/proto/billing/v1/accounts.ts";
import { type Entry, type LedgerServiceServer, LedgerServiceService } from "@uag/proto/billing/v1/ledger.ts";
import type { Outcome, UsageEvent } from "@uag/proto/metering/v1/usage.ts";

/** One settled request of the ledger. */
export interface Billed {
  readonly requestId: string;
  /** The catalogue's name of the provider. */
  readonly upstream: string;
  readonly costNanoUsd: bigint;
  readonly outcome: Outcome;
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
  /** What billing itself found wrong. */
  readonly violations: readonly string[];
}

const pageLimit = 1000;
const auditTimeoutMs = 120_000;

async function readAccounts(billing: string): Promise<Account[]> {
  using client = createRpcClient<AccountServiceServer>(AccountServiceService, billing);
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
  const { requestId, upstream, outcome, costNanoUsd } = event;
  return [{ requestId, upstream, outcome, costNanoUsd, images: imagesOf(event), rawUsage: rawUsageOf(event) }];
}

/** Has billing re-add its whole ledger, and reads every settled request from it. */
export async function readBooks(billing: string): Promise<Books> {
  using ledger = createRpcClient<LedgerServiceServer>(LedgerServiceService, billing);
  const audit = await ledger.audit({}, { timeoutMs: auditTimeoutMs });
  const accounts = await readAccounts(billing);
  const billed: Billed[] = [];
  for (const { id } of accounts) {
    let cursor = "";
    do {
      const page = { limit: pageLimit, cursor };
      const answer = await ledger.listEntries({ accountId: id, requestId: "", page }, { timeoutMs: auditTimeoutMs });
      billed.push(...answer.entries.flatMap(billedIn));
      cursor = answer.nextCursor;
    } while (cursor !== "");
  }
  const { entries, settledRequests, openGrants, violations } = audit;
  return { accounts, billed, entries, settledRequests, openGrants, violations };
}
