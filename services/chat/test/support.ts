import { after, before, beforeEach } from "node:test";
import { type OperationsHarness, type StartOptions, startOperations } from "@uag/harness/start-operations";
import { startUpstream, type TestUpstream } from "@uag/harness/upstream";
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

/** Starts an upstream for the tests of a file, and chat anew for each of them. */
export function chatForEachTest(catalog: (upstreamUrl: string) => string): {
  readonly upstream: TestUpstream;
  readonly harness: OperationsHarness;
} {
  const running = {} as { upstream: TestUpstream; harness: OperationsHarness };
  before(async () => {
    running.upstream = await startUpstream(() => {});
  });
  beforeEach(async () => {
    await running.harness?.[Symbol.asyncDispose]();
    running.harness = await startChat({ catalog: catalog(running.upstream.url) });
    running.upstream.received.length = 0;
  });
  after(async () => {
    await running.harness[Symbol.asyncDispose]();
    await running.upstream[Symbol.asyncDispose]();
  });
  return running;
}
