import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { readBooks } from "@uag/harness/audit/billed";
import { attemptsAt, faultHits, setFault } from "@uag/harness/fleet/faults";
import { openSharedFleet, type SharedFleet } from "@uag/harness/fleet/shared-fleet";
import { waitFor } from "@uag/harness/testing/wait-for";
import { Outcome } from "@uag/proto/metering/v1/usage.ts";
import OpenAI from "openai";

const families: [model: string, dimensions: number, shorter: number][] = [
  ["text-embedding-3-small", 1536, 100],
  ["text-embedding-v4", 1024, 256],
  ["text-embedding-004", 768, 99],
  ["voyage-3.5", 1024, 512],
];

interface ErrorResponse {
  readonly error: { message: string; type: string; code: string; param: string | null };
}

describe("embeddings through the public server", () => {
  let fleet: SharedFleet;
  let openai: OpenAI;
  let countedBefore: number;

  before(async () => {
    fleet = await openSharedFleet();
    countedBefore = (await fleet.audit()).comparison.byCount;
    openai = new OpenAI({ apiKey: fleet.run.api_key, baseURL: `${fleet.run.base_url}/v1`, maxRetries: 0 });
  });

  const vectorsOf = async (body: OpenAI.EmbeddingCreateParams): Promise<number[][]> =>
    (await openai.embeddings.create(body)).data.map(({ embedding }) => embedding);

  for (const [model, dimensions, shorter] of families) {
    test(`${model}: base64 from the SDK and plain numbers are the same unit vectors at every size`, async () => {
      const input = ["the first", "the second", "第三"];
      for (const size of [undefined, shorter]) {
        const body = { model, input, ...(size !== undefined && { dimensions: size }) };
        const base64 = await vectorsOf(body);
        const float = await vectorsOf({ ...body, encoding_format: "float" });
        for (const [index, vector] of base64.entries()) {
          assert.equal(vector.length, size ?? dimensions);
          assert.ok(Math.abs(Math.hypot(...vector) - 1) < 1e-5, "length 1");
          assert.deepEqual(Float32Array.from(float[index] as number[]), Float32Array.from(vector));
        }
        assert.notDeepEqual(base64[0], base64[1]);
      }
    });

    test(`${model}: 2,048 inputs give vectors in their order, with the sum of their tokens`, async () => {
      const input = Array.from({ length: 2_048 }, (_, index) => `text number ${index}`);
      const { data, usage, model: named, object } = await openai.embeddings.create({ model, input });
      assert.deepEqual([data.length, named, object], [2_048, model, "list"]);
      assert.ok(data.every(({ index, object }, place) => index === place && object === "embedding"));
      for (const place of [0, 9, 10, 1_000, 2_047]) {
        const [alone] = await vectorsOf({ model, input: input[place] as string });
        assert.deepEqual(data[place]?.embedding, alone, `input ${place}`);
      }
      assert.equal(usage.prompt_tokens, usage.total_tokens);
      assert.ok(usage.total_tokens >= 2_048);
    });
  }

  test("the response has OpenAI's format, and its cost in a header", async () => {
    const { status, headers, json } = await fleet.client.post("/v1/embeddings", {
      model: "voyage-3.5",
      input: "hello",
    });
    assert.equal(status, 200);
    assert.equal(headers.get("content-type"), "application/json");
    const { object, model, data, usage } = json<OpenAI.CreateEmbeddingResponse>();
    assert.deepEqual(
      [object, model, data.length, data[0]?.object, data[0]?.index],
      ["list", "voyage-3.5", 1, "embedding", 0],
    );
    assert.ok(Array.isArray(data[0]?.embedding) && data[0].embedding.length === 1024);
    assert.deepEqual(usage, { prompt_tokens: usage.prompt_tokens, total_tokens: usage.prompt_tokens });
    assert.equal(Number(headers.get("x-gateway-cost-usd")), (usage.total_tokens * 0.06) / 1e6);
  });

  test("token ids are passed on to providers that take them", async () => {
    const [one, two] = await vectorsOf({ model: "text-embedding-3-small", input: [[1, 2, 3], [4]] });
    assert.deepEqual(await vectorsOf({ model: "text-embedding-3-small", input: [1, 2, 3] }), [one]);
    assert.equal(two?.length, 1536);
  });

  const good = { model: "text-embedding-v4", input: "a" };
  const refused: [what: string, body: unknown, status: number, code: string, param: string | null][] = [
    ["a body that is not JSON", '{"model":', 422, "invalid_json", null],
    ["a list", "[]", 400, "invalid_request", null],
    ["nothing", "", 422, "invalid_json", null],
    ["null", "null", 400, "invalid_request", null],
    ["no model", { input: "a" }, 400, "invalid_request", "model"],
    ["a model that does not embed", { ...good, model: "gpt-4o-mini" }, 400, "endpoint_model_mismatch", "model"],
    ["an input that is a number", { ...good, input: 5 }, 400, "invalid_request", "input"],
    ["an item that is null", { ...good, input: ["a", null] }, 400, "invalid_request", "input[1]"],
    ["a token id below zero", { model: "text-embedding-3-small", input: [1, -1] }, 400, "invalid_request", "input[1]"],
    ["a size as text", { ...good, dimensions: "256" }, 400, "invalid_request", "dimensions"],
    ["a fractional size", { ...good, dimensions: 1.5 }, 400, "invalid_request", "dimensions"],
    ["an unknown model", { ...good, model: "nobody" }, 400, "model_not_found", "model"],
    ["no input", { model: good.model }, 400, "invalid_request", "input"],
    ["an empty input", { ...good, input: "" }, 400, "invalid_request", "input"],
    ["an empty list", { ...good, input: [] }, 400, "invalid_request", "input"],
    ["an empty item", { ...good, input: ["a", ""] }, 400, "invalid_request", "input[1]"],
    ["2,049 inputs", { ...good, input: Array(2_049).fill("a") }, 400, "invalid_request", "input"],
    ["token ids to DashScope", { ...good, input: [1, 2] }, 400, "invalid_request", "input"],
    ["token ids to Gemini", { model: "text-embedding-004", input: [[1]] }, 400, "invalid_request", "input[0]"],
    ["token ids to Voyage", { model: "voyage-3.5", input: [[1]] }, 400, "invalid_request", "input[0]"],
    ["another format", { ...good, encoding_format: "hex" }, 400, "invalid_request", "encoding_format"],
    ["a size DashScope lacks", { ...good, dimensions: 100 }, 400, "invalid_request", "dimensions"],
    ["a size Voyage lacks", { model: "voyage-3.5", input: "a", dimensions: 768 }, 400, "invalid_request", "dimensions"],
    [
      "a size above Gemini's",
      { model: "text-embedding-004", input: "a", dimensions: 769 },
      400,
      "invalid_request",
      "dimensions",
    ],
    [
      "a size of a fixed model",
      { model: "text-embedding-ada-002", input: "a", dimensions: 512 },
      400,
      "invalid_request",
      "dimensions",
    ],
    ["a size of nothing", { ...good, dimensions: 0 }, 400, "invalid_request", "dimensions"],
  ];
  for (const [what, body, status, code, param] of refused) {
    test(`refused with ${status}: ${what}`, async () => {
      const response = await fleet.client.post("/v1/embeddings", body);
      const { error } = response.json<ErrorResponse>();
      assert.deepEqual([response.status, error.code, error.param], [status, code, param]);
      assert.equal(error.type, "invalid_request_error");
    });
  }

  test("vectors in another order are sorted by their index", async () => {
    const input = Array.from({ length: 25 }, (_, index) => `text ${index}`);
    const usual = await vectorsOf({ model: good.model, input });
    const clear = await setFault(fleet.run.simulator_url, { "embeddings-shuffle": true });
    assert.deepEqual(await vectorsOf({ model: good.model, input }), usual);
    await clear();
  });

  test("an upstream's rate limit becomes a 429, and its invalid response a 502", async () => {
    const { simulator_url } = fleet.run;
    const clear = await setFault(simulator_url, { status: 429, "retry-after": 60 }, { model: "voyage-code-3" });
    await assert.rejects(openai.embeddings.create({ ...good, model: "voyage-code-3" }), OpenAI.RateLimitError);
    await clear();
    for (const fault of ["garbage", "html", "empty-body"]) {
      const clearIt = await setFault(simulator_url, { [fault]: true }, { model: "voyage-3-large" });
      const { status, text } = await fleet.client.post("/v1/embeddings", { ...good, model: "voyage-3-large" });
      assert.equal(status, 502, `${fault}: ${text}`);
      await clearIt();
    }
  });

  test("a failed part fails the request with one error, and only successful parts are billed", async () => {
    const input = Array.from({ length: 60 }, (_, index) => (index === 55 ? "word ".repeat(9_000) : `text ${index}`));
    const response = await fleet.client.post("/v1/embeddings", { ...good, input });
    const { error } = response.json<ErrorResponse>();
    assert.equal(response.status, 400);
    assert.match(error.message, /8192/);
    const requestId = response.headers.get("x-request-id");
    const bill = await waitFor(async () => {
      const { billed } = await readBooks(fleet.run);
      return billed.find((each) => each.requestId === requestId);
    });
    assert.equal(bill.outcome, Outcome.FAILED);
    assert.equal((bill.rawUsage as unknown[]).length, 5);
    assert.ok(bill.costNanoUsd > 0n);
  });

  test("a part whose attempts all fail fails the request, and the other parts are billed exactly", async () => {
    const { model } = good;
    const match = { model, probability: 0.7, seed: 4 };
    const clear = await setFault(fleet.run.simulator_url, { status: 503 }, match);
    const input = Array.from({ length: 400 }, (_, index) => `text ${index}`);
    const response = await fleet.client.post("/v1/embeddings", { model, input });
    await clear();
    assert.ok([502, 503].includes(response.status), response.text);
    assert.deepEqual(Object.keys(response.json()), ["error"]);
    const requestId = response.headers.get("x-request-id");
    const bill = await waitFor(async () => {
      const { billed } = await readBooks(fleet.run);
      return billed.find((each) => each.requestId === requestId);
    });
    assert.equal(bill.outcome, Outcome.FAILED);
    const parts = [bill.rawUsage ?? []].flat() as { total_tokens: number }[];
    const tokens = parts.reduce((sum, part) => sum + part.total_tokens, 0);
    assert.ok(parts.length < 40);
    assert.equal(bill.costNanoUsd, BigInt(tokens) * 70n);
  });

  test("a client that disconnects is billed for the vectors that the upstream was computing", async () => {
    const clear = await setFault(fleet.run.simulator_url, { latency: 1_000 }, { model: "text-embedding-3-large" });
    const completed = async (): Promise<number> =>
      (await attemptsAt(fleet.run.simulator_url)).filter(
        ({ model, outcome }) => model === "text-embedding-3-large" && outcome === "completed",
      ).length;
    const before = await completed();
    const controller = new AbortController();
    const requesting = openai.embeddings.create(
      { ...good, model: "text-embedding-3-large" },
      { signal: controller.signal },
    );
    await waitFor(async () => (await faultHits(fleet.run.simulator_url)) > 0);
    controller.abort();
    await assert.rejects(requesting, OpenAI.APIUserAbortError);
    // The audit at the end checks that it is billed by the simulator's count.
    await waitFor(async () => (await completed()) > before);
    await clear();
  });

  test("without the upstream's usage the bill is an estimate, never zero", async () => {
    const clear = await setFault(fleet.run.simulator_url, { "usage-missing": true }, { model: "voyage-4" });
    const { usage } = await openai.embeddings.create({ model: "voyage-4", input: "four words of text" });
    assert.equal(usage.total_tokens, 4);
    await clear();
  });

  test("after all tests the ledger contains exactly what the simulator served", async () => {
    const report = await fleet.audit();
    assert.deepEqual(report.violations, []);
    assert.ok(report.comparison.byCount > countedBefore);
  });
});
