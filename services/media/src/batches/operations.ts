import type { OperationsOf } from "@uag/pipeline/operation/operation";
import type { BatchContext } from "./context.ts";
import { createBatch } from "./create-batch.ts";
import { cancelBatch, getBatch, listBatches } from "./find-batch.ts";
import { messageOperations } from "./message-operations.ts";

/** The operations on batches, by their names in the table of routes. */
export function batchOperations(
  context: BatchContext,
): Pick<OperationsOf<"media">, Extract<keyof OperationsOf<"media">, `${"" | "message_"}batches.${string}`>> {
  return {
    ...messageOperations(context),
    "batches.create": createBatch(context),
    "batches.list": listBatches(context),
    "batches.get": getBatch(context),
    "batches.cancel": cancelBatch(context),
  };
}
