import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { half, json, send } from "@uag/harness/odd-provider/case";
import { type OddProvider, type OddResponse, startOddProvider } from "@uag/harness/odd-provider/server";
import { scratchDatabase } from "@uag/harness/scratch-database";
import { waitFor } from "@uag/harness/testing/wait-for";
import { Outcome, SettlementRule } from "@uag/proto/metering/v1/usage.ts";
import mongoose from "mongoose";
import type { TaskDocument } from "../src/store/task.ts";
import { type Replica, startReplica, TestBooks } from "./support.ts";
import { grok, oddCatalog, seedance, type VideoWire, wan } from "./wires.ts";

const wires = { wan, seedance, grok };
type Name = keyof typeof wires;
const bodies: Readonly<Record<Name, object>> = {
  wan: { model: "beta2.6-t2v", duration: 5, resolution: "720p", input: { prompt: "a boat" } },
  seedance: { model: "seedance-1-0-pro", resolution: "480p", content: [{ type: "text", text: "a boat" }] },
  grok: { model: "grok-imagine-video", duration: 5, resolution: "480p", prompt: "a boat" },
};

/** A task that ends without a video. */
interface Case {
  readonly title: string;
  readonly of: Name;
  /** The response to every poll. */
  readonly poll: (wire: VideoWire) => OddResponse;
  readonly status: "failed" | "cancelled" | "expired";
  readonly rule: SettlementRule;
  /** USD. */
  readonly cost: number;
  /** The cause in the row, where its provider never reported a state. */
  readonly cause?: RegExp;
}

const { FAILED_USAGE, FAILED_ESTIMATE, NOTHING_OWED, UNPRICED_UNITS, IMPLAUSIBLE_USAGE } = SettlementRule;
const body = (value: object) => (): OddResponse => send("200 OK", json, JSON.stringify(value));
const ofWan = (taskStatus: string, usage?: object) =>
  body({ output: { task_id: "t", task_status: taskStatus }, usage });
const ofArk = (status: string, usage?: object) => body({ id: "t", status, usage });
const withheld = { url: "https://video.example/1.mp4", duration: 5, respect_moderation: false };
const ticks = (costInUsdTicks: number) => ({ usage: { cost_in_usd_ticks: costInUsdTicks } });
const html = (): OddResponse => send("200 OK", { "content-type": "text/html" }, "<html>busy</html>");
const ended = [
  ["FAILED", "failed"],
  ["CANCELED", "cancelled"],
] as const;

const cases: readonly Case[] = [
  ...ended.flatMap(([word, status]): Case[] => [
    {
      title: `a DashScope task that is ${word} and reports seconds is billed by them`,
      of: "wan",
      poll: ofWan(word, { duration: 5, SR: 720, video_count: 1 }),
      status,
      rule: FAILED_USAGE,
      cost: 0.5,
    },
    {
      title: `a DashScope task that is ${word} is free`,
      of: "wan",
      poll: ofWan(word),
      status,
      rule: NOTHING_OWED,
      cost: 0,
    },
  ]),
  ...(["failed", "cancelled", "expired"] as const).flatMap((status): Case[] => [
    {
      title: `an Ark task that is ${status} and reports tokens is billed by them`,
      of: "seedance",
      poll: ofArk(status, { completion_tokens: 50_000, total_tokens: 50_000 }),
      status,
      rule: FAILED_USAGE,
      cost: 0.125,
    },
    {
      title: `an Ark task that is ${status} and reports zero tokens is free`,
      of: "seedance",
      poll: ofArk(status, { completion_tokens: 0, total_tokens: 0 }),
      status,
      rule: NOTHING_OWED,
      cost: 0,
    },
  ]),
  {
    title: "a failed task with a counter that has no price is charged its hold",
    of: "wan",
    poll: ofWan("FAILED", { duration: 5, SR: 720, search_requests: 3 }),
    status: "failed",
    rule: UNPRICED_UNITS,
    cost: 0.5,
  },
  {
    title: "a failed task with usage beyond belief is charged its hold",
    of: "wan",
    poll: ofWan("FAILED", { duration: 1e9, SR: 720 }),
    status: "failed",
    rule: IMPLAUSIBLE_USAGE,
    cost: 0.5,
  },
  {
    title: "a video that xAI's moderation withholds is billed by its length",
    of: "grok",
    poll: body({ status: "done", video: withheld, ...ticks(2_500_000_000) }),
    status: "failed",
    rule: FAILED_USAGE,
    cost: 0.25,
  },
  {
    title: "a withheld video of unknown length is billed by the requested terms",
    of: "grok",
    poll: body({ status: "done", video: { respect_moderation: false, url: "" } }),
    status: "failed",
    rule: FAILED_ESTIMATE,
    cost: 0.25,
  },
  {
    title: "a withheld video whose reported cost is zero is free",
    of: "grok",
    poll: body({ status: "done", video: withheld, ...ticks(0) }),
    status: "failed",
    rule: NOTHING_OWED,
    cost: 0,
  },
  {
    title: "a failed xAI task is free",
    of: "grok",
    poll: body({ status: "failed", error: { code: "internal_error", message: "boom" } }),
    status: "failed",
    rule: NOTHING_OWED,
    cost: 0,
  },
  {
    title: "a failed xAI task that reports a cost is billed by the requested terms",
    of: "grok",
    poll: body({ status: "failed", ...ticks(2_500_000_000) }),
    status: "failed",
    rule: FAILED_ESTIMATE,
    cost: 0.25,
  },
  {
    title: "a task that its provider reports as succeeded without a video is billed by its usage",
    of: "wan",
    poll: ofWan("SUCCEEDED", { duration: 5, SR: 720 }),
    status: "failed",
    rule: FAILED_USAGE,
    cost: 0.5,
  },
  ...(Object.keys(wires) as Name[]).flatMap((of): Case[] => [
    {
      title: `a ${of} task whose polls get HTML expires at its deadline and is free`,
      of,
      poll: html,
      status: "expired",
      rule: NOTHING_OWED,
      cost: 0,
      cause: /no status/,
    },
    {
      title: `a ${of} task whose polls get an empty object expires at its deadline and is free`,
      of,
      poll: body({}),
      status: "expired",
      rule: NOTHING_OWED,
      cost: 0,
      cause: /no status/,
    },
    {
      title: `a ${of} task whose polls get an empty body expires at its deadline and is free`,
      of,
      poll: () => send("200 OK", json, ""),
      status: "expired",
      rule: NOTHING_OWED,
      cost: 0,
      cause: /no status/,
    },
    {
      title: `a ${of} task whose polls get half of a body is billed by the requested terms at its deadline`,
      of,
      poll: (wire) => send("200 OK", json, half(wire.whole(wire.usage))),
      status: "expired",
      rule: FAILED_ESTIMATE,
      cost: { wan: 0.5, seedance: 0.127_0275, grok: 0.25 }[of],
      cause: /incomplete/,
    },
  ]),
  ...(["wan", "seedance"] as const).map(
    (of): Case => ({
      title: `a ${of} task whose polls get usage without a state is billed by it at its deadline`,
      of,
      poll: (wire) => send("200 OK", json, JSON.stringify({ usage: wire.usage })),
      status: "expired",
      rule: FAILED_USAGE,
      cost: { wan: 0.5, seedance: 0.125 }[of],
      cause: /no status/,
    }),
  ),
];

const nanoUsd = (usd: number): bigint => BigInt(Math.round(usd * 1e9));

describe("a task that ends without a video is billed by what its provider charges", { concurrency: 12 }, () => {
  const opened = new AsyncDisposableStack();
  const books = new TestBooks();
  const at = opened.use(scratchDatabase());
  let provider: OddProvider;
  let replica: Replica;
  let rows: mongoose.Connection;
  before(async () => {
    provider = opened.use(await startOddProvider());
    rows = await mongoose.createConnection(at.url, { dbName: at.database }).asPromise();
    opened.defer(() => rows.close());
    replica = opened.use(
      await startReplica({
        at,
        books,
        providers: [],
        catalog: oddCatalog(provider.url),
        env: { TASK_AGE_LIMIT_MS: "3000", POLL_TIMEOUT_MS: "1000", CREATE_TIMEOUT_MS: "2000" },
      }),
    );
  });
  after(() => opened.disposeAsync());

  for (const [index, { title, of, poll, status, rule, cost, cause }] of cases.entries()) {
    test(`the receipt names the rule: ${title}`, async () => {
      const marker = `case-f_${index}`;
      const wire = wires[of];
      provider.respond(marker, (request) =>
        request.startsWith("POST ") ? send("200 OK", json, wire.created(marker)) : poll(wire),
      );
      const created = await replica.call("videos.generations", bodies[of], { requestId: marker });
      assert.equal(created.status, 202, created.text);
      const { id } = created.json<{ id: string }>();
      await waitFor(() => books.bills.has(marker), { what: `the bill of ${marker}` });
      const bill = books.bills.get(marker) ?? assert.fail();
      assert.deepEqual([bill.settlementRule, bill.costNanoUsd], [rule, nanoUsd(cost)]);
      assert.equal(bill.outcome, Outcome.FAILED);
      const task = (await replica.call("videos.get", undefined, { id })).json<{ status: string; usage?: object }>();
      assert.equal(task.status, status);
      assert.equal(task.usage !== undefined, cost > 0, "the task shows the usage that is billed");
      if (cause === undefined) return;
      const row = await rows.collection<TaskDocument>("tasks").findOne({ requestId: marker });
      assert.match(row?.fault?.message ?? "", cause);
      assert.ok((row?.fault?.count ?? 0) > 1, "it was polled again");
      assert.ok(provider.callsOf(marker) < 60, `polls are bounded: ${provider.callsOf(marker)}`);
    });
  }
});
