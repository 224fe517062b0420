import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { before, describe, test } from "node:test";
import { fetchAdmin } from "@uag/harness/fleet/admin-call";
import { attemptsAt, setFault } from "@uag/harness/fleet/faults";
import { openSharedFleet, type SharedFleet } from "@uag/harness/fleet/shared-fleet";
import { waitFor } from "@uag/harness/testing/wait-for";
import OpenAI from "openai";
import { clientOf } from "./images/keys.ts";

const path = "/v1/moderations";
const model = "omni-moderation-latest";
const harmful = "I will find you and hurt you.";
const harmless = "A boat on a lake";
const image = (url: string) => ({ type: "image_url" as const, image_url: { url } });
const text = (content: string) => ({ type: "text" as const, text: content });
const boat = "https://example.com/boat.png";

interface ErrorResponse {
  readonly error: { message: string; type: string; code: string; param: string | null };
}

describe("moderations through the public server", () => {
  let fleet: SharedFleet;
  let openai: OpenAI;

  before(async () => {
    fleet = await openSharedFleet();
    openai = new OpenAI({ apiKey: fleet.run.api_key, baseURL: `${fleet.run.base_url}/v1`, maxRetries: 0 });
  });

  test("the OpenAI SDK gets one result for a text, and one for each text of a list", async () => {
    const one = await openai.moderations.create({ input: harmful });
    assert.deepEqual([one.model, one.results.length, one.results[0]?.flagged], [model, 1, true]);
    assert.equal(one.results[0]?.categories["harassment/threatening"], true);
    const two = await openai.moderations.create({ model: "omni-moderation-2024-09-26", input: [harmful, harmless] });
    assert.deepEqual(
      [two.model, two.results.map(({ flagged }) => flagged)],
      ["omni-moderation-2024-09-26", [true, false]],
    );
    const [, second] = two.results;
    assert.equal(Object.keys(second?.category_scores ?? {}).length, 13);
    assert.ok(Object.values(second?.category_scores ?? {}).every((score) => score >= 0 && score <= 1));
  });

  test("a text and an image get one result, which names the inputs that each score applies to", async () => {
    const { results } = await openai.moderations.create({ model, input: [text(harmless), image(boat)] });
    assert.equal(results.length, 1);
    const types = results[0]?.category_applied_input_types;
    assert.deepEqual([types?.violence, types?.harassment], [["text", "image"], ["text"]]);
  });

  test("a client that names OpenAI's former model gets its replacement, for texts only", async () => {
    const former = "text-moderation-latest";
    const { model: named, results } = await openai.moderations.create({ model: former, input: harmful });
    assert.deepEqual([named, results[0]?.flagged], [former, true]);
    const { status, json } = await fleet.client.post(path, { model: former, input: [image(boat)] });
    assert.deepEqual([status, json<ErrorResponse>().error.param], [400, "input[0]"]);
  });

  const refused: [what: string, body: object, code: string, param: string | null][] = [
    ["no input", { model }, "invalid_request", "input"],
    ["an empty input", { model, input: "" }, "invalid_request", "input"],
    ["an empty list", { model, input: [] }, "invalid_request", "input"],
    ["an empty text in a list", { model, input: ["a", ""] }, "invalid_request", "input[1]"],
    ["257 texts", { model, input: Array(257).fill("a") }, "invalid_request", "input"],
    ["an unknown model", { model: "moderation-0", input: "a" }, "model_not_found", "model"],
    ["a model of another endpoint", { model: "gpt-4o-mini", input: "a" }, "endpoint_model_mismatch", "model"],
    ["two images", { model, input: [image(boat), image(boat)] }, "too_many_images", "input"],
    [
      "an image in a private network",
      { model, input: [image("http://169.254.169.254/latest")] },
      "invalid_request",
      "input[0].image_url.url",
    ],
  ];
  for (const [what, body, code, param] of refused) {
    test(`refuses ${what} with 400, naming the field`, async () => {
      const response = await fleet.client.post(path, body);
      const { error } = response.json<ErrorResponse>();
      assert.deepEqual([response.status, error.code, error.param], [400, code, param], response.text);
    });
  }

  test("needs a key but no balance, and is listed in the account's usage at no cost", async () => {
    const response = await (await clientOf(fleet, {})).post(path, { input: harmless });
    assert.deepEqual(
      [response.status, response.headers.get("x-gateway-cost-usd")],
      [200, "0.000000000"],
      response.text,
    );
    const id = response.headers.get("x-request-id");
    const { event } = await waitFor(async () => {
      const found = await fetchAdmin(fleet.run, "GET", `/usage/events/${id}`);
      return found.ok ? ((await found.json()) as { event: Record<string, unknown> }) : undefined;
    });
    assert.deepEqual(
      ["operation", "model", "upstream", "outcome", "cost_nano_usd"].map((field) => event[field]),
      ["moderations", model, "openai", "completed", 0],
    );
    const stranger = openai.withOptions({ apiKey: `${fleet.run.api_key.slice(0, -1)}_` });
    await assert.rejects(stranger.moderations.create({ input: harmless }), OpenAI.AuthenticationError);
  });

  test("counts toward the key's requests per minute", async () => {
    const client = await clientOf(fleet, { limits: { requestsPerMinute: 1n } });
    assert.equal((await client.post(path, { input: harmless })).status, 200);
    const second = await client.post(path, { input: harmless });
    assert.deepEqual([second.status, second.json<ErrorResponse>().error.code], [429, "rate_limit_exceeded"]);
  });

  test("a request repeated under its idempotency key is sent once and gets the same bytes", async () => {
    const headers = { "idempotency-key": randomUUID() };
    const body = { input: `${harmless} ${headers["idempotency-key"]}` };
    const send = async () => await fleet.client.post(path, body, { headers });
    const [first, second] = [await send(), await send()];
    assert.equal(second.text, first.text);
    const ids = [first, second].map((each) => each.headers.get("x-request-id"));
    const calls = (await attemptsAt(fleet.run.simulator_url)).filter(({ request_id }) => ids.includes(request_id));
    assert.equal(calls.length, 1);
  });

  test("a call that fails temporarily is retried", async () => {
    const clear = await setFault(fleet.run.simulator_url, { status: 503 }, { model, count: 2 });
    const { response } = await openai.moderations.create({ input: harmless }).withResponse();
    assert.equal(response.headers.get("x-gateway-attempts"), "3");
    await clear();
  });

  test("after all tests the ledger contains exactly what the simulator served", async () => {
    assert.deepEqual((await fleet.audit()).violations, []);
  });
});
