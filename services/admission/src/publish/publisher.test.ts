import assert from "node:assert/strict";
import { test } from "node:test";
import type { Bus } from "@uag/kit/bus.ts";
import { systemClock } from "@uag/kit/clock.ts";
import type { Journal } from "@uag/kit/journal/journal.ts";
import { createLogger } from "@uag/kit/log.ts";
import { Publisher } from "./publisher.ts";

test("a publisher that has ended is not kept by the bus: each holder and each adopted journal has one", async () => {
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
      ...{ holderId: "h", batchPrefix: `h${n}`, bus: bus as unknown as Bus, clock: systemClock },
      journal: { start, end: start, onGrown: () => undefined } as unknown as Journal,
      log: createLogger({ service: "test", level: "silent" }),
      settings: { subject: "usage" },
      ...{ confirm: async () => [], confirmed: () => undefined },
    });
    assert.equal(listeners.size, 1);
    await publisher[Symbol.asyncDispose]();
  }
  assert.equal(listeners.size, 0);
});
