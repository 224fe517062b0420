import { batchListQuery, cancelBatchRequest, createBatchRequest } from "@uag/contract/requests/batches";
import { batch, batchList } from "@uag/contract/responses/batches";
import type { Call } from "../examples/types.ts";
import type { Operation } from "../operation.ts";

export const tags = {
  Batches:
    "Many requests in one file, run within 24 hours, in the format of OpenAI's API. Each request is admitted, limited and billed as if it were sent alone.",
};

/** Batches. Each example needs the one before: `callBatches` sends them. */
export const endpoints = {
  "batches.create": {
    id: "createBatch",
    tag: "Batches",
    summary: "Creates a batch from a file of requests",
    request: { CreateBatchRequest: createBatchRequest },
    ok: { json: { Batch: batch } },
    errors: ["too_many_open_requests", "storage_limit_exceeded"],
  },
  "batches.list": {
    id: "listBatches",
    tag: "Batches",
    summary: "Lists the account's batches, newest first",
    ok: { json: { BatchList: batchList } },
    query: batchListQuery.shape,
  },
  "batches.get": { id: "getBatch", tag: "Batches", summary: "Shows a batch", ok: { json: { Batch: batch } } },
  "batches.cancel": {
    id: "cancelBatch",
    tag: "Batches",
    summary: "Cancels a batch; requests that are running are finished",
    bodyIsOptional: true,
    request: { CancelBatchRequest: cancelBatchRequest },
    ok: { json: { Batch: batch } },
  },
} satisfies Readonly<Record<string, Operation>>;

/** Enough that the batch is still running when it is cancelled. */
const manyLines = 2_000;
const line = {
  method: "POST",
  url: "/v1/chat/completions",
  body: { model: "gpt-4o-mini", messages: [{ role: "user", content: "Hello!" }] },
};

/** Sends the examples of batches, in a working order. */
export async function callBatches(call: Call): Promise<void> {
  const upload = async (name: string, title: string, lines: number): Promise<string> => {
    const texts = Array.from({ length: lines }, (_, n) => JSON.stringify({ ...line, custom_id: `greeting-${n + 1}` }));
    const file = new File([`${texts.join("\n")}\n`], "requests.jsonl", { type: "application/jsonl" });
    const form = { purpose: "batch", file };
    return String((await call("files.create", [name, title], { form }))["id"]);
  };
  const body = {
    input_file_id: await upload("batch", "A file of requests for a batch", 1),
    endpoint: line.url,
    completion_window: "24h",
  };
  const first = await call("batches.create", ["chat", "A batch of chat completions"], { body });
  await call("batches.get", ["completed", "A completed batch"], {
    path: { id: String(first["id"]) },
    until: ({ status }) => status === "completed",
  });
  const second = await call("batches.create", ["metadata", "A batch with metadata"], {
    body: {
      ...body,
      input_file_id: await upload("long_batch", "A file of many requests", manyLines),
      metadata: { run: "nightly" },
    },
  });
  const path = { id: String(second["id"]) };
  await call("batches.get", ["running", "A batch that runs"], {
    path,
    until: ({ status }) => status === "in_progress",
  });
  await call("batches.cancel", ["running", "A batch that is cancelled"], { path, body: {} });
  await call("batches.get", ["cancelled", "A cancelled batch"], {
    path,
    until: ({ status }) => status === "cancelled",
  });
  await call("batches.list", ["newest", "The newest two"], { query: { limit: 2 } });
}
