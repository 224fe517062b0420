import { GatewayError } from "@uag/contract/errors/gateway-error";
import { refuseLongSearch, type SearchLimit } from "@uag/mongo/long-search";
import { readTimedPage, timedCursor, toPage } from "@uag/mongo/paging";
import type { Delivery } from "@uag/proto/notifications/v1/notifications.ts";
import {
  type DeliveryDocument,
  type DeliveryState,
  type DeliveryStore,
  deliveryStates,
} from "../deliveries/deliveries.ts";
import type { Messages } from "../messages.ts";
import { type Methods, missing, stored } from "./method.ts";

/** Within the time limit of a call. A state that few deliveries have reads all of them. */
const search: SearchLimit = { maxTimeMS: 4_000, remedy: "Filter by account, task or alert as well.", param: "account" };

interface DeliveryParts {
  readonly deliveries: DeliveryStore;
  readonly messages: Messages;
}

export function deliveryMethods({
  deliveries,
  messages,
}: DeliveryParts): Methods<"listDeliveries" | "getDelivery" | "replay"> {
  return {
    async listDeliveries({ accountId, state, taskId, alertId, page }) {
      const { limit, after } = readTimedPage(page);
      const { maxTimeMS } = search;
      const query = { accountId, state: stateOf(state), taskId, alertId, after, limit: limit + 1, maxTimeMS };
      const found = await stored(deliveries.list(query).catch(refuseLongSearch(search)));
      const { rows, nextCursor } = toPage(found, limit, (row) => timedCursor(row.createdAt, row._id));
      return { deliveries: rows.map(messageOf), nextCursor };
    },
    async getDelivery({ id }) {
      const delivery = await stored(deliveries.get(id));
      if (delivery === null) throw missing("The delivery does not exist.");
      return { ...messageOf(delivery), body: delivery.body };
    },
    async replay({ id }) {
      return { delivery: messageOf(await stored(messages.replay(id))) };
    },
  };
}

function stateOf(text: string): DeliveryState | undefined {
  if (text === "") return undefined;
  const state = deliveryStates.find((known) => known === text);
  if (state !== undefined) return state;
  throw new GatewayError("invalid_request", `state: must be one of ${deliveryStates.join(", ")}.`, { param: "state" });
}

function messageOf(delivery: DeliveryDocument): Delivery {
  const { _id: id, accountId, taskIds, alertId = "", type, state, createdAt, dueAt, attempts } = delivery;
  return {
    id,
    accountId,
    taskId: taskIds.at(-1) ?? "",
    alertId,
    type,
    url: delivery.url.split(/[?#]/, 1)[0] ?? "",
    state,
    createdAtMs: BigInt(createdAt.getTime()),
    nextAttemptAtMs: state === "pending" ? BigInt(dueAt.getTime()) : 0n,
    attempts: attempts.map(({ at, durationMs, status, error }) => ({
      atMs: BigInt(at.getTime()),
      durationMs: BigInt(durationMs),
      status,
      error,
    })),
    body: "",
  };
}
