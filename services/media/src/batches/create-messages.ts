import { GatewayError } from "@uag/contract/errors/gateway-error";
import { createMessageBatchRequest } from "@uag/contract/requests/batches";
import type { LinkExchange } from "@uag/link/server-exchange";
import { readJsonBody } from "@uag/pipeline/request/body";
import type { Caller } from "@uag/proto/common/v1/caller.ts";
import { newId } from "@uag/runtime/ids";
import { checked } from "@uag/untrusted/schema-fault";
import type { z } from "zod";
import { type BatchDocument, messagesEndpoint } from "./batch.ts";
import type { BatchContext } from "./context.ts";
import { maxLineBytesOf } from "./endpoints.ts";
import { newBatch } from "./new-batch.ts";

/** Longer than a batch takes. */
const inputMs = 3 * 86_400_000;
const outputSeconds = 30 * 86_400;

type Requests = z.output<typeof createMessageBatchRequest>["requests"];

/**
 * Creates a batch of the messages in a request. They are stored as the lines of an input file that
 * its owner does not see, and which counts toward the account's space until it is removed.
 */
export async function createMessages(
  context: BatchContext,
  exchange: LinkExchange,
  caller: Caller,
): Promise<BatchDocument> {
  const { batches, files, clock, buffers, batchEvents } = context;
  using lease = buffers.open(caller.accountId);
  const { fields, body } = await readJsonBody(exchange, lease, { opaque: untouched });
  const { requests } = checked(createMessageBatchRequest, fields);
  requireUniqueIds(requests);
  const { accountId, keyId } = caller;
  const now = await clock.moment();
  const [fileId, objectId] = [newId("file"), newId("object")];
  await files.begin({
    _id: fileId,
    accountId,
    keyId,
    filename: "",
    purpose: "batch",
    bytes: body.length,
    objectId,
    state: "uploading",
    createdAt: new Date(now),
    removeAt: new Date(now + inputMs),
  });
  try {
    const bytes = await files.objects.put(objectId, "application/jsonl", linesOf(requests));
    const [key, betas] = [exchange.header("idempotency-key"), exchange.header("anthropic-beta")];
    const order = {
      accountId,
      keyId,
      format: "anthropic" as const,
      ...(key !== undefined && { idempotencyKey: `messages ${key}` }),
      ...(betas !== undefined && { betas }),
      endpoint: messagesEndpoint,
      inputFileId: fileId,
      input: { objectId, bytes },
      outputSeconds,
    } as const;
    const checkedBatch = { status: "in_progress", stage: "run", total: requests.length } as const;
    const made = { ...newBatch(order, now), ...checkedBatch, at: { in_progress: new Date(now) } };
    const batch = await batches.create(made);
    if (batch._id === made._id) batchEvents.created(batch);
    else await files.discard(fileId);
    return batch;
  } catch (error) {
    // What cannot be removed now, the sweeper removes.
    await files.discard(fileId).catch(() => undefined);
    throw error;
  }
}

/** Null is meaningful in a message's parameters. */
const untouched: ReadonlySet<string> = new Set(["params"]);

function requireUniqueIds(requests: Requests): void {
  const seen = new Set<string>();
  for (const [index, { custom_id }] of requests.entries()) {
    const param = `requests[${index}].custom_id`;
    if (seen.has(custom_id))
      throw new GatewayError("invalid_request", `${param}: another request has the same custom_id.`, { param });
    seen.add(custom_id);
  }
}

/** @throws {GatewayError} `payload_too_large`: written again, a number such as 1e20 is longer than it was */
async function* linesOf(requests: Requests): AsyncGenerator<Buffer> {
  const maxBytes = maxLineBytesOf(messagesEndpoint);
  for (const { custom_id, params } of requests) {
    const line = Buffer.from(`${JSON.stringify({ custom_id, method: "POST", url: messagesEndpoint, body: params })}\n`);
    if (line.length > maxBytes)
      throw new GatewayError("payload_too_large", `The request ${custom_id} is longer than ${maxBytes} bytes.`);
    yield line;
  }
}
