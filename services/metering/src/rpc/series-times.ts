import { GatewayError } from "@uag/contract/errors/gateway-error";
import { timesOf } from "./filter.ts";

const dayMs = 86_400_000;
const usualGroups = 10;
const maxGroups = 50;
/** More points would take too long to encode, here and in the router, in one turn of the event loop. */
const maxPoints = 10_000;

/** By bucket: the roll-ups it is built from, its default range, its maximum range, and its least length. */
const buckets = {
  hour: { rows: "hour", usualDays: 1, maxDays: 31, lengthMs: 3_600_000 },
  day: { rows: "day", usualDays: 30, maxDays: 400, lengthMs: dayMs },
  month: { rows: "day", usualDays: 365, maxDays: 3_660, lengthMs: 28 * dayMs },
} as const;

function invalid(text: string, param: string): GatewayError {
  return new GatewayError("invalid_request", text, { param });
}

/** Looks a name up in one of our tables. @throws {GatewayError} `invalid_request` */
export function entryOf<T extends object, K extends keyof T>(table: T, name: string, param: string): T[K] {
  if (!Object.hasOwn(table, name)) throw invalid(`${param} must be one of ${Object.keys(table).join(", ")}.`, param);
  return table[name as K];
}

/**
 * The time range of a series, starting at the start of a bucket, and its number of buckets; a time
 * of 0 is open.
 * @throws {GatewayError} `invalid_request`
 */
export function readTimes(
  { bucket, fromMs, untilMs }: { readonly bucket: string; readonly fromMs: bigint; readonly untilMs: bigint },
  nowMs: number,
) {
  const { rows, usualDays, maxDays, lengthMs } = entryOf<typeof buckets, keyof typeof buckets>(
    buckets,
    bucket,
    "bucket",
  );
  const { from: requested, until } = timesOf({ fromMs, untilMs }, nowMs);
  const start = new Date(fromMs ? requested.getTime() : until.getTime() - usualDays * dayMs);
  if (bucket === "hour") start.setUTCMinutes(0, 0, 0);
  else start.setUTCHours(0, 0, 0, 0);
  if (bucket === "month") start.setUTCDate(1);
  if (until.getTime() - start.getTime() > (maxDays + 31) * dayMs)
    throw invalid(`A series by ${bucket} can cover at most ${maxDays} days.`, "filter.from_ms");
  return { rows, from: start, until, buckets: Math.ceil((until.getTime() - start.getTime()) / lengthMs) };
}

/**
 * The number of groups of a series, within the limits of its size.
 * @param top 0: the default
 * @throws {GatewayError} `invalid_request`
 */
export function checkedGroups(top: number, { grouped, buckets }: { grouped: boolean; buckets: number }): number {
  const max = top || usualGroups;
  if (max > maxGroups) throw invalid(`At most ${maxGroups} groups are allowed.`, "top");
  // All other groups form one.
  if (!grouped || (max + 1) * buckets <= maxPoints) return max;
  const fitting = Math.floor(maxPoints / buckets) - 1;
  throw invalid(
    `A series has at most ${maxPoints} points. Request at most ${fitting} groups, or a shorter time.`,
    "top",
  );
}
