import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { read } from "../../test/video-cases.ts";
import { xaiVideo } from "./video.ts";

describe("reads xAI's video tasks", () => {
  test("reads an empty body as pending, and a video without a status as done", () => {
    assert.equal(read(xaiVideo, {}, 202).phase, "queued");
    assert.equal(read(xaiVideo, { status: "pending", progress: 40 }, 202).phase, "running");
    assert.equal(read(xaiVideo, { video: { url: "https://v", duration: 8 } }).phase, "succeeded");
  });

  test("a withheld video is a failed task", () => {
    const body = { status: "done", video: { url: "https://v", duration: 8, respect_moderation: false } };
    assert.equal(read(xaiVideo, body).phase, "failed");
  });
});
