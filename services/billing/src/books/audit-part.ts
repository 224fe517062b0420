import { type AccountAudit, auditAccount, balanceOf, type Claim, type Proof } from "../ledger/audit.ts";
import { entryId } from "../ledger/entry.ts";
import type { Store } from "../store/store.ts";
import { readMoment } from "./moments.ts";
import { readRows, readSettlements } from "./rows.ts";

/** What the rows of some accounts came to. */
export interface PartFindings {
  readonly accounts: bigint;
  /** Rows that were read and belong to the moment. */
  readonly entries: bigint;
  readonly settledRequests: bigint;
  readonly heldNanoUsd: bigint;
  readonly openGrants: bigint;
  /** Rows behind which an account had less than nothing. */
  readonly overdrafts: number;
  /** A sentence for each fault, at most 1,000. */
  readonly violations: readonly string[];
  /** Faults that are not listed. */
  readonly unlisted: number;
  /** Of accounts without a fault. */
  readonly proofs: ReadonlyMap<string, Proof>;
}

/** While one account's rows are on their way, another's are looked at. */
const sideBySide = 4;
export const maxViolations = 1_000;

interface One {
  readonly accountId: string;
  readonly claim: Claim | undefined;
  readonly since: Proof | undefined;
}

/** Nothing was written since: what is proved is what is claimed. */
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

/** Runs `work` for each item, a few at once. */
async function sideways<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const left = items.values();
  const lane = async (): Promise<void> => {
    for (const item of left) await work(item);
  };
  await Promise.all(Array.from({ length: sideBySide }, lane));
}

/**
 * Re-adds the rows of some accounts, follows their chains, and compares with balances and grants as
 * they were at one moment, while traffic goes on.
 * @param since what is proved already, so that its rows need not be read
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
  await sideways(accountIds, async (accountId) => {
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
