import { type OperationsHarness, type StartOptions, startOperations } from "@uag/harness/start-operations";
import { operations } from "../src/operations.ts";

/** The operations of embedding behind a real link, with a fake admission. */
export const startEmbedding = (options: Omit<StartOptions, "operations">): Promise<OperationsHarness> =>
  startOperations({ ...options, operations: (context) => operations(context, { partsAtOnce: 4 }) });
