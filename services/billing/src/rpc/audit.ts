import type { AuditResponse } from "@uag/proto/billing/v1/ledger.ts";
import { auditChain } from "../audit/chain.ts";
import type { Billing } from "../billing.ts";
import { auditAccount, balanceOf, type Claim, lastSeqOf } from "../ledger/audit.ts";
import { type AccountDocument, accountState } from "../store/accounts.ts";
import { type GrantDocument, grantOf } from "../store/grants.ts";
import { type EntryDocument, entryMessage } from "../store/ledger.ts";
import type { Store } from "../store/store.ts";

const mostViolations = 1_000;
const rowsAtOnce = 500;

/** The account and its grants as one moment saw them, while traffic goes on. */
async function readMoment(store: Store, accountId: string): Promise<Claim | undefined> {
  await using session = await store.connection.startSession({ snapshot: true });
  const account = await store.accounts.findById(accountId).session(session).lean<AccountDocument>();
  if (account === null) return undefined;
  const live = await store.grants.find({ accountId, live: true }).session(session).lean<GrantDocument[]>();
  return { account: accountState(account), live: live.map(grantOf) };
}

/** The next account that has rows or a document of its own, after `last`. */
async function nextAccount(store: Store, last: string): Promise<string | undefined> {
  const [account, row] = await Promise.all([
    store.accounts
      .findOne({ _id: { $gt: last } }, { _id: 1 })
      .sort({ _id: 1 })
      .lean<{ _id: string }>(),
    store.ledger
      .findOne({ accountId: { $gt: last } }, { accountId: 1 })
      .sort({ accountId: 1, seq: 1 })
      .lean<EntryDocument>(),
  ]);
  return [account?._id, row?.accountId].filter((id) => id !== undefined).sort()[0];
}

/** Rows of the moment never change, so they are streamed outside of its snapshot, however many they are. */
async function auditOne(store: Store, accountId: string, report: (sentence: string) => void) {
  const claim = await readMoment(store, accountId);
  const audit = auditAccount(accountId, { claim, report });
  const filter = claim === undefined ? { accountId } : { accountId, seq: { $lte: lastSeqOf(claim) } };
  const rows = store.ledger.find(filter).sort({ seq: 1 }).lean<EntryDocument[]>().cursor({ batchSize: rowsAtOnce });
  for await (const row of rows) audit.row(entryMessage(row as unknown as EntryDocument));
  audit.finish();
  return { audit, claim };
}

/**
 * Re-adds every account's ledger from its first row, compares it with balances and grants, and follows the audit log. Give it a
 * long deadline.
 */
export async function audit(billing: Billing): Promise<AuditResponse> {
  const { store, events } = billing;
  const started = performance.now();
  const answer = { accounts: 0n, entries: 0n, settledRequests: 0n, heldNanoUsd: 0n, openGrants: 0n };
  const violations: string[] = [];
  let unlisted = 0;
  const report = (sentence: string): void => {
    if (violations.length < mostViolations) violations.push(sentence);
    else unlisted++;
  };
  for (let id = await nextAccount(store, ""); id !== undefined; id = await nextAccount(store, id)) {
    const { audit: account, claim } = await auditOne(store, id, report);
    answer.accounts += 1n;
    answer.entries += account.entries;
    answer.settledRequests += account.settledRequests;
    answer.heldNanoUsd += claim === undefined ? 0n : balanceOf(claim).held;
    answer.openGrants += BigInt(claim?.live.length ?? 0);
  }
  await auditChain(store, report);
  if (unlisted > 0) violations.push(`${unlisted} more faults are not listed.`);
  events.audited({ ...answer, violations, tookMs: Math.round(performance.now() - started) });
  return { ...answer, violations };
}
