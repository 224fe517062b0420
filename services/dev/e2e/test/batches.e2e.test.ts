import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { checkBatch, resultsIn } from "@uag/harness/fleet/batch-check";
import { type LimitedKey, newAccount, newKey } from "@uag/harness/fleet/limited-key";
import { startTestFleet, type TestFleet } from "@uag/harness/fleet/with-fleet";
import { waitFor } from "@uag/harness/testing/wait-for";
import OpenAI, { toFile } from "openai";

type Endpoint = OpenAI.BatchCreateParams["endpoint"];

const chat = (n: number): object => ({ model: "gpt-4o-mini", messages: [{ role: "user", content: `line ${n}` }] });

describe("batches through the public server", () => {
  let fleet: TestFleet;
  const resources = new AsyncDisposableStack();

  before(async () => {
    const dataDir = await mkdtemp(join(tmpdir(), "batches-"));
    resources.defer(() => rm(dataDir, { recursive: true, force: true }));
    const services = ["billing", "metering", "chat", "embedding", "media", "router"];
    fleet = resources.use(await startTestFleet({ dataDir, services }));
  });
  after(() => resources.disposeAsync());

  const clientOf = ({ secret }: LimitedKey): OpenAI =>
    new OpenAI({ apiKey: secret, baseURL: `${fleet.run.base_url}/v1`, maxRetries: 0 });

  async function create(openai: OpenAI, bodies: readonly object[], endpoint: Endpoint = "/v1/chat/completions") {
    const lines = bodies.map((body, n) =>
      JSON.stringify({ custom_id: `line-${n}`, method: "POST", url: endpoint, body }),
    );
    const file = await openai.files.create({
      file: await toFile(Buffer.from(lines.join("\n")), "in.jsonl"),
      purpose: "batch",
    });
    return await openai.batches.create({ input_file_id: file.id, endpoint, completion_window: "24h" });
  }

  const ended = (openai: OpenAI, id: string) =>
    waitFor(
      async () => {
        const batch = await openai.batches.retrieve(id);
        return ["completed", "failed", "cancelled", "expired"].includes(batch.status) && batch;
      },
      { everyMs: 200, what: "the batch to end" },
    );

  async function resultsOf(openai: OpenAI, { output_file_id, error_file_id }: OpenAI.Batch) {
    const texts = await Promise.all(
      [output_file_id, error_file_id].map(async (id) => (id ? await (await openai.files.content(id)).text() : "")),
    );
    return texts.flatMap(resultsIn);
  }

  /** The key's bills, once the books have all of them. */
  async function billsOf({ key }: LimitedKey, count: number) {
    const report = await waitFor(
      async () => {
        const found = await fleet.audit();
        const own = found.books.billed.filter(({ keyId, costNanoUsd }) => keyId === key.id && costNanoUsd > 0n);
        return own.length >= count && found;
      },
      { what: "the bills" },
    );
    assert.deepEqual(report.violations, []);
    return report.books.billed.filter(({ keyId }) => keyId === key.id);
  }

  test("every line has one result and one bill when chat and media are killed while the batch runs", async () => {
    const key = await newKey(fleet, {});
    const openai = clientOf(key);
    const count = 500;
    const bodies = Array.from({ length: count }, (_, n) => chat(n));
    const { id } = await create(openai, bodies);
    for (const [process, done] of [
      ["chat", 100],
      ["media", 200],
    ] as const) {
      await waitFor(
        async () => {
          const counts = await openai.batches.retrieve(id).then(
            ({ request_counts }) => request_counts,
            () => undefined,
          );
          return (counts?.completed ?? 0) + (counts?.failed ?? 0) >= done;
        },
        { what: `${done} results` },
      );
      await fleet.processes.kill(process);
      await fleet.processes.ready(process);
    }
    const batch = await ended(openai, id);
    assert.deepEqual([batch.status, batch.request_counts?.total, batch.model], ["completed", count, "gpt-4o-mini"]);
    const results = await resultsOf(openai, batch);
    const ids = bodies.map((_, n) => `line-${n}`);
    const found = checkBatch(ids, results, await billsOf(key, count));
    assert.deepEqual([found.violations, found.lost, found.doubled, found.billed], [[], 0, 0, count]);
    // A response that was billed as chat died is reported as lost, with its receipt.
    for (const { response } of results)
      assert.ok([200, 409].includes(response?.status_code ?? 0), JSON.stringify(response));
    assert.ok(fleet.processes.restarts("chat") > 0 && fleet.processes.restarts("media") > 0);
  });

  test("every endpoint runs, and each line has its own response", async () => {
    const key = await newKey(fleet, {});
    const openai = clientOf(key);
    const bodies: readonly [Endpoint, object][] = [
      ["/v1/chat/completions", chat(0)],
      ["/v1/responses", { model: "gpt-4o-mini", input: "Hello!" }],
      ["/v1/completions", { model: "gpt-4o-mini", prompt: "Hello!", max_tokens: 9 }],
      ["/v1/embeddings", { model: "text-embedding-v4", input: "Hello!" }],
    ];
    const batches = [];
    for (const [endpoint, body] of bodies) batches.push(await create(openai, [body, body], endpoint));
    for (const { id, endpoint } of batches) {
      const batch = await ended(openai, id);
      assert.deepEqual(
        [batch.status, batch.request_counts],
        ["completed", { total: 2, completed: 2, failed: 0 }],
        endpoint,
      );
    }
    const listed: string[] = [];
    for await (const { id } of openai.batches.list({ limit: 3 })) listed.push(id);
    const own = batches.map(({ id }) => id).toReversed();
    assert.deepEqual(listed.slice(0, own.length), own);
  });

  test("a batch whose balance runs out ends with the results that were paid for, and says so", async () => {
    const key = await newAccount(fleet, 2_000_000n);
    const openai = clientOf(key);
    const bodies = Array.from({ length: 150 }, (_, n) => ({ ...chat(n), max_tokens: 400 }));
    const batch = await ended(openai, (await create(openai, bodies)).id);
    assert.deepEqual([batch.status, batch.errors?.data?.[0]?.code], ["failed", "insufficient_balance"]);
    const results = await resultsOf(openai, batch);
    const { completed = 0 } = batch.request_counts ?? {};
    const found = checkBatch(
      bodies.map((_, n) => `line-${n}`),
      results,
      await billsOf(key, completed),
    );
    assert.deepEqual([found.violations, found.billed, completed > 0], [[], completed, true]);
    assert.equal(found.failed["insufficient_balance"], 150 - completed);
  });

  test("a line that alone exceeds its key's tokens per minute fails alone; a budget that is used up ends the batch", async () => {
    const limits = { tokensPerMinute: 2_000n, requestsPerMinute: 100n };
    const openai = clientOf(await newKey(fleet, limits));
    const bodies = [chat(0), { ...chat(1), max_tokens: 5_000 }, chat(2)].map((body) => ({ max_tokens: 9, ...body }));
    const limited = await ended(openai, (await create(openai, bodies)).id);
    assert.deepEqual([limited.status, limited.request_counts], ["completed", { total: 3, completed: 2, failed: 1 }]);
    const statuses = (await resultsOf(openai, limited)).map(({ custom_id, response }) => [
      custom_id,
      response?.status_code,
    ]);
    assert.deepEqual(statuses.toSorted(), [
      ["line-0", 200],
      ["line-1", 429],
      ["line-2", 200],
    ]);
    const poor = clientOf(await newKey(fleet, { ...limits, monthlyBudgetNanoUsd: 1n }));
    const failed = await ended(poor, (await create(poor, [chat(0), chat(1)])).id);
    assert.deepEqual([failed.status, failed.errors?.data?.[0]?.code], ["failed", "budget_exceeded"]);
  });

  test("an invalid input, and another account's batch and file, are refused", async () => {
    const openai = clientOf(await newKey(fleet, {}));
    const stranger = clientOf(await newAccount(fleet, 1_000_000_000n));
    const fails = (call: PromiseLike<unknown>, status: number, words: RegExp) =>
      assert.rejects(Promise.resolve(call), (error: InstanceType<typeof OpenAI.APIError>) => {
        assert.deepEqual([error.status, words.test(error.message)], [status, true], error.message);
        return true;
      });
    const invalid = await create(openai, [chat(0), { ...chat(1), model: "another" }]);
    const failed = await ended(openai, invalid.id);
    assert.deepEqual(
      [failed.status, failed.errors?.data?.map(({ code, line, param }) => [code, line, param])],
      ["failed", [["mismatched_model", 2, "body.model"]]],
    );
    await fails(openai.batches.cancel(invalid.id), 400, /A batch that is failed cannot be cancelled/);
    await fails(stranger.batches.retrieve(invalid.id), 404, /The batch does not exist/);
    await fails(stranger.batches.cancel(invalid.id), 404, /The batch does not exist/);
    const params = { endpoint: "/v1/chat/completions", completion_window: "24h" } as const;
    await fails(stranger.batches.create({ ...params, input_file_id: invalid.input_file_id }), 400, /does not exist/);
    const file = await openai.files.create({ file: await toFile(Buffer.from("x"), "x"), purpose: "user_data" });
    await fails(openai.batches.create({ ...params, input_file_id: file.id }), 400, /purpose user_data/);
    await fails(
      openai.batches.create({ ...params, endpoint: "/v1/moderations", input_file_id: file.id }),
      400,
      /endpoint/,
    );
  });
});
