import { GatewayError } from "@uag/contract/errors/gateway-error";
import { inputItemsQuery, responseQuery } from "@uag/contract/requests/queries";
import { defineQuery, type JsonReply } from "@uag/pipeline/operation/define-query";
import type { Operation } from "@uag/pipeline/operation/operation";
import { readQuery } from "@uag/pipeline/request/query";
import type { Caller } from "@uag/proto/common/v1/caller.ts";
import { pathOf } from "@uag/runtime/http/target";
import type { ChatContext } from "../context.ts";
import type { ResponseDocument, StoredTurn } from "../state/document.ts";
import { inputPage } from "../state/input-page.ts";
import type { ResponseStore } from "../state/store.ts";

type StateContext = Pick<ChatContext, "stored" | "events" | "buffers">;

/** `GET /v1/responses/{id}`: the response object as its client received it. */
export function getResponse(context: StateContext): Operation {
  return defineQuery(context, {
    async respond({ target }, caller) {
      readQuery(responseQuery, target);
      const found = await find(context, caller, target);
      const [turn] = await read(context, caller, found.store, [found.row]);
      return { body: turn?.response ?? {} };
    },
  });
}

/** `DELETE /v1/responses/{id}`: responses that continue it cannot be continued any more. */
export function deleteResponse(context: StateContext): Operation {
  return defineQuery(context, {
    async respond({ target }, caller) {
      const { row, store } = await find(context, caller, target);
      await store.delete(caller.accountId, row.id);
      return { body: { id: row.id, object: "response", deleted: true } };
    },
  });
}

/** `GET /v1/responses/{id}/input_items`: a page of the conversation that the response responds to. */
export function listInputItems(context: StateContext): Operation {
  return defineQuery(context, {
    async respond({ target }, caller): Promise<JsonReply> {
      const query = readQuery(inputItemsQuery, target);
      const { row, store } = await find(context, caller, target);
      const earlier = (await store.findAll(caller.accountId, row.previousIds)) ?? [];
      return { body: inputPage(await read(context, caller, store, [...earlier, row]), query) };
    },
  });
}

interface Found {
  readonly row: ResponseDocument;
  readonly store: ResponseStore;
}

/** @throws {GatewayError} `not_found`, also for the response of another account */
async function find({ stored }: StateContext, caller: Caller, target: string): Promise<Found> {
  const id = idIn(target);
  const row = await stored?.find(caller.accountId, id);
  if (row !== undefined && stored !== undefined) return { row, store: stored };
  const why =
    caller.storesResponses === true
      ? "Responses are stored for 30 days, unless their request has store: false."
      : "This account does not store responses: its administrator can turn on store_responses.";
  throw new GatewayError("not_found", `Response with id '${id.slice(0, 200)}' not found. ${why}`, { param: "id" });
}

/** The content of stored responses, accounted for as memory of the account while it is read. */
async function read(
  { buffers }: StateContext,
  { accountId }: Caller,
  store: ResponseStore,
  rows: readonly ResponseDocument[],
): Promise<StoredTurn[]> {
  using lease = buffers.open(accountId);
  const turns: StoredTurn[] = [];
  for (const row of rows) {
    lease.take(row.bytes);
    turns.push(await store.read(row));
  }
  return turns;
}

/** The id in `/v1/responses/{id}` and the paths below it. */
function idIn(target: string): string {
  try {
    return decodeURIComponent(pathOf(target).split("/")[3] ?? "");
  } catch {
    return "";
  }
}
