import { type OperationsHarness, type StartOptions, startOperations } from "@uag/harness/start-operations";
import type { Drains } from "@uag/providers/disconnect/drains";
import { chatContext } from "../src/context.ts";
import { operations } from "../src/operations.ts";
import type { ResponseStore } from "../src/state/store.ts";

/** What chat is started with. */
export type ChatOptions = Omit<StartOptions, "operations"> & {
  readonly drains?: Drains;
  readonly stored?: ResponseStore;
};

/** The operations of chat behind a real link, with a test admission. */
export function startChat({ drains, stored, ...options }: ChatOptions): Promise<OperationsHarness> {
  return startOperations({
    ...options,
    operations: (context) => operations(chatContext({ ...context, ...(drains !== undefined && { drains }) }, stored)),
  });
}
