import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { UsageBatch, UsageEvent } from "@uag/proto/metering/v1/usage.ts";
import type { Bus } from "@uag/runtime/bus";
import { systemClock } from "@uag/runtime/clock";
import { createLogger } from "@uag/runtime/log";
import { openJournalDirectory } from "../journal/directory.ts";
import type { Journal } from "../journal/journal.ts";
import { encodeFinal } from "../records.ts";
import { Publisher } from "./publisher.ts";

test("an ended publisher leaves no subscription on the bus", async () => {
  const listeners = new Set<unknown>();
  const bus = {
    connected: false,
    onChange: (handler: unknown) => {
      listeners.add(handler);
      return () => listeners.delete(handler);
    },
  };
  const start = { segment: 0, offset: 0 };
  for (let n = 0; n < 100; n++) {
    const publisher = new Publisher({
      holderId: "h",
      batchPrefix: `h${n}`,
      bus: bus as unknown as Bus,
      clock: systemClock,
      journal: { start, end: start, onGrown: () => undefined } as unknown as Journal,
      log: createLogger({ service: "test", level: "silent" }),
      settings: { subjectOf: () => "usage" },
      confirm: async () => ({ applied: [] }),
      confirmed: () => undefined,
    });
    assert.equal(listeners.size, 1);
    await publisher[Symbol.asyncDispose]();
  }
  assert.equal(listeners.size, 0);
});

/** A stream that numbers what is published and never delivers it. */
function heldStream() {
  const published: string[] = [];
  const publish = async (_: string, data: Uint8Array) => {
    published.push(UsageBatch.decode(data).batchId);
    return { seq: published.length, duplicate: false };
  };
  const bus = { connected: true, onChange: () => () => undefined, connection: { jetstream: () => ({ publish }) } };
  return { published, bus: bus as unknown as Bus };
}

test("republishes a batch only if the stream has lost it, not while it waits there", async () => {
  const { published, bus } = heldStream();
  const dir = await mkdtemp(join(tmpdir(), "publisher-"));
  const ignore = (): void => undefined;
  await using stack = new AsyncDisposableStack();
  stack.defer(() => rm(dir, { recursive: true, force: true }));
  const home = stack.use(
    await openJournalDirectory({ dir, owner: "me", journal: { damaged: ignore, failed: ignore } }),
  );
  const journal = stack.use(await home.create("h"));
  let [calls, firstSequence] = [0, 1n];
  const confirm = async () => {
    calls++;
    return { applied: [], stream: { firstSequence, lastSequence: 10n, createdMs: 1n } };
  };
  const publisher = new Publisher({
    holderId: "h",
    batchPrefix: "h",
    bus,
    clock: systemClock,
    journal,
    confirm,
    confirmed: ignore,
    log: createLogger({ service: "test", level: "silent" }),
    settings: { subjectOf: String, gatherMs: 1, confirmMs: 5, republishMs: 1 },
  });
  stack.use(publisher);
  await journal.append(encodeFinal(UsageEvent.fromPartial({ requestId: "r", accountId: "a" })));
  const until = async (condition: () => boolean) => {
    for (const end = performance.now() + 10_000; !condition(); await sleep(5)) assert.ok(performance.now() < end);
  };
  await until(() => calls >= 20);
  assert.deepEqual(published, ["h:1"]);
  firstSequence = 2n;
  await until(() => published.length > 1);
  assert.equal(published[1], "h:1");
});
