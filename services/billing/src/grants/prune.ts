import { setTimeout as sleep } from "node:timers/promises";
import type { Store } from "@uag/ledger/documents/store";
import type { DatabaseClock } from "@uag/mongo/database-clock";
import type { Billing } from "../billing.ts";
import { pruneEnvelopes } from "../envelopes/prune.ts";

/** The fields of an auditor's verdict that billing reads. */
interface Verdict {
  readonly moment: Date;
  readonly exact: boolean;
  readonly rows?: number;
  readonly faults?: readonly string[];
}

export interface PruneOptions {
  readonly store: Store;
  readonly clock: Pick<DatabaseClock, "moment">;
  /** Database that holds the auditor's verdicts. */
  readonly auditDatabase: string;
  /** How long ended grants and holders are kept, for calls that are repeated. */
  readonly keepMs: number;
  /** How long envelopes are kept after their end. */
  readonly envelopeKeepMs: number;
}

export interface Pruned {
  readonly grants: number;
  readonly holders: number;
  readonly envelopes: number;
}

const grantsAtOnce = 1_000;

/** The verdict of the last audit; undefined when there was none. */
export async function lastVerdict({
  store,
  auditDatabase,
}: Pick<PruneOptions, "store" | "auditDatabase">): Promise<Verdict | undefined> {
  const verdicts = store.connection.getClient().db(auditDatabase).collection<Verdict>("verdicts");
  const [last] = await verdicts.find().sort({ moment: -1 }).limit(1).toArray();
  return last;
}

/**
 * The time up to which the ledger is known to be exact: that of the last audit, if it found no
 * fault.
 */
async function lastExact(options: PruneOptions): Promise<Date | undefined> {
  const last = await lastVerdict(options);
  return last?.exact ? last.moment : undefined;
}

/** Ended grants whose charges are all folded into their accounts' own columns. */
const endedBefore = (moment: Date): object => ({
  live: false,
  // Grants that ended before `endedAt` was recorded go by their age.
  $or: [{ endedAt: { $lt: moment } }, { endedAt: null, createdAt: { $lt: moment } }],
  $expr: { $eq: ["$settled", { $ifNull: ["$folded", "$settled"] }] },
});

async function pruneGrants({ grants }: Store, filter: object): Promise<number> {
  for (let pruned = 0; ; ) {
    const found = await grants.find(filter, { _id: 1 }).limit(grantsAtOnce).lean<{ _id: string }[]>();
    if (found.length === 0) return pruned;
    const { deletedCount } = await grants.deleteMany({ _id: { $in: found.map(({ _id }) => _id) }, live: false });
    pruned += deletedCount;
  }
}

/**
 * Deletes grants that ended and holders that are gone, once no call about them can be repeated, and
 * envelopes that expired long ago, if an audit since then found the ledger exact. The ledger still guarantees that they count once: a
 * repeated event finds its row, and a new one is charged to the available balance, as for any grant
 * that has ended.
 */
export async function prune(options: PruneOptions): Promise<Pruned> {
  const audited = await lastExact(options);
  if (audited === undefined) return { grants: 0, holders: 0, envelopes: 0 };
  const nowMs = await options.clock.moment();
  const endedFor = (ms: number): Date => new Date(Math.min(nowMs - ms, audited.getTime()));
  const moment = endedFor(options.keepMs);
  const grants = await pruneGrants(options.store, endedBefore(moment));
  const { deletedCount } = await options.store.holders.deleteMany({ state: "gone", closedAt: { $lt: moment } });
  const envelopes = await pruneEnvelopes(options.store, endedFor(options.envelopeKeepMs));
  return { grants, holders: deletedCount, envelopes };
}

/** Prunes periodically, in every replica: what one has deleted the others do not find. */
export function startPruning(options: PruneOptions, events: Billing["events"], everyMs: number): AsyncDisposable {
  const stopped = new AbortController();
  const { signal } = stopped;
  const loop = async (): Promise<void> => {
    while (!signal.aborted) {
      await sleep(everyMs * (0.5 + Math.random()), undefined, { signal, ref: false }).catch(() => undefined);
      if (!signal.aborted) await prune(options).then(events.pruned, events.pruneFailed);
    }
  };
  void loop();
  return { [Symbol.asyncDispose]: async () => stopped.abort() };
}
