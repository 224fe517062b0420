import { refuseLongSearch } from "@uag/mongo/long-search";
import type {
  ListRefusalsRequest,
  ListRefusalsResponse,
  QueryRefusalsRequest,
  QueryRefusalsResponse,
  Refusal,
  RefusalFilter,
  RefusalGroup,
} from "@uag/proto/metering/v1/refusals.ts";
import { maxRecent, type RecentRefusal, type RefusalDocument, type RefusedKeyDocument } from "../store/refusals.ts";
import type { Store } from "../store/store.ts";
import { keyOf, type NameFilter } from "./filter.ts";
import { groupedRows } from "./grouped-rows.ts";
import { refusalSearch } from "./search-limit.ts";
import { checkedGroups, entryOf, readTimes } from "./series-times.ts";

const groupFields = {
  none: undefined,
  account: "accountId",
  key: "keyId",
  reason: "reason",
} as const satisfies Readonly<Record<string, keyof RefusalDocument | undefined>>;

interface Row {
  readonly _id: { readonly start: Date; readonly group: string | null };
  readonly count: bigint | number;
}

function ownerOf(filter: Partial<RefusalFilter> = {}): Pick<NameFilter, "accountId" | "keyId"> {
  const { accountId = "" } = filter;
  return { ...(accountId && { accountId }), ...keyOf(filter) };
}

const reasonOf = ({ reason = "" }: Partial<RefusalFilter> = {}) => (reason === "" ? {} : { reason });

/** Refusals over time, with the most frequent groups on their own and all others as one. */
export async function queryRefusals(
  { refusals }: Pick<Store, "refusals">,
  request: QueryRefusalsRequest,
  nowMs: number,
): Promise<QueryRefusalsResponse> {
  const { from, until, buckets } = readTimes(request, nowMs);
  const field = entryOf<typeof groupFields, keyof typeof groupFields>(groupFields, request.groupBy, "group_by");
  const max = checkedGroups(request.top, { grouped: field !== undefined, buckets });
  const count = { count: { $sum: "$count" } };
  const { top, found } = await groupedRows<RefusalDocument, Row>(refusals, {
    match: { ...ownerOf(request.filter), ...reasonOf(request.filter), hour: { $gte: from, $lt: until } },
    time: "hour",
    bucket: request.bucket,
    field,
    max,
    rank: count,
    sums: count,
  });
  const groups = groupsOf(await found.toArray(), top);
  return { groups, fromMs: BigInt(from.getTime()), untilMs: BigInt(until.getTime()) };
}

function groupsOf(rows: readonly Row[], top: readonly string[]): RefusalGroup[] {
  const byGroup = Map.groupBy(rows, ({ _id }) => _id.group);
  return [...top, null].flatMap((name): RefusalGroup[] => {
    const points = (byGroup.get(name) ?? []).map(({ _id, count }) => ({
      startMs: BigInt(_id.start.getTime()),
      refusals: BigInt(count),
    }));
    if (points.length === 0) return [];
    const total = points.reduce((sum, { refusals }) => sum + refusals, 0n);
    return [{ name: name ?? "", other: name === null, total, points }];
  });
}

type RecentRow = Pick<RefusedKeyDocument, "_id" | "accountId"> & { readonly recent: RecentRefusal };

/**
 * The latest single refusals, newest first.
 * @throws {GatewayError} `invalid_request` for a search that takes too long
 */
export async function listRefusals(
  { refusedKeys }: Pick<Store, "refusedKeys">,
  { filter }: ListRefusalsRequest,
): Promise<ListRefusalsResponse> {
  const { accountId, keyId } = ownerOf(filter);
  const { reason } = filter ?? {};
  const rows = await refusedKeys
    .aggregate<RecentRow>(
      [
        { $match: { ...(accountId !== undefined && { accountId }), ...(keyId !== undefined && { _id: keyId }) } },
        { $sort: { lastAt: -1 } },
        // The latest refusals are among those of the keys that were refused last.
        { $limit: maxRecent },
        { $unwind: "$recent" },
        ...(reason ? [{ $match: { "recent.reason": reason } }] : []),
        { $sort: { "recent.at": -1 } },
        { $limit: maxRecent },
      ],
      { maxTimeMS: refusalSearch.maxTimeMS },
    )
    .toArray()
    .catch(refuseLongSearch(refusalSearch));
  return { refusals: rows.map(toMessage) };
}

function toMessage({ _id: keyId, accountId, recent: { at, ...refusal } }: RecentRow): Refusal {
  return { accountId, keyId, refusedAtMs: BigInt(at.getTime()), ...refusal };
}
