import type { OperationsOf } from "@uag/pipeline/operation/operation";
import type { BatchContext } from "./context.ts";
import { createBatch } from "./create-batch.ts";
import { cancelBatch, getBatch, listBatches } from "./find-batch.ts";

/** The operations on batches, by their names in the table of routes. */
export function batchOperations(
  context: BatchContext,
): Pick<OperationsOf<"media">, Extract<keyof OperationsOf<"media">, `batches.${string}`>> {
  return {
    "batches.create": createBatch(context),
    "batches.list": listBatches(context),
    "batches.get": getBatch(context),
    "batches.cancel": cancelBatch(context),
  };
}
