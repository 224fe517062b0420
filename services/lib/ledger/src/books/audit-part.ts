import type { Store } from "../documents/store.ts";
import { type AccountAudit, auditAccount, balanceOf, type Claim, type Proof } from "../rules/audit.ts";
import { entryId } from "../rules/entry.ts";
import { readMoment } from "./moments.ts";
import { readRows, readSettlements } from "./rows.ts";

/** The result of auditing some accounts. */
export interface PartFindings {
  readonly accounts: bigint;
  /** Rows read that belong to the snapshot. */
  readonly entries: bigint;
  readonly settledRequests: bigint;
  readonly heldNanoUsd: bigint;
  readonly openGrants: bigint;
  /** Rows after which an account's available balance was negative. */
  readonly overdrafts: number;
  /** One sentence per fault, at most 1,000. */
  readonly violations: readonly string[];
  /** Number of faults beyond those listed. */
  readonly unlisted: number;
  /** For accounts without a fault. */
  readonly proofs: ReadonlyMap<string, Proof>;
}

/** Accounts audited concurrently: one account's rows are checked while another's are fetched. */
const sideBySide = 4;
export const maxViolations = 1_000;

interface One {
  readonly accountId: string;
  readonly claim: Claim | undefined;
  readonly since: Proof | undefined;
}

/** True when nothing was written since the proof, so the claim is proven already. */
function isUnchanged({ claim, since }: One): boolean {
  if (claim === undefined || since === undefined || claim.account.seq !== since.account.seq) return false;
  const lastOf = new Map(since.grants.map(({ id, seq }) => [id, seq]));
  return claim.live.length === lastOf.size && claim.live.every(({ id, seq }) => lastOf.get(id) === seq);
}

async function auditOne(store: Store, one: One, report: (sentence: string) => void): Promise<AccountAudit> {
  const { accountId } = one;
  const audit = auditAccount(accountId, { ...one, report });
  if (!isUnchanged(one)) for await (const rows of readRows(store, accountId, one)) rows.forEach(audit.row);
  audit.finish();
  const repaired = audit.repairedBefore.map(entryId.settle);
  if (repaired.length > 0) audit.settledBefore(await readSettlements(store, repaired, accountId));
  return audit;
}

/** Runs `work` for each item, a few concurrently. */
async function concurrently<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const left = items.values();
  const worker = async (): Promise<void> => {
    for (const item of left) await work(item);
  };
  await Promise.all(Array.from({ length: sideBySide }, worker));
}

/**
 * Re-adds the rows of some accounts, verifies their chains, and compares them with balances and
 * grants of one snapshot, during traffic.
 * @param since earlier proofs, whose rows need not be read again
 */
export async function auditPart(
  store: Store,
  accountIds: readonly string[],
  since?: ReadonlyMap<string, Proof>,
): Promise<PartFindings> {
  const moment = await readMoment(store, accountIds);
  const sums = { accounts: 0n, entries: 0n, settledRequests: 0n, heldNanoUsd: 0n, openGrants: 0n, overdrafts: 0 };
  const violations: string[] = [];
  const proofs = new Map<string, Proof>();
  let unlisted = 0;
  await concurrently(accountIds, async (accountId) => {
    const claim = moment.get(accountId);
    let exact = true;
    const audit = await auditOne(store, { accountId, claim, since: since?.get(accountId) }, (sentence) => {
      exact = false;
      if (violations.length < maxViolations) violations.push(sentence);
      else unlisted++;
    });
    sums.accounts += 1n;
    sums.entries += audit.entries;
    sums.settledRequests += audit.settledRequests;
    sums.overdrafts += audit.overdrafts;
    sums.heldNanoUsd += claim === undefined ? 0n : balanceOf(claim).held;
    sums.openGrants += BigInt(claim?.live.length ?? 0);
    if (exact && audit.proof !== undefined) proofs.set(accountId, audit.proof);
  });
  return { ...sums, violations, unlisted, proofs };
}
