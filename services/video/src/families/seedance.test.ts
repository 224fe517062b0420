import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { parseCatalog } from "@uag/catalog/parse";
import type { Model } from "@uag/catalog/types";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import type { VideoRequestFields } from "./family.ts";
import { readGrok } from "./grok.ts";
import { readSeedance } from "./seedance.ts";

const catalog = parseCatalog(
  `providers:
  xai: { protocol: xai, base_url: http://127.0.0.1:1, api_key: k }
models:
  - id: grok-imagine-video
    owned_by: xai
    created: 2026-01-28
    operations: [videos.generations]
    price: { video_seconds: { 480p: 0.05, 720p: 0.07 } }
    upstreams: [{ provider: xai }]`,
  {},
);
const model = catalog.models.get("grok-imagine-video") as Model;
const newest = "dreamina-seedance-2-5-260915";
const seedance = (fields: object, upstreamModel = newest): VideoRequestFields =>
  readSeedance({ ...fields }, { model, upstreamModel });
const text = { type: "text", text: "a boat" };
const image = (role?: string) => ({ type: "image_url", image_url: { url: "https://example.com/a.png" }, role });
const video = { type: "video_url", video_url: { url: "https://example.com/a.mp4" }, role: "reference_video" };
const audio = { type: "audio_url", audio_url: { url: "https://example.com/a.mp3" }, role: "reference_audio" };

test("always sends billed settings to the provider", () => {
  assert.deepEqual(seedance({ content: [text] }).body, {
    content: [text],
    resolution: "720p",
    ratio: "16:9",
    duration: 5,
  });
});

test("accepts videos of up to 30 seconds", () => {
  assert.equal(seedance({ content: [text], duration: 30 }).terms.seconds, 30);
});

test("holds the maximum length when the model chooses the length", () => {
  assert.equal(seedance({ content: [text], duration: -1 }).terms.seconds, 30);
});

test("passes settings through and records those that affect the price", () => {
  const settings = { seed: 7, camera_fixed: true, generate_audio: false, return_last_frame: true, watermark: true };
  const requested = seedance({ content: [text, image("reference_image"), video], ...settings });
  for (const [name, value] of Object.entries(settings)) assert.equal(requested.body[name], value);
  assert.deepEqual(requested.terms.variants, ["video", "silent"]);
  assert.equal(requested.seed, 7);
});

test("generates a draft in 480p and finishes it by its id", () => {
  assert.equal(seedance({ content: [text], draft: true }).terms.resolution, "480p");
  const draft = { type: "draft_task", draft_task: { id: "cgt-1" } };
  assert.deepEqual(seedance({ content: [draft] }).drafts, ["cgt-1"]);
});

const old = "seedance-1-0-pro-250528";
const refused: readonly (readonly [title: string, fields: object, param: string, model?: string])[] = [
  ["no content", {}, "content"],
  ["an empty list", { content: [] }, "content"],
  ["an unknown part", { content: [{ type: "smell" }] }, "content[0].type"],
  ["only a last frame", { content: [text, image("last_frame")] }, "content"],
  ["two first frames", { content: [image(), image("first_frame")] }, "content"],
  ["frames with references", { content: [image(), image("reference_image")] }, "content"],
  ["31 references", { content: Array.from({ length: 31 }, () => image("reference_image")) }, "content"],
  ["references for a model of frames", { content: [text, image("reference_image")] }, "content", old],
  ["audio without the required image", { content: [text, audio] }, "content", "dreamina-seedance-2-0-260128"],
  ["31 seconds", { content: [text], duration: 31 }, "duration"],
  ["13 seconds of the first line", { content: [text], duration: 13 }, "duration", old],
  ["a draft of a model without drafts", { content: [text], draft: true }, "draft", old],
  ["a draft in 1080p", { content: [text], draft: true, resolution: "1080p" }, "resolution"],
  ["4k", { content: [text], resolution: "4k" }, "resolution"],
  ["frames and duration", { content: [text], frames: 29, duration: 5 }, "frames", old],
  ["a seed of -2", { content: [text], seed: -2 }, "seed"],
  ["the provider's own callback", { content: [text], callback_url: "https://example.com" }, "callback_url"],
  ["the flex tier of a model without it", { content: [text], service_tier: "flex" }, "service_tier"],
];

describe("rejects requests that the Seedance model does not support", () => {
  for (const [title, fields, param, upstreamModel] of refused) {
    test(`rejects ${title}, naming the field`, () =>
      assert.throws(
        () => seedance(fields, upstreamModel),
        (error) => error instanceof GatewayError && error.param === param,
      ));
  }
});

describe("reads requests in Grok's own format", () => {
  const grok = (fields: object): VideoRequestFields =>
    readGrok({ ...fields }, { model, upstreamModel: "grok-imagine-video" });
  const url = "https://example.com/a.png";

  test("sends billed settings; a first frame determines the aspect ratio", () => {
    const shape = { prompt: "x", duration: 5, resolution: "720p" };
    assert.deepEqual(grok({ prompt: "x" }).body, { ...shape, aspect_ratio: "16:9" });
    assert.deepEqual(grok({ prompt: "x", image: url }).body, { ...shape, image: { url } });
  });

  for (const [title, fields] of [
    ["no prompt", {}],
    ["16 seconds", { prompt: "x", duration: 16 }],
    ["1080p without a price", { prompt: "x", resolution: "1080p" }],
    ["8 references", { prompt: "x", reference_images: Array.from({ length: 8 }, () => url) }],
    ["an image with references", { prompt: "x", image: url, reference_images: [url] }],
  ] as const) {
    test(`rejects a request with ${title}`, () => assert.throws(() => grok(fields), GatewayError));
  }
});
