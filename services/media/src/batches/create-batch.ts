import { maxBodyBytesOf } from "@uag/contract/body-limits";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import { batchBounds, createBatchRequest } from "@uag/contract/requests/batches";
import type { LinkExchange } from "@uag/link/server-exchange";
import { defineQuery } from "@uag/pipeline/operation/define-query";
import type { Operation } from "@uag/pipeline/operation/operation";
import { readJsonObject } from "@uag/pipeline/request/body";
import type { Caller } from "@uag/proto/common/v1/caller.ts";
import { checked } from "@uag/untrusted/schema-fault";
import type { FileDocument } from "../files/file.ts";
import type { BatchDocument } from "./batch.ts";
import type { BatchContext } from "./context.ts";
import { newBatch } from "./new-batch.ts";
import { viewOf } from "./view.ts";

/** As for the files of batches. */
const outputSeconds = 30 * 86_400;

/** `POST /v1/batches`: stores the batch, which a worker then runs. */
export function createBatch(context: BatchContext): Operation {
  return defineQuery(context, {
    async respond(exchange, caller) {
      const batch = await create(context, exchange, caller);
      context.wake();
      return { body: viewOf(batch) };
    },
  });
}

async function create(context: BatchContext, exchange: LinkExchange, caller: Caller): Promise<BatchDocument> {
  const { batches, clock, batchEvents } = context;
  const body = await exchange.readBody({ maxBytes: maxBodyBytesOf(exchange.operation) });
  const request = checked(createBatchRequest, readJsonObject(body).fields);
  const { accountId, keyId } = caller;
  // Result files are also stored beyond the account's space; then no more are made.
  await context.files.requireSpace(accountId);
  const input = inputOf(await findInput(context, accountId, request.input_file_id));
  const now = await clock.moment();
  const idempotencyKey = exchange.header("idempotency-key");
  const order = {
    accountId,
    keyId,
    ...(idempotencyKey !== undefined && { idempotencyKey }),
    format: "openai" as const,
    endpoint: request.endpoint,
    inputFileId: request.input_file_id,
    input,
    ...(request.metadata != null && { metadata: request.metadata }),
    outputSeconds: request.output_expires_after?.seconds ?? outputSeconds,
  };
  const batch = await batches.create(newBatch(order, now));
  batchEvents.created(batch);
  return batch;
}

async function findInput({ files }: BatchContext, accountId: string, id: string): Promise<FileDocument> {
  return await files.find(accountId, id).catch((error: unknown) => {
    if (!(error instanceof GatewayError) || error.code !== "not_found") throw error;
    throw wrongInput("The file does not exist.");
  });
}

function inputOf({ purpose, objectId, bytes }: FileDocument): BatchDocument["input"] {
  if (purpose !== "batch") throw wrongInput(`The file has the purpose ${purpose}; upload it with the purpose batch.`);
  if (bytes > batchBounds.bytes)
    throw wrongInput(`The file has ${bytes} bytes; a batch's may have ${batchBounds.bytes}. Split it.`);
  return { objectId, bytes };
}

const wrongInput = (text: string): GatewayError =>
  new GatewayError("invalid_request", `input_file_id: ${text}`, { param: "input_file_id" });
