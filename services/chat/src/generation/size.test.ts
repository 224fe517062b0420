import assert from "node:assert/strict";
import { test } from "node:test";
import { parseCatalog } from "@uag/catalog/parse";
import { generationRequestSize, type Sizing } from "./size.ts";

const catalog = parseCatalog(
  `providers: { p: { protocol: openai, base_url: "http://127.0.0.1:1", api_key: k }, x: { protocol: xai, base_url: "http://127.0.0.1:1", api_key: k }, d: { protocol: dashscope, base_url: "http://127.0.0.1:1", api_key: k } }
models:
  - &m { id: plain, owned_by: o, created: 0, operations: [chat.completions], context_tokens: 10000, max_output_tokens: 1000, image_tokens: 800,
      price: { input_tokens: 1, cached_input_tokens: 0.1, audio_input_tokens: 10, output_tokens: 2, audio_output_tokens: 20 }, upstreams: [{ provider: p }] }
  - { <<: *m, id: sharp, original_image_tokens: 5000 }
  - { <<: *m, id: thinker, reasoning: {} }
  - { <<: *m, id: grok, reasoning: {}, upstreams: [{ provider: x }] }
  - { <<: *m, id: omni, upstreams: [{ provider: d }] }
  - { <<: *m, id: hybrid, reasoning: { switch: enable_thinking, default_effort: none }, upstreams: [{ provider: d }] }
  - { <<: *m, id: hybrid-on, reasoning: { switch: enable_thinking }, upstreams: [{ provider: d }] }`,
  {},
);
const messages = (...parts: object[]) => ({ messages: [{ role: "user", content: parts }] });
const size = (more: Partial<Sizing> & { id?: string }) => {
  const { id = "plain", fields = { messages: [{ role: "user", content: "x" }] }, ...rest } = more;
  const model = catalog.models.get(id) ?? assert.fail();
  return generationRequestSize({ model, fields, bodyBytes: 500, candidates: 1, outputCap: 100, ...rest });
};
const hold = (more: Parameters<typeof size>[0]): number => Number(size(more).holdNanoUsd);

test("the hold counts each byte of the body as a token, plus the output cap for each candidate", () => {
  assert.equal(hold({}), 500 * 1_000 + 100 * 2_000);
  assert.equal(hold({ candidates: 3 }), 500 * 1_000 + 300 * 2_000);
  assert.equal(hold({ outputCap: undefined }), 500 * 1_000 + 1_000 * 2_000);
  assert.equal(hold({ outputCap: 1e9 }), 500 * 1_000 + 1_000 * 2_000, "no response is longer than the model's limit");
  assert.equal(hold({ bodyBytes: 1e9 }), 10_000 * 1_000 + 100 * 2_000, "no prompt is longer than the context");
  assert.equal(hold({ promptTokens: 7 }), 7 * 1_000 + 100 * 2_000);
});

test("an output cap bounds reasoning too, except where the provider does not apply it to reasoning", () => {
  assert.equal(hold({ id: "thinker" }), 500 * 1_000 + 100 * 2_000);
  assert.equal(hold({ id: "grok" }), 500 * 1_000 + 1_000 * 2_000);
});

test("an output cap does not bound thinking that a request in any format enables", () => {
  const whole = 500 * 1_000 + 1_000 * 2_000;
  const capped = 500 * 1_000 + 100 * 2_000;
  assert.equal(hold({ id: "hybrid" }), capped);
  assert.equal(hold({ id: "hybrid-on" }), whole);
  const on = [
    { enable_thinking: true },
    { thinking_budget: 5 },
    { reasoning_effort: "low" },
    { reasoning: { effort: "high" } },
    { thinking: { type: "adaptive" } },
    { output_config: { effort: "low" } },
  ];
  for (const fields of on) assert.equal(hold({ id: "hybrid", fields }), whole, JSON.stringify(fields));
  const off = [{ enable_thinking: false }, { reasoning: { effort: "none" } }, { thinking: { type: "disabled" } }];
  for (const fields of off) assert.equal(hold({ id: "hybrid-on", fields }), capped, JSON.stringify(fields));
});

test("an output cap bounds speech too, except where another model synthesizes it from the text", () => {
  const spoken = { ...messages(), modalities: ["text", "audio"], audio: { voice: "x" } };
  assert.equal(hold({ fields: spoken }), 500_000 + 100 * 20_000);
  assert.equal(hold({ id: "omni", fields: spoken }), 500_000 + 1_000 * 20_000);
  assert.equal(
    hold({ id: "omni", fields: { ...messages(), modalities: ["text", "audio"] } }),
    500_000 + 1_000 * 20_000,
  );
  assert.equal(hold({ id: "omni", fields: { ...messages(), modalities: ["text"] } }), 500_000 + 100 * 2_000);
});

test("reserves an image's usual size from the token limit", () => {
  const fields = messages({ type: "image_url", image_url: { url: "https://a.test/x", detail: "original" } });
  assert.equal(size({ id: "sharp", fields, bodyBytes: 400, outputCap: 50 }).tokens, 100 + 800 + 50);
});

test("reserves the likely number of tokens from the token limit, not the maximum", () => {
  assert.equal(size({ bodyBytes: 400, outputCap: 50 }).tokens, 150);
  assert.equal(size({ bodyBytes: 40, outputCap: 50, candidates: 2 }).tokens, 110);
  assert.equal(size({ bodyBytes: 400, outputCap: undefined }).tokens, 100);
  assert.equal(size({ bodyBytes: 4_000_000, outputCap: 50 }).tokens, 10_050);
});
