import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { TestResponse } from "@uag/harness/fleet/client";
import { requestUuid } from "@uag/runtime/ids";
import { type Json, type PlaceOf, path, pngDimensions, prompt } from "./place.ts";

const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;
const drawing = ["alpha-image-2.0", "alpha-image-2.0-pro", "alpha-image-max"];
const editing = ["alpha-image-edit", "alpha-image-edit-plus", "alpha-image-edit-max"];
const sizes = "1024*1024 1664*928 1472*1140 1328*1328 1140*1472 928*1664 1280*720 720*1280".split(" ");
const text = { text: prompt };
const image = "https://example.com/a.png";
const picture = { image };

const bodyOf = (model: string, content: unknown, parameters?: unknown): Json => ({
  model,
  input: { messages: [{ role: "user", content }] },
  ...(parameters !== undefined && { parameters }),
});

interface Result {
  readonly request_id: string;
  readonly output: { choices: [{ finish_reason: string; message: { role: string; content: [{ image: string }] } }] };
  readonly usage: { image_count: number; height: number; width: number };
}

function assertFlat(response: TestResponse, status: number, code: string): void {
  assert.equal(response.status, status, response.text);
  const body = response.json<{ code: string; message: string; request_id: string }>();
  assert.deepEqual(Object.keys(body), ["code", "message", "request_id"]);
  assert.equal(body.code, code, response.text);
  assert.notEqual(body.message, "");
  assert.equal(body.request_id, requestUuid(response.headers.get("x-request-id") ?? ""));
  assert.match(body.request_id, uuid);
  assert.doesNotMatch(response.text, /127\.0\.0\.1|localhost|\bat \w+ \(|node:/);
}

const refused: [what: string, body: Json][] = [
  ["no model", { input: { messages: [{ role: "user", content: [text] }] } }],
  ["an unknown model", bodyOf("alpha-image-9.9", [text])],
  ["a model that does not generate images", bodyOf("gpt-4o-mini", [text])],
  ["no input", { model: "alpha-image-2.0" }],
  ["OpenAI's shape", { model: "alpha-image-2.0", prompt }],
  ["no messages", { model: "alpha-image-2.0", input: {} }],
  ["an empty list of messages", { model: "alpha-image-2.0", input: { messages: [] } }],
  [
    "two messages",
    { model: "alpha-image-2.0", input: { messages: [1, 2].map(() => ({ role: "user", content: [text] })) } },
  ],
  ["a system message", { model: "alpha-image-2.0", input: { messages: [{ role: "system", content: [text] }] } }],
  ["content that is not a list", bodyOf("alpha-image-2.0", prompt)],
  ["no content", bodyOf("alpha-image-2.0", [])],
  ["an empty block", bodyOf("alpha-image-2.0", [{}])],
  ["a block with text and an image", bodyOf("alpha-image-edit", [{ text: prompt, image }])],
  ["a text block with a number", bodyOf("alpha-image-2.0", [{ text: 5 }])],
  ["no text", bodyOf("alpha-image-edit", [picture])],
  ["blank text", bodyOf("alpha-image-2.0", [{ text: " \n" }])],
  ["an image for a model that does not edit", bodyOf("alpha-image-2.0", [text, picture])],
  ...editing.flatMap((model): [string, Json][] => [
    [`no image for ${model}`, bodyOf(model, [text])],
    [`four images for ${model}`, bodyOf(model, [picture, picture, picture, picture, text])],
  ]),
  ["an image by plain http", bodyOf("alpha-image-edit", [{ image: "http://example.com/a.png" }, text])],
  ["an image as a data URL", bodyOf("alpha-image-edit", [{ image: "data:image/png;base64,AAAA" }, text])],
  ["an image at an internal address", bodyOf("alpha-image-edit", [{ image: "https://10.0.0.1/a.png" }, text])],
  ["an image by a URL with a password", bodyOf("alpha-image-edit", [{ image: "https://u:p@example.com/a.png" }, text])],
  ["a size with an x", bodyOf("alpha-image-2.0", [text], { size: "1024x1024" })],
  ["a size that is not in the list", bodyOf("alpha-image-2.0", [text], { size: "512*512" })],
  ["a size that is a number", bodyOf("alpha-image-2.0", [text], { size: 1024 })],
  ["two images", bodyOf("alpha-image-2.0", [text], { n: 2 })],
  ["zero images", bodyOf("alpha-image-2.0", [text], { n: 0 })],
  ["n as text", bodyOf("alpha-image-2.0", [text], { n: "1" })],
  ["a seed below zero", bodyOf("alpha-image-2.0", [text], { seed: -1 })],
  ["a fractional seed", bodyOf("alpha-image-2.0", [text], { seed: 1.5 })],
  ["a seed that is too large", bodyOf("alpha-image-2.0", [text], { seed: 2 ** 31 })],
  ["a watermark that is text", bodyOf("alpha-image-2.0", [text], { watermark: "yes" })],
  ["a negative prompt that is a number", bodyOf("alpha-image-2.0", [text], { negative_prompt: 5 })],
  ["a prompt_extend that is a number", bodyOf("alpha-image-2.0", [text], { prompt_extend: 1 })],
  ["parameters as a list", bodyOf("alpha-image-2.0", [text], [])],
];

/** `POST /v1/images/generations` for the six alpha models, and their errors. */
export function alphaTests(here: PlaceOf): void {
  const call = (body: unknown, headers?: Record<string, string>): Promise<TestResponse> =>
    here().fleet.client.post(path, body, headers && { headers });
  const result = async (body: unknown): Promise<Result> => {
    const response = await call(body);
    assert.equal(response.status, 200, response.text);
    return response.json<Result>();
  };
  const urlOf = ({ output }: Result): string => output.choices[0].message.content[0].image;
  const drawnAt = async (made: Result): Promise<string> => {
    const file = await fetch(urlOf(made));
    return pngDimensions(Buffer.from(await file.arrayBuffer()));
  };

  for (const model of drawing) {
    test(`${model} responds in its own format with one image of the default size, by a URL that is valid for a day`, async () => {
      const response = await call(bodyOf(model, [text]));
      assert.equal(response.status, 200, response.text);
      const made = response.json<Result>();
      assert.deepEqual(Object.keys(made), ["request_id", "output", "usage"]);
      assert.match(made.request_id, uuid);
      assert.deepEqual(
        [made.output.choices[0].finish_reason, made.output.choices[0].message.role],
        ["stop", "assistant"],
      );
      assert.deepEqual(made.usage, { image_count: 1, height: 1024, width: 1024 });
      assert.equal(await drawnAt(made), "1024x1024");
      // The provider's own URL contains its expiry; the gateway's URLs are tested elsewhere.
      const expires = new URL(urlOf(made)).searchParams.get("Expires");
      if (model === "alpha-image-max") assert.equal(response.headers.get("x-gateway-upstream-size"), "1328x1328");
      else assert.ok(Number(expires) - Date.now() / 1_000 > 86_300, "the URL is valid for a day");
      assert.ok(Number(response.headers.get("x-gateway-cost-usd")) > 0);
    });
  }

  for (const model of editing) {
    test(`${model} edits one to three images`, async () => {
      const own = urlOf(await result(bodyOf("alpha-image-2.0", [text])));
      for (const count of [1, 2, 3]) {
        const pictures = Array.from({ length: count }, () => ({ image: own }));
        const { usage } = await result(bodyOf(model, [...pictures, { text: "More snow" }], { seed: 7 }));
        assert.equal(usage.image_count, 1);
      }
    });
  }

  test("every listed size is the size of every model's file and in its usage", async () => {
    for (const model of [...drawing, ...editing]) {
      const content = editing.includes(model) ? [picture, text] : [text];
      const made = await Promise.all(sizes.map((size) => result(bodyOf(model, content, { size }))));
      assert.deepEqual(
        made.map(({ usage }) => `${usage.width}*${usage.height}`),
        sizes,
        model,
      );
      const files = await Promise.all(made.map(drawnAt));
      assert.deepEqual(
        files.map((size) => size.replace("x", "*")),
        sizes,
        model,
      );
    }
  });

  test("every parameter is accepted, null counts as absent, and text blocks are joined", async () => {
    const all = { size: sizes[1], n: 1, seed: 5, watermark: true, negative_prompt: "fog", prompt_extend: false };
    const none = Object.fromEntries(Object.keys(all).map((name) => [name, null]));
    for (const parameters of [all, none, {}, null]) await result(bodyOf("alpha-image-2.0", [text, text], parameters));
  });

  describe("refused with a flat InvalidParameter", () => {
    for (const [what, body] of refused) test(what, async () => assertFlat(await call(body), 400, "InvalidParameter"));
  });

  test("a provider's refusal keeps its code and message", async () => {
    const response = await call(bodyOf("alpha-image-2.0", [{ text: "blocked" }]));
    assertFlat(response, 400, "DataInspectionFailed");
    assert.match(response.text, /inappropriate content/);
  });

  test("limits of the provider and of the key are Throttling.RateQuota", async () => {
    const body = bodyOf("alpha-image-max", [text]);
    await here().under({ status: 429, "retry-after": 60 }, { model: "qwen-image-max" }, async () => {
      const response = await call(body);
      assertFlat(response, 429, "Throttling.RateQuota");
      assert.ok(Number(response.headers.get("retry-after")) > 0);
    });
    const accountId = here().fleet.run.account_id;
    const slow = await here().clientOf({ accountId, limits: { requestsPerMinute: 1n } });
    assert.equal((await slow.post(path, body)).status, 200);
    assertFlat(await slow.post(path, body), 429, "Throttling.RateQuota");
    const narrow = await here().clientOf({ accountId, limits: { concurrentRequests: 1n } });
    await here().under({ latency: 1_500 }, { model: "qwen-image-max" }, async () => {
      const both = await Promise.all([narrow.post(path, body), narrow.post(path, body)]);
      const [good, over] = both.sort((a, b) => a.status - b.status) as [TestResponse, TestResponse];
      assert.equal(good.status, 200, good.text);
      assertFlat(over, 429, "Throttling.RateQuota");
    });
  });

  test("errors for no money, a forbidden model and an unreachable upstream are flat too", async () => {
    const body = bodyOf("alpha-image-2.0", [text]);
    const { clientOf, under } = here();
    assertFlat(await (await clientOf({})).post(path, body), 402, "insufficient_balance");
    assertFlat(await (await clientOf({ models: ["delta-2"] })).post(path, body), 400, "InvalidParameter");
    await under({ status: 500 }, { model: "qwen-image-2.0" }, async () =>
      assertFlat(await call(body), 502, "upstream_error"),
    );
    await under({ status: 401 }, { model: "qwen-image-2.0-pro" }, async () => {
      const response = await call(bodyOf("alpha-image-2.0-pro", [text]));
      assertFlat(response, 502, response.json<{ code: string }>().code);
    });
  });

  test("errors of an Idempotency-Key are flat too", async () => {
    const body = bodyOf("alpha-image-2.0", [text]);
    const key = { "idempotency-key": "alpha-1" };
    const first = await call(body, key);
    assert.equal((await call(body, key)).text, first.text);
    assertFlat(await call(bodyOf("alpha-image-2.0", [{ text: "another" }]), key), 422, "idempotency_key_reuse");
    assertFlat(await call(body, { "idempotency-key": "k".repeat(256) }), 400, "InvalidParameter");
    const gamma = await call({ model: "gamma-image-2", prompt }, key);
    assert.equal(gamma.json<{ error: { code: string } }>().error.code, "idempotency_key_reuse");
    await here().under({ latency: 1_000 }, { model: "qwen-image-max" }, async () => {
      const slow = { "idempotency-key": "alpha-2" };
      const ask2 = (): Promise<TestResponse> => call(bodyOf("alpha-image-max", [text]), slow);
      const both = await Promise.all([ask2(), ask2()]);
      const [good, over] = both.sort((a, b) => a.status - b.status) as [TestResponse, TestResponse];
      assert.equal(good.status, 200, good.text);
      assertFlat(over, 409, "idempotency_in_progress");
    });
  });

  test("errors before the model is known are nested", async () => {
    const body = bodyOf("alpha-image-2.0", [text]);
    const cases: [response: TestResponse, status: number][] = [
      [await call('{"model":"alpha-image-2.0",'), 422],
      [await call('{"model":"alpha-image-2.0","input":"raw\nbreak"}'), 422],
      [await call(""), 422],
      [await call("[]"), 400],
      [await call(body, { authorization: "Bearer sk-wrong" }), 401],
      [await call(body, { "content-type": "text/plain" }), 415],
    ];
    for (const [response, status] of cases) {
      assert.equal(response.status, status, response.text);
      assert.equal(typeof response.json<{ error: { message: string } }>().error.message, "string");
    }
  });
}
