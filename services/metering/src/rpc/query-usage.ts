import { GatewayError } from "@uag/contract/errors/gateway-error";
import { refuseLongSearch } from "@uag/mongo/long-search";
import { longRowsAtOnce, readTimedPage, timedCursor, toPage } from "@uag/mongo/paging";
import type { QueryUsageRequest, QueryUsageResponse, UsageBucket } from "@uag/proto/metering/v1/metering.ts";
import { mapInTurns } from "@uag/runtime/pace";
import type { RollupDocument } from "../store/rollup.ts";
import type { Store } from "../store/store.ts";
import { namesOf, timesOf } from "./filter.ts";
import { sumSearch } from "./search-limit.ts";

/** Roll-ups whose hour or day begins within the filter's times, oldest first. */
export async function queryUsage(store: Store, request: QueryUsageRequest, nowMs: number): Promise<QueryUsageResponse> {
  const { bucket } = request;
  if (bucket !== "hour" && bucket !== "day") {
    throw new GatewayError("invalid_request", "bucket must be hour or day.", { param: "bucket" });
  }
  const { limit, after } = readTimedPage(request.page);
  const { from, until } = timesOf(request.filter, nowMs);
  const following = after && {
    $or: [{ start: { $gt: after.at } }, { start: after.at, _id: { $gt: after.id } }],
  };
  const found = await store.rollups
    .find({
      bucket,
      ...namesOf(request.filter),
      start: { $gte: from, $lt: until },
      ...following,
    })
    .sort({ start: 1, _id: 1 })
    .limit(limit + 1)
    .maxTimeMS(sumSearch.maxTimeMS)
    .batchSize(longRowsAtOnce)
    .toArray()
    .catch(refuseLongSearch(sumSearch));
  const { rows, nextCursor } = toPage(found, limit, (row) => timedCursor(row.start, row._id));
  return { buckets: await mapInTurns(rows, toBucket), nextCursor };
}

function toBucket(row: RollupDocument): UsageBucket {
  const { accountId, keyId, model, operation, upstream = "", requests, costNanoUsd } = row;
  const units = Object.entries(row.units ?? {}).map(([name, quantity]) => ({ name, quantity }));
  const startMs = BigInt(row.start.getTime());
  const writtenOffNanoUsd = row.writtenOffNanoUsd ?? 0n;
  return { startMs, accountId, keyId, model, operation, requests, costNanoUsd, units, writtenOffNanoUsd, upstream };
}
