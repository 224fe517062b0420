import assert from "node:assert/strict";
import { mock, test } from "node:test";
import type { LinkExchange } from "@uag/link/server-exchange";
import type { LiveStream, StreamConsumer } from "@uag/providers/live-stream";
import { Checkpoints } from "./checkpoints.ts";
import { relay } from "./relay.ts";

const ping = Buffer.from("event: ping\n\n");

/** A relay whose clock, upstream and client the test controls. */
function stage(keepAlive: Buffer | undefined, cost?: () => bigint) {
  mock.timers.enable({ apis: ["setInterval"] });
  let now = 0;
  const clock = mock.method(performance, "now", () => now);
  const sent: string[] = [];
  let written = 0;
  const drained = Promise.withResolvers<void>();
  let room = true;
  let paused = false;
  let consumer: StreamConsumer | undefined;
  const live = {
    attach: (one: StreamConsumer) => {
      consumer = one;
    },
    pause: () => {
      paused = true;
    },
    resume: () => {
      paused = false;
    },
  } as unknown as LiveStream;
  const exchange = {
    write: (bytes: Buffer) => {
      sent.push(bytes.toString());
      return room;
    },
    drained: () => drained.promise,
  } as unknown as LinkExchange;
  const progress = () => ({ units: [], costNanoUsd: 0n, isUpperBound: false });
  const checkpoints = new Checkpoints({ checkpoint: () => written++ }, progress);
  const done = relay(live, { exchange, keepAlive, checkpoints, ...(cost !== undefined && { cost }) });
  return {
    sent,
    checkpoints: () => written,
    done,
    report: (text: string) => consumer?.output(Buffer.from(text)),
    over: () => consumer?.over(),
    wait: (ms: number) => {
      for (let passed = 0; passed < ms; passed += 500) {
        now += 500;
        mock.timers.tick(500);
      }
    },
    stopReading: () => {
      room = false;
    },
    readOn: async () => {
      room = true;
      drained.resolve();
      await drained.promise;
    },
    isPaused: () => paused,
    [Symbol.dispose]() {
      clock.mock.restore();
      mock.timers.reset();
    },
  };
}

test("sends a keep-alive event after ten idle seconds, and every ten seconds after that", async () => {
  using on = stage(ping);
  on.report("a");
  on.wait(9_000);
  assert.deepEqual(on.sent, ["a"]);
  on.wait(24_000);
  assert.deepEqual(on.sent, ["a", String(ping), String(ping), String(ping)]);
  on.report("b");
  on.wait(9_000);
  on.over();
  await on.done;
  on.wait(60_000);
  assert.deepEqual(on.sent.slice(4), ["b"], "nothing is sent after the end");
});

test("sends no keep-alive in formats without such an event, or to a client that does not read", async () => {
  {
    using silent = stage(undefined);
    silent.report("a");
    silent.wait(60_000);
    assert.deepEqual(silent.sent, ["a"]);
  }
  using on = stage(ping);
  on.stopReading();
  on.report("a");
  assert.ok(on.isPaused());
  on.wait(60_000);
  assert.deepEqual(on.sent, ["a"]);
  await on.readOn();
  assert.ok(!on.isPaused());
  on.wait(10_000);
  assert.deepEqual(on.sent, ["a", String(ping)]);
});

test("records a checkpoint every five seconds and every 64 KiB", () => {
  using on = stage(undefined);
  on.report("a");
  on.wait(4_000);
  on.report("b");
  assert.equal(on.checkpoints(), 0);
  on.wait(1_000);
  on.report("c");
  assert.equal(on.checkpoints(), 1);
  on.report("d".repeat(65_536));
  assert.equal(on.checkpoints(), 2);
});

test("records a checkpoint at each rise of a cost that rises in steps", () => {
  let cost = 5n;
  using on = stage(undefined, () => cost);
  on.report("a");
  assert.equal(on.checkpoints(), 0);
  cost = 7n;
  on.report("b");
  on.report("c");
  assert.equal(on.checkpoints(), 1);
});
