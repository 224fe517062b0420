import { GatewayError } from "@uag/contract/errors/gateway-error";
import { inputItemsQuery, responseQuery } from "@uag/contract/requests/queries";
import { defineQuery } from "@uag/pipeline/operation/define-query";
import type { JsonReply } from "@uag/pipeline/operation/json-reply";
import type { Operation } from "@uag/pipeline/operation/operation";
import { readQuery } from "@uag/pipeline/request/query";
import type { Caller } from "@uag/proto/common/v1/caller.ts";
import { pathOf } from "@uag/runtime/http/target";
import { type JobDocument, statusOf } from "../background/job.ts";
import { withState } from "../background/view.ts";
import type { ChatContext } from "../context.ts";
import type { ResponseDocument, StoredTurn } from "../state/document.ts";
import { inputPage } from "../state/input-page.ts";
import { responseNotFound } from "../state/not-found.ts";
import type { ResponseStore } from "../state/store.ts";

/** What operations on stored responses work with. */
export type StateContext = Pick<ChatContext, "stored" | "background" | "events" | "buffers">;

/**
 * `GET /v1/responses/{id}`: the response object as its client received it, or the state of one in the
 * background; with `stream`, the events of one that is streamed in the background.
 */
export function getResponse(context: StateContext): Operation {
  return defineQuery(context, {
    async respond({ target, signal }, caller) {
      const { stream, starting_after: after = -1 } = readQuery(responseQuery, target);
      const { background } = context;
      if (stream === "true" && background !== undefined)
        return background.followers.follow({ caller, id: responseIdIn(target), from: after + 1, signal });
      return { body: await findResponse(context, caller, target) };
    },
  });
}

/** @throws {GatewayError} `not_found` */
export async function findResponse(context: StateContext, caller: Caller, target: string): Promise<Buffer | object> {
  const { stored, background } = context;
  const { accountId } = caller;
  const id = responseIdIn(target);
  const isStored = (await stored?.find(accountId, id)) !== undefined;
  const job = isStored ? undefined : await background?.jobs.find(accountId, id);
  if (job !== undefined) return await shownJob(context, job);
  // One that was in the background has been stored by now.
  const { row, store } = await find(context, caller, target);
  const [turn] = await read(context, caller, store, [row]);
  return turn?.response ?? {};
}

/** The state of a response in the background. */
export async function shownJob({ background }: StateContext, job: JobDocument): Promise<Buffer | object> {
  const queued = await background?.jobs.readResponse(job);
  return queued === undefined ? {} : withState(queued, { status: statusOf(job) });
}

/** `DELETE /v1/responses/{id}`: responses that continue it cannot be continued any more. */
export function deleteResponse(context: StateContext): Operation {
  return defineQuery(context, {
    async respond({ target }, caller) {
      const job = await context.background?.jobs.find(caller.accountId, responseIdIn(target));
      if (job !== undefined)
        throw new GatewayError("invalid_request", "The response is in progress. Cancel it first.", { param: "id" });
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
  const id = responseIdIn(target);
  const row = await stored?.find(caller.accountId, id);
  if (row !== undefined && stored !== undefined) return { row, store: stored };
  throw responseNotFound(caller, id);
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
export function responseIdIn(target: string): string {
  try {
    return decodeURIComponent(pathOf(target).split("/")[3] ?? "");
  } catch {
    return "";
  }
}
