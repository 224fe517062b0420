import { createMessageBatchRequest, messageBatchListQuery } from "@uag/contract/requests/batches";
import { deletedMessageBatch, messageBatch, messageBatchList } from "@uag/contract/responses/batches";
import { z } from "zod";
import type { Call } from "../examples/types.ts";
import type { Operation } from "../operation.ts";

export const tags = {
  "Message batches":
    "Many messages in one request, run within 24 hours, in the format of Anthropic's API. Each is admitted, limited and billed as if it were sent alone.",
};

const shown = { json: { MessageBatch: messageBatch } };

/** Batches of messages. Each example needs the one before: `callMessageBatches` sends them. */
export const endpoints = {
  "message_batches.create": {
    id: "createMessageBatch",
    tag: "Message batches",
    summary: "Creates a batch of messages",
    request: { CreateMessageBatchRequest: createMessageBatchRequest },
    ok: shown,
    errors: ["too_many_open_requests", "storage_limit_exceeded"],
  },
  "message_batches.list": {
    id: "listMessageBatches",
    tag: "Message batches",
    summary: "Lists the account's batches of messages, newest first",
    ok: { json: { MessageBatchList: messageBatchList } },
    query: messageBatchListQuery.shape,
  },
  "message_batches.get": {
    id: "getMessageBatch",
    tag: "Message batches",
    summary: "Shows a batch of messages",
    ok: shown,
  },
  "message_batches.results": {
    id: "getMessageBatchResults",
    tag: "Message batches",
    summary: "Returns the results of an ended batch, one JSON object per line",
    ok: { bytes: true },
  },
  "message_batches.cancel": {
    id: "cancelMessageBatch",
    tag: "Message batches",
    summary: "Cancels a batch of messages; requests that are running are finished",
    bodyIsOptional: true,
    request: { CancelMessageBatchRequest: z.object({}) },
    ok: shown,
  },
  "message_batches.delete": {
    id: "deleteMessageBatch",
    tag: "Message batches",
    summary: "Deletes an ended batch of messages and its results",
    ok: { json: { DeletedMessageBatch: deletedMessageBatch } },
  },
} satisfies Readonly<Record<string, Operation>>;

const params = { model: "claude-sonnet-4-6", max_tokens: 20, messages: [{ role: "user", content: "Hello!" }] };

/** Sends the examples of batches of messages, in a working order. */
export async function callMessageBatches(call: Call): Promise<void> {
  const first = await call("message_batches.create", ["one", "A batch of one message"], {
    body: { requests: [{ custom_id: "greeting", params }] },
  });
  const path = { id: String(first["id"]) };
  await call("message_batches.get", ["ended", "A batch that has ended"], {
    path,
    until: ({ processing_status }) => processing_status === "ended",
  });
  await call("message_batches.results", ["one", "The result of one message"], { path });
  const requests = Array.from({ length: 3 }, (_, n) => ({ custom_id: `greeting-${n + 1}`, params }));
  const second = await call("message_batches.create", ["several", "A batch of several messages"], {
    body: { requests },
  });
  await call("message_batches.cancel", ["running", "A batch that was just created"], {
    path: { id: String(second["id"]) },
    body: {},
  });
  await call("message_batches.list", ["newest", "The newest batch"], { query: { limit: 1 } });
  await call("message_batches.delete", ["ended", "A batch that has ended"], { path });
}
