import assert from "node:assert/strict";
import { once } from "node:events";
import { readdir } from "node:fs/promises";
import { connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import { type Backend, startBackend } from "@uag/harness/backend";
import { engineUrl } from "@uag/harness/engine-url";
import { replica } from "@uag/harness/replica";
import { waitFor } from "@uag/harness/testing/wait-for";
import { Outcome, Pricing, SettlementRule } from "@uag/proto/metering/v1/usage.ts";
import { connectBus } from "@uag/runtime/bus";
import { createLogger } from "@uag/runtime/log";
import { request, settlement, spawnReplica, taskOf } from "./harness.ts";

const usd = 1_000_000_000n;
const fast = { gatherMs: 20, confirmMs: 50, republishMs: 1_000 };

/** Asserts exact books: each of `ids` billed once for its cost, nothing held. */
async function assertSettled(backend: Backend, accountId: string, toppedUp: bigint, costs: Map<string, bigint>) {
  await waitFor(async () => (await backend.events(accountId)).length >= costs.size, { what: "all events" });
  const spent = [...costs.values()].reduce((sum, cost) => sum + cost, 0n);
  await waitFor(async () => (await backend.accounts.getAccount({ id: accountId })).heldNanoUsd === 0n, {
    what: "nothing held",
  });
  const events = await backend.events(accountId);
  assert.deepEqual(new Map(events.map((event) => [event.requestId, event.costNanoUsd])), costs);
  assert.equal(events.length, costs.size);
  const account = await backend.accounts.getAccount({ id: accountId });
  assert.equal(account.chargedNanoUsd, spent);
  assert.equal(account.availableNanoUsd, toppedUp - spent);
  const filter = { accountId, keyId: "", model: "", operation: "", fromMs: 0n, untilMs: 0n };
  for (const bucket of ["hour", "day"]) {
    const sums = async (): Promise<bigint[]> => {
      const { buckets } = await backend.usage.queryUsage({ filter, bucket, page: undefined });
      return [
        buckets.reduce((sum, { requests }) => sum + requests, 0n),
        buckets.reduce((sum, { costNanoUsd }) => sum + costNanoUsd, 0n),
      ];
    };
    await waitFor(async () => (await sums())[0] === BigInt(costs.size), { what: "roll-ups" });
    assert.deepEqual(await sums(), [BigInt(costs.size), spent]);
  }
  assert.deepEqual((await backend.ledger.audit({})).violations, []);
}

/** A proxy to the broker whose connection can be cut. */
async function cuttable(url: string): Promise<{ url: string; cut(on: boolean): void } & AsyncDisposable> {
  const target = new URL(url);
  const sockets = new Set<Socket>();
  let isCut = false;
  const server = createServer((near) => {
    if (isCut) return void near.destroy();
    const far = connect(Number(target.port), target.hostname);
    for (const [a, b] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(a);
      a.on("error", () => b.destroy());
      a.on("close", () => {
        sockets.delete(a);
        b.destroy();
      });
      a.pipe(b);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `nats://${target.username}:${target.password}@127.0.0.1:${(server.address() as { port: number }).port}`,
    cut(on) {
      isCut = on;
      if (on) for (const socket of sockets) socket.destroy();
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

test("bills every admitted request exactly once, and a clean stop leaves no held money and no file", async () => {
  await using backend = await startBackend();
  const account = await backend.account(usd);
  const costs = new Map<string, bigint>();
  {
    await using admission = await replica(backend.env, { publish: fast, journalSegmentBytes: 20_000, stopMs: 60_000 });
    await Promise.all(
      Array.from({ length: 500 }, async (_, n) => {
        const admitted = await admission.admit(request(account, `r${n}`, 100_000n));
        await admitted.flushStarted();
        const cost = BigInt(n * 300);
        costs.set(`r${n}`, cost);
        await admitted.settle(settlement(cost));
      }),
    );
    const warm = await admission.admit(request(account, "warm", 100n));
    costs.set("warm", 1n);
    await warm.settle(settlement(1n));
    assert.ok((await admission.text()).includes('uag_admitted_total{from="memory",service="replica"} 1\n'));
  }
  assert.deepEqual(await readdir(backend.journalDir), []);
  await assertSettled(backend, account, usd, costs);
});

test("admits no request and no task while there is a refusal, and reserves no money for either", async () => {
  await using backend = await startBackend();
  const account = await backend.account(usd);
  let isOpen = false;
  const refusal = () => (isOpen ? undefined : new GatewayError("service_unavailable"));
  await using admission = await replica(backend.env, { publish: fast, refusal });
  const refused = (error: GatewayError) => error.code === "service_unavailable";
  await assert.rejects(admission.admit(request(account, "one", 100n)), refused);
  await assert.rejects(admission.admitTask(taskOf(account, "two", 100n)), refused);
  assert.equal((await backend.accounts.getAccount({ id: account })).heldNanoUsd, 0n);
  isOpen = true;
  const admitted = await admission.admit(request(account, "one", 100n));
  await admitted.settle(settlement(1n));
});

test("with funds for exactly k of n requests admits exactly k, and the other refusals name the missing amount", async () => {
  await using backend = await startBackend();
  const [k, hold] = [37, 10_000n];
  const account = await backend.account(BigInt(k) * hold + 5n);
  const costs = new Map<string, bigint>();
  {
    await using one = await replica(backend.env, { publish: fast });
    await using two = await replica(backend.env, { publish: fast });
    const outcomes = await Promise.all(
      Array.from({ length: 150 }, async (_, n) => {
        try {
          const admitted = await [one, two][n % 2]!.admit(request(account, `r${n}`, hold));
          return { n, admitted };
        } catch (error) {
          assert.ok(error instanceof GatewayError);
          assert.equal(error.code, "insufficient_balance");
          assert.match(error.message, /up to \$0\.00001, /);
          return { n };
        }
      }),
    );
    const admitted = outcomes.flatMap((outcome) =>
      outcome.admitted ? [{ ...outcome, admitted: outcome.admitted }] : [],
    );
    assert.equal(admitted.length, k);
    for (const { n, admitted: open } of admitted) {
      costs.set(`r${n}`, hold);
      await open.settle(settlement(hold));
    }
  }
  await assertSettled(backend, account, BigInt(k) * hold + 5n, costs);
});

test("requests continue while the broker is unreachable, and all of their usage arrives once it is back", async () => {
  await using backend = await startBackend();
  await using way = await cuttable(engineUrl("TEST_NATS_URL"));
  const account = await backend.account(usd);
  const costs = new Map<string, bigint>();
  await using admission = await replica({ ...backend.env, NATS: way.url }, { publish: fast, idleMs: 1_000 });
  const run = async (from: number): Promise<void> => {
    for (let n = from; n < from + 100; n++) {
      const admitted = await admission.admit(request(account, `r${n}`, 1_000n));
      await admitted.flushStarted();
      await admitted.settle(settlement(10n));
      costs.set(`r${n}`, 10n);
    }
  };
  await run(0);
  way.cut(true);
  for (let round = 1; round <= 5; round++) {
    await run(round * 100);
    await sleep(400);
  }
  way.cut(false);
  await run(600);
  await assertSettled(backend, account, usd, costs);
});

test("republishes usage that a wiped stream has lost, and bills nothing twice", async () => {
  await using backend = await startBackend();
  const log = createLogger({ service: "test", level: "silent" });
  await using bus = await connectBus({ settings: { NATS_URL: engineUrl("TEST_NATS_URL") }, name: "wiper", log });
  const account = await backend.account(usd);
  const costs = new Map<string, bigint>();
  await using admission = await replica(backend.env, { publish: fast, idleMs: 1_000 });
  for (let n = 0; n < 400; n++) {
    const admitted = await admission.admit(request(account, `r${n}`, 1_000n));
    await admitted.settle(settlement(10n));
    costs.set(`r${n}`, 10n);
    if (n % 100 === 50) {
      const { streams } = await bus.connection.jetstreamManager();
      await waitFor(() => streams.delete(`${backend.prefix}USAGE`).catch(() => false), { what: "a stream to delete" });
    }
  }
  await assertSettled(backend, account, usd, costs);
});

test("killing billing and metering at any time loses and duplicates nothing", async () => {
  await using backend = await startBackend({ HOLDER_LEASE_MS: "10000" });
  const account = await backend.account(usd);
  const costs = new Map<string, bigint>();
  const publish = { gatherMs: 50, confirmMs: 100, republishMs: 4_000 };
  await using admission = await replica(backend.env, { publish, idleMs: 1_000 });
  let stop = false;
  const load = Array.from({ length: 8 }, async (_, worker) => {
    for (let n = 0; !stop; n++) {
      try {
        const id = `r${worker}-${n}`;
        const admitted = await admission.admit(request(account, id, 1_000n));
        costs.set(id, 10n);
        await admitted.flushStarted();
        await sleep(10);
        await admitted.settle(settlement(10n));
      } catch (error) {
        assert.ok(error instanceof GatewayError && error.code === "service_unavailable", String(error));
        await sleep(50);
      }
    }
  });
  for (let kill = 0; kill < 6; kill++) {
    const before = costs.size;
    await sleep(200 + Math.random() * 400);
    await waitFor(() => costs.size >= before + 20, { what: "requests before the next kill" });
    const victim = kill % 3 === 2 ? backend.billing : backend.metering;
    await victim.kill();
    await victim.start();
  }
  stop = true;
  await Promise.all(load);
  assert.ok(costs.size > 100);
  await assertSettled(backend, account, usd, costs);
});

test("after kill -9 of a replica every started request has exactly one bill, and its unspent money is returned", async () => {
  await using backend = await startBackend();
  const account = await backend.account(usd);
  const started = new Set<string>();
  const settled = new Set<string>();
  for (let round = 0; round < 3; round++) {
    using spawned = spawnReplica(backend, account, `k${round}`);
    const { child, lines } = spawned;
    const leftOpen = () => lines.filter((line) => line.startsWith("open ")).length;
    await waitFor(() => lines.length > 500 + 300 * round && leftOpen() >= 4, { what: "load, with requests left open" });
    child.kill("SIGKILL");
    await once(child, "close");
    for (const line of lines) {
      const [what, id = ""] = line.split(" ");
      // On a busy machine billing may not respond in time.
      if (what === "refused") assert.equal(id, "service_unavailable");
      if (what === "started") started.add(id);
      if (what === "settled") settled.add(id);
    }
  }
  await using _adopter = await replica(backend.env, { publish: fast, idleMs: 1_000 });
  await waitFor(async () => (await readdir(backend.journalDir)).filter((name) => name.includes("@")).length === 1, {
    what: "adoption",
  });
  const events = await backend.events(account);
  const byId = new Map(events.map((event) => [event.requestId, event]));
  assert.equal(byId.size, events.length);
  for (const id of started) assert.ok(byId.has(id), `${id} was started and has no bill`);
  for (const id of settled) assert.equal(byId.get(id)?.outcome, Outcome.COMPLETED);
  const crashed = events.filter(({ outcome }) => outcome === Outcome.CRASHED);
  assert.ok(crashed.length > 10);
  for (const event of crashed) {
    assert.ok(!settled.has(event.requestId));
    assert.equal(event.pricing, Pricing.ESTIMATED);
    const n = Number(event.requestId.split("-")[2]);
    if (n % 10 !== 1) assert.equal(event.costNanoUsd, 0n);
    assert.ok([0n, 70n].includes(event.costNanoUsd));
  }
  const byCheckpoint = crashed.filter(({ costNanoUsd }) => costNanoUsd > 0n);
  for (const rule of [SettlementRule.LAST_CHECKPOINT, SettlementRule.UPPER_BOUND])
    assert.ok(byCheckpoint.filter(({ settlementRule }) => settlementRule === rule).length >= 3, "one or more a round");
  await assertSettled(backend, account, usd, new Map(events.map((event) => [event.requestId, event.costNanoUsd])));
});

test("a full journal refuses new work with 503 and drops nothing", async () => {
  await using backend = await startBackend();
  const account = await backend.account(usd);
  await using way = await cuttable(engineUrl("TEST_NATS_URL"));
  const small = { publish: fast, journalMaxBytes: 60_000, journalSegmentBytes: 8_000, idleMs: 1_000 };
  const costs = new Map<string, bigint>();
  await using admission = await replica({ ...backend.env, NATS: way.url }, small);
  way.cut(true);
  const before = await admission.admit(request(account, "before", 1_000n));
  costs.set("before", 10n);
  let refusal: unknown;
  for (let n = 0; refusal === undefined; n++) {
    try {
      const admitted = await admission.admit(request(account, `r${n}`, 1_000n));
      await admitted.settle(settlement(10n));
      costs.set(`r${n}`, 10n);
    } catch (error) {
      refusal = error;
    }
  }
  assert.ok(refusal instanceof GatewayError && refusal.httpStatus === 503 && refusal.retryAfterMs);
  assert.equal((await admission.check()).ok, false);
  await before.settle(settlement(10n));
  way.cut(false);
  await waitFor(async () => (await admission.check()).ok, { what: "room" });
  const after = await admission.admit(request(account, "after", 1_000n));
  await after.settle(settlement(10n));
  costs.set("after", 10n);
  await assertSettled(backend, account, usd, costs);
});

test("one long request does not prevent trimming of the journal, and is billed after its replica is killed", async () => {
  await using backend = await startBackend();
  const account = await backend.account(usd);
  await using admission = await replica(backend.env, { publish: fast, journalSegmentBytes: 4_000, idleMs: 1_000 });
  const long = await admission.admit(request(account, "long", 1_000n));
  long.checkpoint({ units: [{ name: "output_tokens", quantity: 5n }], costNanoUsd: 50n, isUpperBound: false });
  const costs = new Map([["long", 60n]]);
  const dir = join(backend.journalDir, (await readdir(backend.journalDir)).find((name) => name.includes("@"))!);
  for (let n = 0; n < 300; n++) {
    const admitted = await admission.admit(request(account, `r${n}`, 1_000n));
    await admitted.settle(settlement(10n));
    costs.set(`r${n}`, 10n);
  }
  await waitFor(async () => (await readdir(dir)).length <= 8, { what: "trimmed" });
  assert.ok(!(await readdir(dir)).includes("000001.seg"));
  await long.settle(settlement(60n));
  await assertSettled(backend, account, usd, costs);
});

test("a replica that was paused for longer than its lease admits nothing until it has opened a new session", async () => {
  await using backend = await startBackend({ HOLDER_LEASE_MS: "1500", REAP_INTERVAL_MS: "100", ORPHAN_GRACE_MS: "0" });
  const account = await backend.account(usd);
  using spawned = spawnReplica(backend, account, "p");
  const { child, lines } = spawned;
  await waitFor(() => lines.length > 600, { what: "load" });
  // The pause must find some usage charged, or nothing would say which holder was paused.
  await waitFor(async () => (await backend.events(account)).length > 0, { what: "a first bill" });
  child.kill("SIGSTOP");
  await waitFor(async () => (await backend.accounts.getAccount({ id: account })).heldNanoUsd === 0n, {
    what: "fenced",
  });
  // More than one if the machine was paused before, too.
  const old = new Set((await backend.events(account)).map(({ holderId }) => holderId));
  assert.ok(old.size > 0);
  const before = new Set(lines);
  child.kill("SIGCONT");
  await waitFor(() => lines.length > before.size + 300, { what: "new session" });
  child.kill("SIGKILL");
  await once(child, "close");
  await using _adopter = await replica(backend.env, { publish: fast, idleMs: 1_000 });
  await waitFor(async () => (await readdir(backend.journalDir)).filter((name) => name.includes("@")).length === 1, {
    what: "adoption",
  });
  const started = new Set(lines.filter((line) => line.startsWith("started")).map((line) => line.split(" ")[1]));
  const events = await backend.events(account);
  const byId = new Map(events.map((event) => [event.requestId, event]));
  for (const id of started) assert.ok(byId.has(id as string), `${id}`);
  const account2 = await backend.accounts.getAccount({ id: account });
  assert.equal(account2.writtenOffNanoUsd, 0n);
  // Requests admitted after waking belong to a new holder: the old one has no event that began
  // after the pause.
  const resumedAt = Math.min(
    ...events.filter(({ holderId }) => !old.has(holderId)).map((event) => Number(event.startedAtMs)),
  );
  for (const event of events) if (old.has(event.holderId)) assert.ok(Number(event.startedAtMs) <= resumedAt);
  assert.deepEqual((await backend.ledger.audit({})).violations, []);
});
