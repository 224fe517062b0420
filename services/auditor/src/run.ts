import { auditBooks } from "@uag/ledger/books/audit-books";
import { auditChain } from "@uag/ledger/books/audit-chain";
import { type AuditedDatabase, openAuditPool } from "@uag/ledger/books/audit-pool";
import type { Store } from "@uag/ledger/documents/store";
import type { Proof } from "@uag/ledger/rules/audit";
import type { DatabaseClock } from "@uag/mongo/database-clock";
import type { Keyring } from "@uag/runtime/keyring";
import { type Flaw, open, seal } from "./checkpoint.ts";
import type { AuditStore } from "./store.ts";
import type { Kind, Verdict } from "./verdict.ts";

export interface AuditParts {
  readonly books: Store;
  readonly own: AuditStore;
  readonly keys: Keyring;
  /** Verdicts are of the database's time: accounts, which have it too, are compared with them. */
  readonly clock: Pick<DatabaseClock, "moment">;
  /** Connection details for the threads of a full audit. */
  readonly database: AuditedDatabase;
  /** Receives each account whose checkpoint is unusable. */
  readonly onFallback?: (accountId: string, flaw: Flaw) => void;
}

const threads = 2;
const maxNotices = 100;
const flawText: Readonly<Record<Flaw, string>> = {
  missing: "has lost its checkpoint",
  forged: "has a checkpoint that the auditor did not make",
  unknown_key: "has a checkpoint under an unknown key",
};

/**
 * Reads the checkpoints from which the next run may continue; accounts without a usable one are
 * absent.
 */
async function readProofs(parts: AuditParts, ids: readonly string[], fellBack: (id: string, flaw: Flaw) => void) {
  const found = await parts.own.checkpoints.find({ _id: { $in: [...ids] } }).toArray();
  const byId = new Map(found.map((checkpoint) => [checkpoint._id, checkpoint]));
  const proofs = new Map<string, Proof>();
  for (const id of ids) {
    const checkpoint = byId.get(id);
    const proof = checkpoint === undefined ? "missing" : open(parts.keys, checkpoint);
    if (typeof proof === "string") fellBack(id, proof);
    else proofs.set(id, proof);
  }
  return proofs;
}

async function writeCheckpoints(
  { own, keys }: AuditParts,
  proofs: ReadonlyMap<string, Proof>,
  at: Date,
): Promise<void> {
  const writes = [...proofs].map(([id, proof]) => {
    const { _id, ...checkpoint } = seal(keys, { accountId: id, proof, at });
    return { replaceOne: { filter: { _id }, replacement: checkpoint, upsert: true } };
  });
  if (writes.length > 0) await own.checkpoints.bulkWrite(writes, { ordered: false });
}

/** Accounts created after the last run had no checkpoint to lose. */
async function olderThan({ books }: AuditParts, ids: readonly string[], moment: Date): Promise<string[]> {
  const rows = await books.accounts
    .find({ _id: { $in: ids }, createdAt: { $lt: moment } }, { _id: 1 })
    .lean<{ _id: string }[]>();
  return rows.map(({ _id }) => _id);
}

/** Reports accounts that are read from their first row although they should have a checkpoint. */
function createFallbacks(parts: AuditParts, lastMoment: Date | undefined) {
  const notices: string[] = [];
  const report = (id: string, flaw: Flaw): void => {
    parts.onFallback?.(id, flaw);
    if (notices.length < maxNotices) notices.push(`Account ${id} ${flawText[flaw]}: it was read from its first row.`);
  };
  return {
    notices,
    async proofs(ids: readonly string[]): Promise<Map<string, Proof>> {
      const missing: string[] = [];
      const proofs = await readProofs(parts, ids, (id, flaw) => {
        if (flaw === "missing") missing.push(id);
        else report(id, flaw);
      });
      if (missing.length > 0 && lastMoment !== undefined) {
        for (const id of await olderThan(parts, missing, lastMoment)) report(id, "missing");
      }
      return proofs;
    },
  };
}

/** Audits the books, then writes the verdict and checkpoints of all accounts that are exact. */
export async function runAudit(parts: AuditParts, kind: Kind): Promise<Verdict> {
  const { books, own } = parts;
  const moment = new Date(await parts.clock.moment());
  const started = performance.now();
  const [last] = await own.verdicts.find().sort({ moment: -1 }).limit(1).toArray();
  const fallbacks = createFallbacks(parts, last?.moment);
  await using stack = new AsyncDisposableStack();
  const findings = await auditBooks({
    store: books,
    ...(kind === "incremental"
      ? { since: fallbacks.proofs }
      : { pool: stack.use(openAuditPool(threads, parts.database)) }),
    proved: (proofs) => writeCheckpoints(parts, proofs, moment),
  });
  const faults = [...findings.violations];
  await auditChain(books, (sentence) => faults.push(sentence));
  const verdict: Verdict = {
    _id: kind,
    moment,
    tookMs: Math.round(performance.now() - started),
    exact: faults.length === 0,
    accounts: Number(findings.accounts),
    rows: Number(findings.entries),
    faults,
    notices: fallbacks.notices,
  };
  await own.verdicts.replaceOne({ _id: kind }, verdict, { upsert: true });
  return verdict;
}
