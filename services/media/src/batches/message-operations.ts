import { GatewayError } from "@uag/contract/errors/gateway-error";
import { errorText } from "@uag/contract/errors/shapes";
import { messageBatchListQuery } from "@uag/contract/requests/batches";
import { type ErrorFormat, reportOf } from "@uag/pipeline/client-error";
import { defineQuery, type QuerySpec } from "@uag/pipeline/operation/define-query";
import type { Operation, OperationsOf } from "@uag/pipeline/operation/operation";
import { readQuery } from "@uag/pipeline/request/query";
import { idIn } from "../files/id-in.ts";
import type { BatchOwner } from "./batch.ts";
import type { BatchContext } from "./context.ts";
import { createMessages } from "./create-messages.ts";
import { messageViewOf } from "./message-view.ts";

const nativeErrors: ErrorFormat = {
  errorBody: (clientError) => Buffer.from(errorText("native", reportOf(clientError))),
};

const ownerOf = ({ accountId }: { accountId: string }): BatchOwner => ({ accountId, format: "anthropic" });

type Name = Extract<keyof OperationsOf<"media">, `message_batches.${string}`>;

/** The operations on batches of messages, by their names in the table of routes. */
export function messageOperations(context: BatchContext): Pick<OperationsOf<"media">, Name> {
  const { batches, publicUrl } = context;
  const define = (respond: QuerySpec["respond"]): Operation =>
    defineQuery(context, { errorFormat: nativeErrors, respond });
  return {
    "message_batches.create": define(async (exchange, caller) => {
      const batch = await createMessages(context, exchange, caller);
      context.wake();
      return { body: messageViewOf(batch, publicUrl) };
    }),
    "message_batches.get": define(async ({ target }, caller) => ({
      body: messageViewOf(await batches.find(ownerOf(caller), idIn(target, "batches")), publicUrl),
    })),
    "message_batches.cancel": define(async ({ target }, caller) => ({
      body: messageViewOf(await batches.cancel(ownerOf(caller), idIn(target, "batches")), publicUrl),
    })),
    "message_batches.list": define(listOf(context)),
    "message_batches.results": define(resultsOf(context)),
    "message_batches.delete": define(async ({ target }, caller) => {
      const { _id: id, accountId, outputFileId } = await batches.delete(ownerOf(caller), idIn(target, "batches"));
      if (outputFileId !== undefined) await context.files.delete(accountId, outputFileId).catch(unlessGone);
      return { body: { id, type: "message_batch_deleted" } };
    }),
  };
}

function listOf({ batches, publicUrl }: BatchContext): QuerySpec["respond"] {
  return async ({ target }, caller) => {
    const { limit, after_id: after, before_id: before } = readQuery(messageBatchListQuery, target);
    const found = await batches.list(ownerOf(caller), { limit: limit + 1, after, before });
    const page = before === undefined ? found.slice(0, limit) : found.slice(-limit);
    const data = page.map((batch) => messageViewOf(batch, publicUrl));
    const [firstId, lastId] = [data[0]?.id ?? null, data.at(-1)?.id ?? null];
    return { body: { data, first_id: firstId, last_id: lastId, has_more: found.length > data.length } };
  };
}

function resultsOf({ batches, files }: BatchContext): QuerySpec["respond"] {
  return async ({ target }, caller) => {
    const { live, outputFileId } = await batches.find(ownerOf(caller), idIn(target, "batches"));
    if (live || outputFileId === undefined)
      throw new GatewayError("not_found", "The batch has no results yet. They are available once it has ended.");
    const file = await files.find(caller.accountId, outputFileId);
    const headers = ["content-type", "application/octet-stream", "content-length", String(file.bytes)];
    return { headers, chunks: files.read(file) };
  };
}

/** A file of results that expired or was deleted is no failure. */
function unlessGone(error: unknown): void {
  if (!(error instanceof GatewayError) || error.code !== "not_found") throw error;
}
