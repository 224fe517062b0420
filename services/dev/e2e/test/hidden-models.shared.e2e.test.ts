import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { callAdmin } from "@uag/harness/fleet/admin-call";
import { createTestClient, type TestClient } from "@uag/harness/fleet/client";
import { openSharedFleet, type SharedFleet } from "@uag/harness/fleet/shared-fleet";

const user = { role: "user", content: "hello" };
const alpha = { messages: [{ role: "user", content: [{ text: "a cat" }] }] };

/** Every path that takes a model, with a model served there and the rest of a valid request. */
const received: [path: string, model: string, rest: object][] = [
  ["/v1/chat/completions", "gpt-4o-mini", { messages: [user] }],
  ["/v1/messages", "claude-sonnet-4-6", { max_tokens: 10, messages: [user] }],
  ["/v1/responses/input_tokens", "gpt-4o-mini", { input: "Hi" }],
  ["/v1/messages/count_tokens", "claude-sonnet-4-6", { messages: [user] }],
  ["/v1/embeddings", "text-embedding-v4", { input: "hello" }],
  ["/v1/audio/speech", "alpha3-tts-flash", { input: "hello" }],
  ["/v1/images/generations", "gamma-image-2", { prompt: "a cat" }],
  ["/v1/images/generations", "gamma-image-2", { input: alpha }],
  ["/v1/images/generations", "alpha-image-2.0", { input: alpha }],
  ["/v1/videos/generations", "beta2.7-t2v", { duration: 5, resolution: "720p", input: { prompt: "a cat" } }],
];

describe("a model is visible only to keys that may use it", () => {
  let fleet: SharedFleet;
  let client: TestClient;

  before(async () => {
    fleet = await openSharedFleet();
    const fields = { account_id: fleet.run.account_id, models: ["no-such-model"] };
    const { key } = await callAdmin<{ key: string }>(fleet.run, "POST", "/keys", fields);
    client = createTestClient({ baseUrl: fleet.run.base_url, apiKey: key });
  });

  /** A response without the parts that differ in every request. */
  const reportedText = (text: string, model: string): string =>
    text.replaceAll(model, "MODEL").replaceAll(/"request_id":"[^"]+"/g, '"request_id":"ID"');

  for (const [path, model, rest] of received) {
    test(`a forbidden model gets the same response as an unknown one: ${model} on ${path}`, async () => {
      const unknown = model.replace(/[a-z]$|\d$/, "zz");
      const [refused, missing, allowed] = await Promise.all([
        client.post(path, { model, ...rest }),
        client.post(path, { model: unknown, ...rest }),
        fleet.client.post(path, {
          model,
          ...rest,
          ...("input" in rest && "gamma-image-2" === model && { prompt: "a" }),
        }),
      ]);
      assert.equal(refused.status, 400, refused.text);
      assert.equal(missing.status, 400);
      assert.equal(reportedText(refused.text, model), reportedText(missing.text, unknown));
      assert.ok(allowed.status < 300, allowed.text);
    });
  }

  test("a forbidden model gets the same response as an unknown one: a form on /v1/images/edits, and /v1/models", async () => {
    const form = async (model: string): Promise<string> => {
      const body = new FormData();
      body.set("model", model);
      body.set("prompt", "a cat");
      body.set("image", new Blob(["x"]), "a.png");
      const raw = new Response(body);
      const headers = { "content-type": raw.headers.get("content-type") ?? "" };
      const response = await client.post("/v1/images/edits", Buffer.from(await raw.arrayBuffer()), { headers });
      assert.equal(response.status, 400);
      return reportedText(response.text, model);
    };
    assert.equal(await form("gamma-image-2"), await form("gamma-image-zz"));
    const one = async (model: string) => reportedText((await client.get(`/v1/models/${model}`)).text, model);
    assert.equal(await one("gpt-4o-mini"), await one("gpt-4o-zz"));
  });
});
