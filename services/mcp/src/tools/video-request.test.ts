import assert from "node:assert/strict";
import { test } from "node:test";
import { videoRequest } from "./video-request.ts";

const url = "https://a.example/a.png";
const common = { duration: 5, resolution: "720p" };

test("a first frame is placed where the model's version expects it", () => {
  const requested = (model: string) => videoRequest({ model, prompt: "p", first_frame_url: url }, "alibaba");
  const beta = { ...common, aspect_ratio: "16:9" };
  assert.deepEqual(requested("beta2.6-i2v"), { model: "beta2.6-i2v", ...beta, input: { prompt: "p", img_url: url } });
  const media = [{ type: "first_frame", url }];
  assert.deepEqual(requested("beta2.7-i2v"), { model: "beta2.7-i2v", ...beta, input: { prompt: "p", media } });
});

test("reference images and videos are distinguished by type", () => {
  const referenceUrls = [url, "https://a.example/b.mp4?x=1"];
  const { input } = videoRequest({ model: "beta2.7-r2v", prompt: "p", reference_urls: referenceUrls }, "alibaba") as {
    input: object;
  };
  assert.deepEqual(input, {
    prompt: "p",
    media: [
      { type: "reference_image", url },
      { type: "reference_video", url: referenceUrls[1] },
    ],
  });
});

test("Seedance requests have a content list, and Grok requests have their own fields", () => {
  const args = { prompt: "p", first_frame_url: url, duration: 4 } as const;
  assert.deepEqual(videoRequest({ model: "seedance-2-0", ...args, seed: 7 }, "bytedance"), {
    model: "seedance-2-0",
    duration: 4,
    resolution: "720p",
    content: [
      { type: "text", text: "p" },
      { type: "image_url", image_url: { url }, role: "first_frame" },
    ],
    seed: 7,
  });
  assert.deepEqual(videoRequest({ model: "grok-imagine-video", ...args }, "xai"), {
    model: "grok-imagine-video",
    duration: 4,
    resolution: "720p",
    prompt: "p",
    image: url,
  });
});
