import assert from "node:assert/strict";
import { test } from "node:test";
import { parseCatalog } from "@uag/catalog/parse";
import { generationRequestSize } from "./size.ts";

const catalog = parseCatalog(
  `providers: { p: { protocol: openai, base_url: "http://127.0.0.1:1", api_key: k } }
models:
  - &m { id: plain, owned_by: o, created: 0, operations: [chat.completions], context_tokens: 10000, max_output_tokens: 1000, image_tokens: 800,
      price: { input_tokens: 1, audio_input_tokens: 10, output_tokens: 2, audio_output_tokens: 20 }, upstreams: [{ provider: p }] }
  - { <<: *m, id: sharp, original_image_tokens: 5000 }
  - { <<: *m, id: sharper, original_image_tokens: 5000, default_image_detail: original }`,
  {},
);
const messages = (...parts: object[]) => ({ messages: [{ role: "user", content: parts }] });
/** The hold, nano-USD, of a request with an output cap of 100 tokens. */
const hold = (fields: object, { id = "plain", bodyBytes = 500 } = {}): number => {
  const model = catalog.models.get(id) ?? assert.fail();
  const { holdNanoUsd } = generationRequestSize({
    model,
    fields: { ...fields },
    bodyBytes,
    candidates: 1,
    outputCap: 100,
  });
  return Number(holdNanoUsd);
};

test("the hold covers images by the model's rules, audio by its length and price, and the whole context where a size is unknown", () => {
  const url = `data:image/png;base64,${"A".repeat(5_000)}`;
  assert.equal(
    hold(messages({ type: "image_url", image_url: { url } }), { bodyBytes: 5_500 }),
    (5_500 - url.length + 800) * 1_000 + 200_000,
  );
  assert.equal(hold(messages({ type: "image_url", image_url: { url: "https://a.test/x" } })), 1_300 * 1_000 + 200_000);
  const data = "A".repeat(5_000);
  assert.equal(
    hold(messages({ type: "input_audio", input_audio: { data } }), { bodyBytes: 5_500 }),
    (500 + 100) * 10_000 + 200_000,
  );
  for (const part of [
    { type: "input_audio", input_audio: { data: "https://a.test/x" } },
    { type: "video_url", video_url: {} },
  ]) {
    assert.equal(hold(messages(part)), 10_000 * 10_000 + 200_000);
  }
  assert.equal(hold({ ...messages(), audio: { voice: "x" } }), 500_000 + 100 * 20_000);
});

const ofImage = (tokens: number): number => (500 + tokens) * 1_000 + 200_000;
const chatImage = (detail?: string | null) =>
  messages({ type: "image_url", image_url: { url: "https://a.test/x", detail } });
const responsesImage = (detail?: string | null) => ({
  input: [{ role: "user", content: [{ type: "input_image", image_url: "https://a.test/x", detail }] }],
});

test("the hold covers an image at its original resolution when OpenAI reads it at that resolution", () => {
  for (const image of [chatImage, responsesImage]) {
    assert.equal(hold(image("original")), ofImage(800), "the model has no original resolution");
    assert.equal(hold(image("original"), { id: "sharp" }), ofImage(5_000));
    assert.equal(hold(image("a later level"), { id: "sharp" }), ofImage(5_000));
    for (const detail of ["auto", null, undefined, "high", "low"]) {
      assert.equal(hold(image(detail), { id: "sharp" }), ofImage(800), String(detail));
    }
    for (const detail of ["original", "auto", null, undefined]) {
      assert.equal(hold(image(detail), { id: "sharper" }), ofImage(5_000), String(detail));
    }
    assert.equal(hold(image("high"), { id: "sharper" }), ofImage(800));
  }
  const source = { type: "url", url: "https://a.test/x" };
  assert.equal(hold(messages({ type: "image", source }), { id: "sharper" }), ofImage(5_000));
  const result = {
    type: "function_call_output",
    output: [{ type: "input_image", image_url: "x", detail: "original" }],
  };
  assert.equal(hold({ input: [result] }, { id: "sharp" }), ofImage(5_000));
});

test("the hold covers an image at its original resolution when DashScope is asked to read it at that resolution", () => {
  const fields = chatImage();
  assert.equal(hold({ ...fields, vl_high_resolution_images: true }, { id: "sharp" }), ofImage(5_000));
  assert.equal(hold({ ...fields, vl_high_resolution_images: false }, { id: "sharp" }), ofImage(800));
  const part = { type: "image_url", image_url: { url: "https://a.test/x" }, max_pixels: 16_777_216 };
  assert.equal(hold(messages(part), { id: "sharp" }), ofImage(5_000));
});

test("the hold covers the longest spoken response for each reference to an earlier one", () => {
  const spoken = { role: "assistant", audio: { id: "audio_1" } };
  assert.equal(hold({ messages: [spoken] }), (500 + 1_000) * 10_000 + 200_000);
  assert.equal(hold({ messages: [spoken, spoken] }), (500 + 2_000) * 10_000 + 200_000);
  assert.equal(hold({ messages: [{ role: "assistant", content: "x", audio: null }] }), 500_000 + 200_000);
});
