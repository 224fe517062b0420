import { GatewayError } from "@uag/contract/errors/gateway-error";
import { readTimedPage, timedCursor, toPage } from "@uag/mongo/paging";
import type { ExportEventsResponse } from "@uag/proto/metering/v1/admin.ts";
import type { ListEventsRequest, ListEventsResponse } from "@uag/proto/metering/v1/metering.ts";
import { type EventDocument, fromDocument } from "@uag/usage/documents/event";
import { endOf, outside, type Partition } from "@uag/usage/documents/months";
import type { Store } from "../store/store.ts";
import { endsOf, namesOf, timesOf } from "./filter.ts";

/** No request lasts longer, so rows of a month ended at most this long after the month. */
const maxRequestMs = 31 * 86_400_000;

/** Whether rows of a month may have ended at or after a given time. */
const reaches = (month: string | undefined, moment: Date): boolean =>
  month === undefined || month === outside || endOf(month).getTime() + maxRequestMs > moment.getTime();

const newestFirst = (a: EventDocument, b: EventDocument): number =>
  b.endedAt.getTime() - a.endedAt.getTime() || (a._id < b._id ? 1 : -1);

/**
 * The newest matching rows over all months: older months are skipped once the page is full of newer
 * rows.
 */
async function newest(partitions: readonly Partition[], query: { filter: object; from: Date; max: number }) {
  const { filter, from, max } = query;
  let page: EventDocument[] = [];
  for (const { month, rows } of partitions) {
    const last = page[max - 1];
    if (!reaches(month, last === undefined ? from : last.endedAt)) continue;
    const found = await rows.find(filter).sort({ endedAt: -1, _id: -1 }).limit(max).toArray();
    page = [...page, ...found].sort(newestFirst).slice(0, max);
  }
  return page;
}

/**
 * @throws {GatewayError} `invalid_request` when the requested rows are no longer in the database
 */
async function refuseArchived({ months }: Store, from: Date): Promise<void> {
  if (from.getTime() === 0) return;
  const [last] = await months.find().sort({ _id: -1 }).limit(1).toArray();
  if (last === undefined || from >= endOf(last._id)) return;
  throw new GatewayError(
    "invalid_request",
    `Single requests of ${last._id} and before are archived. Query requests from ${endOf(last._id).toISOString()} on. Usage by hour and day goes back further.`,
    { param: "filter.from_ms" },
  );
}

async function readEvents(store: Store, request: ListEventsRequest, nowMs: number) {
  const { limit, after } = readTimedPage(request.page);
  const { from, until } = timesOf(request.filter, nowMs);
  const following = after && {
    $or: [{ endedAt: { $lt: after.at } }, { endedAt: after.at, _id: { $lt: after.id } }],
  };
  const partitions = await store.partitions.list();
  await refuseArchived(store, from);
  const names = { ...namesOf(request.filter), ...endsOf(request.filter) };
  const filter = { ...names, endedAt: { $gte: from, $lt: until }, ...following };
  return toPage(await newest(partitions, { filter, from, max: limit + 1 }), limit, cursorOf);
}

const cursorOf = (row: EventDocument): string => timedCursor(row.endedAt, row._id);

/** Single events that ended within the filter's times, newest first. */
export async function listEvents(store: Store, request: ListEventsRequest, nowMs: number): Promise<ListEventsResponse> {
  const { rows, nextCursor } = await readEvents(store, request, nowMs);
  return { events: rows.map(fromDocument), nextCursor };
}

/** Like `listEvents`, but each row comes with its cursor. */
export async function exportEvents(
  store: Store,
  request: ListEventsRequest,
  nowMs: number,
): Promise<ExportEventsResponse> {
  const { rows, nextCursor } = await readEvents(store, request, nowMs);
  return { events: rows.map((row) => ({ event: fromDocument(row), cursor: cursorOf(row) })), nextCursor };
}
