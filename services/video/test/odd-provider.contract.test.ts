import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { json, type OddCase, type Outcome, send, type Wire } from "@uag/harness/odd-provider/case";
import { commonCases } from "@uag/harness/odd-provider/cases";
import { type OddProvider, type OddResponse, startOddProvider } from "@uag/harness/odd-provider/server";
import { scratchDatabase } from "@uag/harness/scratch-database";
import { waitFor } from "@uag/harness/testing/wait-for";
import { Pricing, SettlementRule } from "@uag/proto/metering/v1/usage.ts";
import { type Replica, startReplica, TestBooks } from "./support.ts";

/** A provider's video protocol; `whole` is the response to a poll of a task that has succeeded. */
interface VideoWire extends Wire {
  /** The response to a creation. */
  created(id: string): string;
}

interface Mode {
  readonly name: string;
  readonly wire: VideoWire;
  readonly body: object;
  readonly usageNanoUsd: bigint;
  /** The bill of a case where it is not that of the table, with the reason in a comment. */
  readonly differs: Readonly<Record<string, Outcome["bill"]>>;
}

const link = "https://video.example/1.mp4";
const error = (more: object): string =>
  JSON.stringify({ error: { message: "boom", type: "server_error", code: null }, ...more });

/** Model Studio, video synthesis. */
const wan: VideoWire = {
  usageName: "usage",
  usage: { duration: 5, SR: 720, video_count: 1 },
  created: (id) => JSON.stringify({ request_id: "r", output: { task_id: id, task_status: "PENDING" } }),
  whole: (usage) => JSON.stringify({ output: { task_id: "t", task_status: "SUCCEEDED", video_url: link }, usage }),
  error: (more) => JSON.stringify({ request_id: "r", code: "InternalError", message: "boom", ...more }),
};

/** ModelArk's video generation API. */
const seedance: VideoWire = {
  usageName: "usage",
  usage: { completion_tokens: 50_000, total_tokens: 50_000 },
  created: (id) => JSON.stringify({ id }),
  whole: (usage) => JSON.stringify({ id: "t", status: "succeeded", content: { video_url: link }, usage }),
  error,
};

/** xAI's video API, which reports the length of a video beside its usage. */
const grok: VideoWire = {
  usageName: "usage",
  usage: { cost_in_usd_ticks: 2_500_000_000 },
  created: (id) => JSON.stringify({ request_id: id }),
  whole: (usage) => JSON.stringify({ status: "done", video: { url: link, duration: 5 }, usage }),
  error,
};

const catalog = (url: string): string => `
providers:
  dash: { protocol: dashscope, base_url: "${url}", api_key: sk-test }
  ark: { protocol: ark, base_url: "${url}/ark", api_key: sk-test }
  xai: { protocol: xai, base_url: "${url}/v1", api_key: sk-test }
models:
  - &base
    { id: beta2.6-t2v, owned_by: a, created: 2026-01-01, operations: [videos.generations], output: [video],
      price: { video_seconds: { 720p: 0.1 } }, upstreams: [{ provider: dash, model: wan2.6-t2v }] }
  - { <<: *base, id: seedance-1-0-pro, price: { output_tokens: 2.5 }, upstreams: [{ provider: ark }] }
  - { <<: *base, id: grok-imagine-video, price: { video_seconds: { 480p: 0.05 } }, upstreams: [{ provider: xai }] }
`;

const counts = ["negative", "text", "a float", "huge", "missing", "zero"].map((count) => `a count of ${count}`);
const usages = ["null", '"text"', "[]", "true"].map((usage) => `usage of ${usage}`);

const modes: readonly Mode[] = [
  {
    name: "a video of DashScope",
    wire: wan,
    body: { model: "beta2.6-t2v", duration: 5, resolution: "720p", input: { prompt: "a boat" } },
    usageNanoUsd: 500_000_000n,
    // Seconds may have a fraction; a resolution of 1.5 has no price.
    differs: { "a count of a float": "hold" },
  },
  {
    name: "a video of Ark",
    wire: seedance,
    body: { model: "seedance-1-0-pro", resolution: "480p", content: [{ type: "text", text: "a boat" }] },
    usageNanoUsd: 125_000_000n,
    differs: {},
  },
  {
    name: "a video of xAI",
    wire: grok,
    body: { model: "grok-imagine-video", duration: 5, resolution: "480p", prompt: "a boat" },
    usageNanoUsd: 250_000_000n,
    // It is billed by its length, which is no part of the usage.
    differs: Object.fromEntries(
      ["no usage", ...usages, ...counts, "an impossibly high count"].map((name) => [name, "usage"]),
    ),
  },
];

const zero: OddCase = {
  name: "a count of zero",
  respond: (wire) => send("200 OK", json, wire.whole(JSON.parse(JSON.stringify(wire.usage).replaceAll(/\d+/g, "0")))),
  calls: 1,
  client: "complete",
  bill: "estimate",
};
const cases = [...commonCases, zero].filter(({ kind }) => kind !== "stream");
/** A provider that responds in these ways has certainly not created a task, so another try is made. */
const certainlyRefused = ["status 503 without a body", "status 401 with an HTML page", "a redirect"];

for (const [place, mode] of modes.entries()) {
  describe(`every task of ${mode.name} ends with one bill`, { concurrency: 8 }, () => {
    const opened = new AsyncDisposableStack();
    const books = new TestBooks();
    let provider: OddProvider;
    let replica: Replica;
    before(async () => {
      provider = opened.use(await startOddProvider());
      replica = opened.use(
        await startReplica({
          at: opened.use(scratchDatabase()),
          books,
          providers: [],
          catalog: catalog(provider.url),
          env: { POLL_TIMEOUT_MS: "3000", CREATE_TIMEOUT_MS: "6000" },
        }),
      );
    });
    after(() => opened.disposeAsync());

    const billed = async (marker: string) => {
      await waitFor(() => books.bills.has(marker), { what: `the bill of ${marker}`, timeoutMs: 60_000 });
      assert.equal(books.conflicts, 0);
      return books.bills.get(marker);
    };

    const succeeds = (): OddResponse => send("200 OK", json, mode.wire.whole(mode.wire.usage));
    /** Responds to the creation of a task and to its first poll; later polls find that it has succeeded. */
    const respond = (marker: string, { create, poll }: { create: OddResponse; poll: OddResponse }): void => {
      let polls = 0;
      provider.respond(marker, (request) => {
        const [method, target = ""] = request.split(" ", 2);
        if (method === "POST") return create;
        // A search for lost tasks finds none.
        if (!target.includes(marker)) return send("200 OK", json, "{}");
        return polls++ === 0 ? poll : succeeds();
      });
    };

    for (const odd of Object.keys(mode.differs))
      assert.ok(
        cases.some(({ name }) => name === odd),
        `${mode.name} differs in a case that exists: ${odd}`,
      );
    for (const [index, odd] of cases.entries()) {
      if (odd.once === true && place > 0) continue;
      const bill = odd.client === "complete" ? (mode.differs[odd.name] ?? odd.bill) : "usage";
      test(`a poll gets ${odd.name}: the task succeeds, the bill is ${bill}, and it is created once`, async () => {
        const marker = `case-p${place}_${index}`;
        const create = send("200 OK", json, mode.wire.created(marker));
        respond(marker, { create, poll: odd.respond(mode.wire, false) });
        const response = await replica.call("videos.create", mode.body, { requestId: marker });
        assert.equal(response.status, 202, response.text);
        const { costNanoUsd, pricing, settlementRule, holdNanoUsd } = (await billed(marker)) ?? assert.fail();
        assert.equal(provider.callsOf(marker, "POST "), 1);
        const cost = [costNanoUsd, pricing];
        if (bill === "usage") assert.deepEqual(cost, [mode.usageNanoUsd, Pricing.EXACT]);
        if (bill === "estimate") assert.deepEqual(cost, [holdNanoUsd, Pricing.ESTIMATED]);
        if (bill === "hold") assert.deepEqual(cost, [holdNanoUsd, Pricing.UNPRICED]);
        const provisional: SettlementRule[] = [SettlementRule.UNPRICED_UNITS, SettlementRule.IMPLAUSIBLE_USAGE];
        const rules: SettlementRule[] = bill === "hold" ? provisional : [SettlementRule.COMPLETED];
        assert.ok(rules.includes(settlementRule), `${settlementRule}`);
      });
    }

    for (const [index, odd] of cases.entries()) {
      if (odd.once === true && place > 0) continue;
      const succeeded = odd.client === "complete";
      const what = succeeded ? "the task is made and billed by its usage" : "the creation fails, and nothing is billed";
      test(`a creation gets ${odd.name}: ${what}`, async () => {
        const marker = `case-c${place}_${index}`;
        const valid = { ...mode.wire, whole: () => mode.wire.created(marker) };
        respond(marker, { create: odd.respond(valid, false), poll: succeeds() });
        const response = await replica.call("videos.create", mode.body, { requestId: marker });
        const { costNanoUsd, settlementRule } = (await billed(marker)) ?? assert.fail();
        const shown = `${response.status} ${response.text}`;
        if (!certainlyRefused.includes(odd.name)) assert.equal(provider.callsOf(marker, "POST "), 1, shown);
        if (succeeded) assert.equal(response.status, 202, shown);
        assert.equal(costNanoUsd, succeeded ? mode.usageNanoUsd : 0n, shown);
        assert.equal(settlementRule, succeeded ? SettlementRule.COMPLETED : SettlementRule.NOTHING_OWED);
      });
    }
  });
}
