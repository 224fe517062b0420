import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { waitFor } from "../src/testing/wait-for.ts";
import { startTestFleet, type TestFleet } from "../src/testing/with-fleet.ts";

const model = "gpt-4o-mini";
const streams = 8;

interface Tally {
  completed: number;
  broken: number;
  refused: number;
}

/** Streams, one after another, until told to stop; a broken or refused one is counted and followed by the next. */
async function keepStreaming(fleet: TestFleet, signal: AbortSignal, tally: Tally): Promise<void> {
  while (!signal.aborted) {
    const body = { model, stream: true, messages: [{ role: "user", content: `repeat 40 words ${Math.random()}` }] };
    try {
      const stream = await fleet.client.stream("/v1/chat/completions", body);
      let done = false;
      for await (const event of stream.events) if (event.data === "[DONE]") done = true;
      if (stream.status !== 200) tally.refused++;
      else if (done) tally.completed++;
      else tally.broken++;
      if (stream.status !== 200) await sleep(100);
    } catch {
      tally.broken++;
      await sleep(100);
    }
  }
}

describe("a process killed with -9 in mid-stream loses no money and doubles none", () => {
  let fleet: TestFleet;
  const resources = new AsyncDisposableStack();

  before(async () => {
    const dataDir = await mkdtemp(join(tmpdir(), "kills-"));
    resources.defer(() => rm(dataDir, { recursive: true, force: true }));
    fleet = resources.use(await startTestFleet({ dataDir }));
    const rule = { match: { provider: "openai" }, faults: { slow: 20 } };
    const { status } = await fetch(`${fleet.run.simulator_url}/sim/faults`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(rule),
    });
    assert.ok(status < 300);
  });
  after(() => resources.disposeAsync());

  for (const name of ["chat", "router", "billing", "metering", "nats-server", "mongod"]) {
    test(`${name} killed: answers go on when it is back, and the audit is exact`, async () => {
      const stop = new AbortController();
      const tally: Tally = { completed: 0, broken: 0, refused: 0 };
      const work = Array.from({ length: streams }, () => keepStreaming(fleet, stop.signal, tally));
      try {
        await waitFor(() => tally.completed >= streams, { timeoutMs: 30_000, what: "answers before the kill" });
        await fleet.processes.kill(name);
        await fleet.processes.ready(name);
        const before = tally.completed;
        await waitFor(() => tally.completed >= before + streams, { timeoutMs: 30_000, what: "answers after the kill" });
      } finally {
        stop.abort();
        await Promise.all(work);
      }
      const report = await fleet.audit(60_000);
      assert.deepEqual(report.violations, [], JSON.stringify(tally));
    });
  }
});
