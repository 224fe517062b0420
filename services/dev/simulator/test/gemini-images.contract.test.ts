import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { imageInfo } from "../src/content/image-size.ts";
import { type Simulator, startSimulator } from "../src/service.ts";
import { dataOf, send } from "./support.ts";
import { good } from "./task-support.ts";

let simulator: Simulator;
before(async () => {
  simulator = await startSimulator();
});
after(() => simulator.close());

const key = { "x-goog-api-key": "good" };
const path = (model: string, method = "generateContent") => `/gemini/v1beta/models/${model}:${method}`;
const contents = [{ role: "user", parts: [{ text: "a cat" }] }];
const config = (imageConfig: object) => ({ responseModalities: ["TEXT", "IMAGE"], imageConfig });

for (const [model, imageConfig, width, height, tokens] of [
  ["gemini-2.5-flash-image", { aspectRatio: "16:9" }, 1344, 768, 1290],
  ["gemini-3-pro-image-preview", { aspectRatio: "1:1", imageSize: "2K" }, 2048, 2048, 1120],
] as const) {
  test(`${model} generates a PNG of ${width} x ${height} for ${tokens} tokens`, async () => {
    const body = { contents, generationConfig: config(imageConfig) };
    const response = await good(simulator, path(model), body, key);
    const { inlineData } = response.candidates[0].content.parts.at(-1);
    const info = imageInfo(Buffer.from(inlineData.data, "base64"));
    assert.deepEqual([inlineData.mimeType, info?.width, info?.height], ["image/png", width, height]);
    const usage = response.usageMetadata;
    assert.deepEqual(usage.candidatesTokensDetails, [{ modality: "IMAGE", tokenCount: tokens }]);
    assert.equal(usage.totalTokenCount, usage.promptTokenCount + usage.candidatesTokenCount);
  });
}

test("a streamed image is one part of one event", async () => {
  const { text } = await send(
    simulator,
    path("gemini-2.5-flash-image", "streamGenerateContent?alt=sse"),
    { contents },
    key,
  );
  const events = dataOf(text).map((data) => JSON.parse(data));
  const images = events.filter(({ candidates }) => candidates[0].content.parts[0].inlineData);
  assert.deepEqual([images.length, events.at(-1).candidates[0].finishReason], [1, "STOP"]);
});

test("a withheld image has a reason and no parts, a blocked prompt no candidates", async () => {
  const response = await good(simulator, path("gemini-2.5-flash-image--sim-moderation"), { contents }, key);
  assert.deepEqual(
    [response.candidates[0].finishReason, response.candidates[0].content.parts],
    ["IMAGE_SAFETY", undefined],
  );
  const blocked = [{ role: "user", parts: [{ text: "blocked" }] }];
  const refused = await good(simulator, path("gemini-2.5-flash-image"), { contents: blocked }, key);
  assert.deepEqual([refused.candidates, refused.promptFeedback.blockReason], [undefined, "PROHIBITED_CONTENT"]);
});

test("an unsupported size or ratio is a 400", async () => {
  for (const imageConfig of [{ imageSize: "4K" }, { aspectRatio: "1:8" }, { size: "1K" }]) {
    const body = { contents, generationConfig: config(imageConfig) };
    const { status, text } = await send(simulator, path("gemini-2.5-flash-image"), body, key);
    assert.deepEqual([status, JSON.parse(text).error.status], [400, "INVALID_ARGUMENT"]);
  }
});
