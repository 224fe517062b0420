import { GatewayError } from "@uag/contract/errors/gateway-error";
import type { QuerySeriesRequest, QuerySeriesResponse } from "@uag/proto/metering/v1/metering.ts";
import type { RollupDocument } from "../store/rollup.ts";
import type { Store } from "../store/store.ts";
import { namesOf, timesOf } from "./filter.ts";
import { groupsOf } from "./series-groups.ts";
import { type Row, sums } from "./series-sums.ts";

const dayMs = 86_400_000;
/** Decoded per turn of the event loop. */
const rowsAtOnce = 500;
const usualGroups = 10;
const maxGroups = 50;
/** More points would take too long to encode, here and in the router, in one turn of the event loop. */
const maxPoints = 10_000;
/** Time limit of a query; a shorter range or a filter makes it faster. */
const maxTimeMS = 15_000;

/** By bucket: the roll-ups it is built from, its default range, its maximum range, and its least length. */
const buckets = {
  hour: { rows: "hour", usualDays: 1, maxDays: 31, lengthMs: 3_600_000 },
  day: { rows: "day", usualDays: 30, maxDays: 400, lengthMs: dayMs },
  month: { rows: "day", usualDays: 365, maxDays: 3_660, lengthMs: 28 * dayMs },
} as const;

const groupFields = {
  none: undefined,
  account: "accountId",
  key: "keyId",
  model: "model",
  operation: "operation",
  provider: "upstream",
} as const satisfies Readonly<Record<string, keyof RollupDocument | undefined>>;

function invalid(text: string, param: string): GatewayError {
  return new GatewayError("invalid_request", text, { param });
}

/** Looks a name up in one of our tables. @throws {GatewayError} `invalid_request` */
function entryOf<T extends object, K extends keyof T>(table: T, name: string, param: string): T[K] {
  if (!Object.hasOwn(table, name)) throw invalid(`${param} must be one of ${Object.keys(table).join(", ")}.`, param);
  return table[name as K];
}

/** Reads the time range, starting at the start of a bucket. */
function readTimes({ filter, bucket }: QuerySeriesRequest, nowMs: number) {
  const { rows, usualDays, maxDays, lengthMs } = entryOf<typeof buckets, keyof typeof buckets>(
    buckets,
    bucket,
    "bucket",
  );
  const { from: requested, until } = timesOf(filter, nowMs);
  const start = new Date(filter?.fromMs ? requested.getTime() : until.getTime() - usualDays * dayMs);
  if (bucket === "hour") start.setUTCMinutes(0, 0, 0);
  else start.setUTCHours(0, 0, 0, 0);
  if (bucket === "month") start.setUTCDate(1);
  if (until.getTime() - start.getTime() > (maxDays + 31) * dayMs)
    throw invalid(`A series by ${bucket} can cover at most ${maxDays} days.`, "filter.from_ms");
  return { rows, from: start, until, buckets: Math.ceil((until.getTime() - start.getTime()) / lengthMs) };
}

/**
 * Usage over time. The most expensive groups are found first, so that the response is bounded
 * however many keys or models there are: all others form one group.
 */
export async function querySeries(
  { rollups }: Store,
  request: QuerySeriesRequest,
  nowMs: number,
): Promise<QuerySeriesResponse> {
  const { rows, from, until, buckets: count } = readTimes(request, nowMs);
  const field = entryOf<typeof groupFields, keyof typeof groupFields>(groupFields, request.groupBy, "group_by");
  const max = request.top || usualGroups;
  if (max > maxGroups) throw invalid(`At most ${maxGroups} groups are allowed.`, "top");
  if (field !== undefined) checkPoints(max, count);
  const Match = { bucket: rows, ...namesOf(request.filter), start: { $gte: from, $lt: until } };
  const groupOf = field === undefined ? "" : { $ifNull: [`$${field}`, ""] };
  const top =
    field === undefined
      ? [""]
      : (
          await rollups
            .aggregate<{ _id: string }>(
              [
                { $match: Match },
                { $group: { _id: groupOf, cost: { $sum: "$costNanoUsd" }, requests: { $sum: "$requests" } } },
                { $sort: { cost: -1, requests: -1, _id: 1 } },
                { $limit: max },
              ],
              { maxTimeMS },
            )
            .toArray()
        ).map(({ _id }) => _id);
  const start = { $dateTrunc: { date: "$start", unit: request.bucket } };
  const group = { $cond: [{ $in: [groupOf, top] }, groupOf, null] };
  const found = await rollups
    .aggregate<Row>(
      [{ $match: Match }, { $group: { _id: { start, group }, ...sums } }, { $sort: { "_id.start": 1 } }],
      {
        maxTimeMS,
      },
    )
    .batchSize(rowsAtOnce);
  return { groups: await groupsOf(found, top), fromMs: BigInt(from.getTime()), untilMs: BigInt(until.getTime()) };
}

function checkPoints(groups: number, buckets: number): void {
  // All other groups form one.
  if ((groups + 1) * buckets <= maxPoints) return;
  const fitting = Math.floor(maxPoints / buckets) - 1;
  throw invalid(
    `A series has at most ${maxPoints} points. Request at most ${fitting} groups, or a shorter time.`,
    "top",
  );
}
