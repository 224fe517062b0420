import type { QuerySeriesRequest, QuerySeriesResponse } from "@uag/proto/metering/v1/metering.ts";
import type { RollupDocument } from "../store/rollup.ts";
import type { Store } from "../store/store.ts";
import { namesOf } from "./filter.ts";
import { groupedRows } from "./grouped-rows.ts";
import { groupsOf } from "./series-groups.ts";
import { type Row, sums } from "./series-sums.ts";
import { checkedGroups, entryOf, readTimes } from "./series-times.ts";

/** Decoded per turn of the event loop. */
const rowsAtOnce = 500;

const groupFields = {
  none: undefined,
  account: "accountId",
  key: "keyId",
  model: "model",
  operation: "operation",
  provider: "upstream",
} as const satisfies Readonly<Record<string, keyof RollupDocument | undefined>>;

/** Usage over time, with the most expensive groups on their own and all others as one. */
export async function querySeries(
  { rollups }: Store,
  request: QuerySeriesRequest,
  nowMs: number,
): Promise<QuerySeriesResponse> {
  const { fromMs = 0n, untilMs = 0n } = request.filter ?? {};
  const { rows, from, until, buckets } = readTimes({ bucket: request.bucket, fromMs, untilMs }, nowMs);
  const field = entryOf<typeof groupFields, keyof typeof groupFields>(groupFields, request.groupBy, "group_by");
  const max = checkedGroups(request.top, { grouped: field !== undefined, buckets });
  const { top, found } = await groupedRows<RollupDocument, Row>(rollups, {
    match: { bucket: rows, ...namesOf(request.filter), start: { $gte: from, $lt: until } },
    time: "start",
    bucket: request.bucket,
    field,
    max,
    rank: { cost: { $sum: "$costNanoUsd" }, requests: { $sum: "$requests" } },
    sums,
  });
  const groups = await groupsOf(found.batchSize(rowsAtOnce), top);
  return { groups, fromMs: BigInt(from.getTime()), untilMs: BigInt(until.getTime()) };
}
