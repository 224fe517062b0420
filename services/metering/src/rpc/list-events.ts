import type { ListEventsRequest, ListEventsResponse } from "@uag/proto/metering/v1/metering.ts";
import { fromDocument } from "../store/event.ts";
import type { Store } from "../store/store.ts";
import { namesOf, readPage, timesOf, writeCursor } from "./page.ts";

/** Single events that ended within the filter's times, newest first. */
export async function listEvents(store: Store, request: ListEventsRequest, nowMs: number): Promise<ListEventsResponse> {
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
  return { events: page.map(fromDocument), nextCursor: last ? writeCursor(last.endedAt.getTime(), last._id) : "" };
}
