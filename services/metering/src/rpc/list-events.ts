import { GatewayError } from "@uag/contract/errors/gateway-error";
import { refuseLongSearch } from "@uag/mongo/long-search";
import { longRowsAtOnce, readTimedPage, type TimePlace, timedCursor, toPage } from "@uag/mongo/paging";
import type { ExportEventsResponse } from "@uag/proto/metering/v1/admin.ts";
import type { ListEventsRequest, ListEventsResponse } from "@uag/proto/metering/v1/metering.ts";
import { mapInTurns } from "@uag/runtime/pace";
import { type EventDocument, fromDocument } from "@uag/usage/documents/event";
import { endOf, outside, type Partition } from "@uag/usage/documents/months";
import type { Store } from "../store/store.ts";
import { endsOf, namesOf, timesOf } from "./filter.ts";
import { eventSearch } from "./search-limit.ts";

/** No request lasts longer, so rows of a month ended at most this long after the month. */
const maxRequestMs = 31 * 86_400_000;

/** Whether rows of a month may have ended at or after a given time. */
const reaches = (month: string | undefined, moment: Date): boolean =>
  month === undefined || month === outside || endOf(month).getTime() + maxRequestMs > moment.getTime();

const newestFirst = (a: EventDocument, b: EventDocument): number =>
  b.endedAt.getTime() - a.endedAt.getTime() || (a._id < b._id ? 1 : -1);

/**
 * The ranges of rows behind a place, newest first. Each is one range of the index: a single filter
 * for both would scan it from its beginning for every page.
 */
function rangesOf({ from, until }: { from: Date; until: Date }, after: TimePlace | undefined): object[] {
  if (after === undefined || after.at >= until) return [{ endedAt: { $gte: from, $lt: until } }];
  const older = { endedAt: { $gte: from, $lt: after.at } };
  return after.at < from ? [] : [{ endedAt: after.at, _id: { $lt: after.id } }, older];
}

/**
 * The newest matching rows over all months: older months are skipped once the page is full of newer
 * rows.
 */
async function newest(
  partitions: readonly Partition[],
  query: { filters: readonly object[]; from: Date; max: number },
): Promise<EventDocument[]> {
  const { filters, from, max } = query;
  let page: EventDocument[] = [];
  const deadline = performance.now() + eventSearch.maxTimeMS;
  for (const { month, rows } of partitions) {
    const last = page[max - 1];
    if (!reaches(month, last === undefined ? from : last.endedAt)) continue;
    const maxTimeMS = Math.max(1, Math.round(deadline - performance.now()));
    const options = { maxTimeMS, batchSize: longRowsAtOnce, limit: max };
    const find = (filter: object) => rows.find(filter, options).sort({ endedAt: -1, _id: -1 }).toArray();
    const found = await Promise.all(filters.map(find));
    page = [...page, ...found.flat()].sort(newestFirst).slice(0, max);
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
  const partitions = await store.partitions.list();
  await refuseArchived(store, from);
  const [names, ends] = [namesOf(request.filter), endsOf(request.filter)];
  const filters = rangesOf({ from, until }, after).map((range) => ({ $and: [{ ...names, ...range }, ends] }));
  const found = await newest(partitions, { filters, from, max: limit + 1 }).catch(refuseLongSearch(eventSearch));
  return toPage(found, limit, cursorOf);
}

const cursorOf = (row: EventDocument): string => timedCursor(row.endedAt, row._id);

/** Single events that ended within the filter's times, newest first. */
export async function listEvents(store: Store, request: ListEventsRequest, nowMs: number): Promise<ListEventsResponse> {
  const { rows, nextCursor } = await readEvents(store, request, nowMs);
  return { events: await mapInTurns(rows, fromDocument), nextCursor };
}

/** Like `listEvents`, but each row comes with its cursor. */
export async function exportEvents(
  store: Store,
  request: ListEventsRequest,
  nowMs: number,
): Promise<ExportEventsResponse> {
  const { rows, nextCursor } = await readEvents(store, request, nowMs);
  const exported = (row: EventDocument) => ({ event: fromDocument(row), cursor: cursorOf(row) });
  return { events: await mapInTurns(rows, exported), nextCursor };
}
