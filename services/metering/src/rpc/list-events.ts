import type { ExportEventsResponse } from "@uag/proto/metering/v1/admin.ts";
import type { ListEventsRequest, ListEventsResponse } from "@uag/proto/metering/v1/metering.ts";
import { type EventDocument, fromDocument } from "../store/event.ts";
import type { Store } from "../store/store.ts";
import { namesOf, readPage, timesOf, writeCursor } from "./page.ts";

async function readEvents(store: Store, request: ListEventsRequest, nowMs: number) {
  const { limit, after } = readPage(request.page);
  const { from, until } = timesOf(request.filter, nowMs);
  const following = after && {
    $or: [{ endedAt: { $lt: new Date(after[0]) } }, { endedAt: new Date(after[0]), _id: { $lt: after[1] } }],
  };
  const rows = await store.events
    .find({ ...namesOf(request.filter), endedAt: { $gte: from, $lt: until }, ...following })
    .sort({ endedAt: -1, _id: -1 })
    .limit(limit + 1)
    .toArray();
  const page = rows.slice(0, limit);
  const last = rows.length > limit ? page.at(-1) : undefined;
  return { page, nextCursor: last ? cursorOf(last) : "" };
}

const cursorOf = (row: EventDocument): string => writeCursor(row.endedAt.getTime(), row._id);

/** Single events that ended within the filter's times, newest first. */
export async function listEvents(store: Store, request: ListEventsRequest, nowMs: number): Promise<ListEventsResponse> {
  const { page, nextCursor } = await readEvents(store, request, nowMs);
  return { events: page.map(fromDocument), nextCursor };
}

/** The same, each with the place to go on from. */
export async function exportEvents(
  store: Store,
  request: ListEventsRequest,
  nowMs: number,
): Promise<ExportEventsResponse> {
  const { page, nextCursor } = await readEvents(store, request, nowMs);
  return { events: page.map((row) => ({ event: fromDocument(row), cursor: cursorOf(row) })), nextCursor };
}
