import { GatewayError } from "@uag/contract/errors/gateway-error.ts";
import type { QueryUsageRequest, QueryUsageResponse, UsageBucket } from "@uag/proto/metering/v1/metering.ts";
import type { RollupDocument } from "../store/rollup.ts";
import type { Store } from "../store/store.ts";
import { namesOf, readPage, timesOf, writeCursor } from "./page.ts";

/** Roll-ups whose hour or day begins within the filter's times, oldest first. */
export async function queryUsage(store: Store, request: QueryUsageRequest, nowMs: number): Promise<QueryUsageResponse> {
  const { bucket } = request;
  if (bucket !== "hour" && bucket !== "day") {
    throw new GatewayError("invalid_request", "bucket is hour or day.", { param: "bucket" });
  }
  const { limit, after } = readPage(request.page);
  const { from, until } = timesOf(request.filter, nowMs);
  const following = after && {
    $or: [{ start: { $gt: new Date(after[0]) } }, { start: new Date(after[0]), _id: { $gt: after[1] } }],
  };
  const rows = await store.rollups
    .find({ bucket, ...namesOf(request.filter), start: { $gte: from, $lt: until }, ...following })
    .sort({ start: 1, _id: 1 })
    .limit(limit + 1)
    .toArray();
  const page = rows.slice(0, limit);
  const last = rows.length > limit ? page.at(-1) : undefined;
  return { buckets: page.map(toBucket), nextCursor: last ? writeCursor(last.start.getTime(), last._id) : "" };
}

function toBucket(row: RollupDocument): UsageBucket {
  const { accountId, keyId, model, operation, requests, costNanoUsd } = row;
  const units = Object.entries(row.units ?? {}).map(([name, quantity]) => ({ name, quantity }));
  const startMs = BigInt(row.start.getTime());
  const writtenOffNanoUsd = row.writtenOffNanoUsd ?? 0n;
  return { startMs, accountId, keyId, model, operation, requests, costNanoUsd, units, writtenOffNanoUsd };
}
