import type { Store } from "../documents/store.ts";
import type { Proof } from "../rules/audit.ts";
import { auditPart, maxViolations, type PartFindings } from "./audit-part.ts";
import type { AuditPool, AuditThread } from "./audit-pool.ts";
import { everyAccount, strayAccounts } from "./moments.ts";

/** The result of an audit. */
export type Findings = Omit<PartFindings, "proofs" | "unlisted">;

export interface AuditBooksOptions {
  readonly store: Store;
  /**
   * Worker threads to audit in; without them the calling thread does it. They only pay off for a
   * full audit.
   */
  readonly pool?: AuditPool;
  /** Proofs of earlier audits, by account. Default: none, so all rows are read. */
  readonly since?: (accountIds: readonly string[]) => Promise<ReadonlyMap<string, Proof>>;
  /** Receives the new proofs of each batch of accounts, for those without a fault. */
  readonly proved?: (proofs: ReadonlyMap<string, Proof>) => Promise<void>;
}

const accountsAtOnce = 500;
/** Small batches balance the load better across threads. */
const accountsOfThread = 100;

/** A full audit also looks for rows that belong to no account. */
async function* parts({ store, since, pool }: AuditBooksOptions): AsyncGenerator<string[]> {
  yield* everyAccount(store, pool === undefined ? accountsAtOnce : accountsOfThread);
  if (since === undefined) yield await strayAccounts(store);
}

const nothing: Findings = {
  accounts: 0n,
  entries: 0n,
  settledRequests: 0n,
  heldNanoUsd: 0n,
  openGrants: 0n,
  overdrafts: 0,
  violations: [],
};

function add(one: Findings, other: Findings): Findings {
  return {
    accounts: one.accounts + other.accounts,
    entries: one.entries + other.entries,
    settledRequests: one.settledRequests + other.settledRequests,
    heldNanoUsd: one.heldNanoUsd + other.heldNanoUsd,
    openGrants: one.openGrants + other.openGrants,
    overdrafts: one.overdrafts + other.overdrafts,
    violations: [...one.violations, ...other.violations].slice(0, maxViolations),
  };
}

/**
 * Re-adds the ledger, verifies its chains, and compares them with balances and grants. Each batch
 * of accounts is read in one snapshot, so traffic can continue.
 */
export async function auditBooks(options: AuditBooksOptions): Promise<Findings> {
  const { store, pool, since, proved } = options;
  let [found, faults] = [nothing, 0];
  const take = async (accountIds: readonly string[], thread: AuditThread | undefined): Promise<void> => {
    const part = await (thread?.call(accountIds) ?? auditPart(store, accountIds, await since?.(accountIds)));
    found = add(found, part);
    faults += part.violations.length + part.unlisted;
    await proved?.(part.proofs);
  };
  const left = parts(options);
  const work = async (): Promise<void> => {
    using thread = pool?.lease();
    for (let next = await left.next(); !next.done; next = await left.next()) await take(next.value, thread);
  };
  await Promise.all(Array.from({ length: pool?.max ?? 1 }, work));
  const unlisted = faults - found.violations.length;
  if (unlisted === 0) return found;
  return { ...found, violations: [...found.violations, `${unlisted} more faults are not listed.`] };
}
