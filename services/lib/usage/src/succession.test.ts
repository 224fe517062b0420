import assert from "node:assert/strict";
import { test } from "node:test";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import type { SessionDependencies } from "./session-dependencies.ts";
import { Succession } from "./succession.ts";

test("a process that cannot open a journal responds 503, is unready at once and not alive after a minute, and keeps retrying", async () => {
  let now = 0;
  let tries = 0;
  const stopping = new AbortController();
  const waits: number[] = [];
  const dependencies = {
    clock: { now: () => now, monotonic: () => now },
    log: { error: () => undefined },
    quiet: (work: Promise<unknown>) => void work,
    delay: async (ms: number) => {
      waits.push(ms);
      now += ms;
      if (tries === 20) stopping.abort();
    },
  };
  const succession = new Succession({
    dependencies: dependencies as unknown as SessionDependencies,
    create: async () => {
      tries++;
      if (now < 60_000) assert.deepEqual(await succession.alive(), { ok: true });
      throw new Error("ENOSPC");
    },
    newHolderId: () => "h2",
    idleMs: 0,
    signal: stopping.signal,
  });
  const begun = succession.begin("h1");
  await begun;
  const health = await succession.check();
  assert.ok(!health.ok && health.reason.includes("ENOSPC"));
  await assert.rejects(succession.live(), (error) => error instanceof GatewayError && error.httpStatus === 503);
  await succession.stop(0);
  assert.equal(tries, 20);
  assert.deepEqual(waits.slice(0, 8), [100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000]);
  assert.equal((await succession.alive()).ok, false);
});
