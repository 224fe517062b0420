import { refuseLongSearch, type SearchLimit } from "@uag/mongo/long-search";
import type {
  ListReconciliationsRequest,
  ListReconciliationsResponse,
  Reconciliation,
} from "@uag/proto/billing/v1/admin.ts";
import type { Billing } from "../billing.ts";

/** A comparison as the auditor stores it: see its `src/reconcile/store.ts`. */
interface Stored extends Pick<Reconciliation, "provider" | "day" | "state" | "settled" | "unreadable"> {
  readonly requests: bigint;
  readonly estimated: bigint;
  readonly at: Date;
  readonly revisions: number;
  readonly cells: readonly {
    readonly model: string;
    readonly unit: string;
    readonly ours: bigint | null;
    readonly theirs: bigint | null;
    readonly state: string;
  }[];
}

const maxDays = 1_000;
/** Within the time limit of a call. */
const search: SearchLimit = { maxTimeMS: 4_000, remedy: "Choose a shorter period.", param: "from" };

function show({ at, cells, ...day }: Stored): Reconciliation {
  const figures = cells.map(({ model, unit, ours, theirs, state }) => ({
    model,
    unit,
    state,
    ...(ours !== null && { ours: BigInt(ours) }),
    ...(theirs !== null && { theirs: BigInt(theirs) }),
  }));
  const { provider, day: name, state, settled, unreadable, revisions } = day;
  const counts = { requests: BigInt(day.requests), estimated: BigInt(day.estimated), revisions };
  return { provider, day: name, state, settled, unreadable, ...counts, atMs: BigInt(at.getTime()), figures };
}

/**
 * The auditor's comparisons with providers' reports, the newest day first, at most 1,000.
 * @throws {GatewayError} `invalid_request` for a search that takes too long
 */
export async function listReconciliations(
  { store, settings: { auditDatabase } }: Billing,
  { provider, from, to }: ListReconciliationsRequest,
): Promise<ListReconciliationsResponse> {
  const stored = store.connection.getClient().db(auditDatabase).collection<Stored>("reconciliations");
  const filter = { day: { $gte: from, $lte: to }, ...(provider !== "" && { provider }) };
  const days = await stored
    .find(filter, { maxTimeMS: search.maxTimeMS })
    .sort({ day: -1, provider: 1 })
    .limit(maxDays)
    .toArray()
    .catch(refuseLongSearch(search));
  return { days: days.map(show) };
}
