import assert from "node:assert/strict";
import { test } from "node:test";
import { benchmarkSchema, type Figures, figuresOf, forAccounts } from "./figures.ts";
import { type Demand, planFor } from "./plan.ts";
import { valuesOf } from "./values.ts";

const figures: Figures = {
  at: "2026-11-29T18:00:00Z",
  machine: { cpu: "x", cores: 2, node: "v20", others: 0 },
  cpuUsPerRequest: { router: 100, chat: 200, billing: 50, metering: 50, mongod: 125, "nats-server": 10 },
  cpuUsPerChunk: { router: 20, chat: 30, billing: 1, metering: 1, mongod: 1 },
  kibPerStream: { router: 8, chat: 16 },
  mibIdle: { router: 100, chat: 120, billing: 90, metering: 90 },
  byAccounts: [
    { accounts: 1, settling: 1, mongodbBytesPerRequest: 400 },
    { accounts: 100, settling: 2, mongodbBytesPerRequest: 600 },
  ],
  eventsPerSecondPerPair: 20_000,
  jetstreamBytesPerRequest: 500,
};

/** 1,000 requests/s on average, 4,000 at the peak. */
const demand: Demand = {
  requestsPerDay: 86_400_000,
  peakOverAverage: 4,
  streamed: 0,
  chunksPerStream: 200,
  secondsPerStream: 10,
  accounts: 1,
  retentionDays: 30,
  outageMinutes: 60,
  utilization: 0.5,
  diskUsd: 0.1,
};

const podsOf = (of: Demand): Record<string, number> =>
  Object.fromEntries(planFor(figures, of).services.map(({ name, pods }) => [name, pods]));

test("a service has the processes that its processor time at the peak needs, and never fewer than two", () => {
  assert.deepEqual(podsOf(demand), { router: 2, chat: 2, billing: 2, metering: 2 });
  assert.deepEqual(podsOf({ ...demand, peakOverAverage: 20 }), { router: 4, chat: 8, billing: 2, metering: 2 });
  const { mongodbCores, natsCores } = planFor(figures, demand);
  assert.deepEqual([mongodbCores, natsCores], [0.5, 0.04]);
});

test("a stream costs its chunks in the processes that relay it, and one request in the others", () => {
  const { services, openStreams } = planFor(figures, { ...demand, streamed: 1 });
  const cores = Object.fromEntries(services.map(({ name, cores: used }) => [name, used]));
  assert.deepEqual(cores, { router: 16, chat: 24, billing: 0.2, metering: 0.2 });
  assert.equal(openStreams, 40_000);
  assert.equal(services[0]?.mibPerPod, 100 + (8 * 40_000) / 32 / 1_024);
});

test("open streams take at most a quarter of a pod's memory", () => {
  // 4,000,000 streams are 31,250 MiB in the routers, which 32 of them would have time for.
  assert.equal(podsOf({ ...demand, streamed: 1, secondsPerStream: 1_000 })["router"], 123);
});

test("billing and metering have as many pairs as their limit of events a second requires", () => {
  assert.equal(podsOf({ ...demand, peakOverAverage: 35 })["billing"], 4);
});

test("accounts raise the cost of settling and the storage, by what was measured", () => {
  assert.deepEqual(forAccounts(figures, 10), { accounts: 10, settling: 1.5, mongodbBytesPerRequest: 500 });
  assert.equal(forAccounts(figures, 1_000_000).settling, 2);
  const plan = planFor(figures, { ...demand, accounts: 100 });
  assert.deepEqual(
    plan.services.map(({ cores }) => cores),
    [0.4, 0.8, 0.4, 0.4],
  );
  assert.equal(plan.mongodbCores, 1);
  assert.equal(plan.mongodbBytesPerDay, 86_400_000 * 600);
});

test("storage follows from the requests of a day and the retention, JetStream's from the peak and the outage", () => {
  const { mongodbBytesPerDay, mongodbBytes, mongodbDisksUsd, jetstreamBytes } = planFor(figures, demand);
  assert.equal(mongodbBytesPerDay, 86_400_000 * 400);
  assert.equal(mongodbBytes, 30 * mongodbBytesPerDay);
  assert.equal(Math.round(mongodbDisksUsd), Math.round((3 * mongodbBytes * 0.1) / 1e9));
  assert.equal(jetstreamBytes, 4_000 * 3_600 * 500);
});

test("the values have a plan's pods and requests, and disks with a fifth free", () => {
  assert.deepEqual(valuesOf(planFor(figures, demand), demand), {
    router: { replicaCount: 2, resources: { requests: { cpu: "200m", memory: "100Mi" } } },
    chat: { replicaCount: 2, resources: { requests: { cpu: "400m", memory: "120Mi" } } },
    billing: { replicaCount: 2, resources: { requests: { cpu: "100m", memory: "90Mi" } } },
    metering: {
      replicaCount: 2,
      resources: { requests: { cpu: "100m", memory: "90Mi" } },
      settings: { STREAM_MAX_BYTES: "7516192768", USAGE_KEEP_MONTHS: "1" },
    },
    mongodb: { resources: { requests: { cpu: "1000m" } }, storage: { size: "1207Gi" } },
    nats: { resources: { requests: { cpu: "80m" } }, storage: { size: "20Gi", maxFileStore: "16GB" } },
  });
});

const row = (scenario: string, measure: string, gateway: number | null) => ({ scenario, measure, values: { gateway } });

test("the figures of a benchmark's file are those of its processes, without their sums", () => {
  const benchmark = benchmarkSchema.parse({
    at: "2026-11-30T10:00:00Z",
    machine: { cpu: "y", cores: 2, node: "v22", others: 0.01 },
    rows: [
      row("JSON, 64 connections", "CPU us per request", 360.12),
      row("JSON, 64 connections", "  router", 101.234),
      row("JSON, 64 connections", "  with the engines", 500),
      row("100 streams of 200 chunks at 10 ms", "CPU ms per 1,000 chunks", 55),
      row("100 streams of 200 chunks at 10 ms", "  chat", 30),
      row("1,000 streams of 20 chunks at 500 ms", "KiB per stream", 29),
      row("1,000 streams of 20 chunks at 500 ms", "  chat", -3),
      row("1,000 streams of 20 chunks at 500 ms", "RSS before, MiB", 300),
      row("1,000 streams of 20 chunks at 500 ms", "  chat", 120),
    ],
  });
  const taken = figuresOf(benchmark, figures);
  assert.deepEqual(taken.cpuUsPerRequest, { router: 101 });
  assert.deepEqual(
    [taken.cpuUsPerChunk, taken.kibPerStream, taken.mibIdle],
    [{ chat: 30 }, { chat: 0 }, { chat: 120 }],
  );
  assert.equal(taken.eventsPerSecondPerPair, figures.eventsPerSecondPerPair);
  const without = { ...benchmark, rows: benchmark.rows.slice(0, 3) };
  assert.throws(() => figuresOf(without, figures), /has no "CPU ms per 1,000/);
});
