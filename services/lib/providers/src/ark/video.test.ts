import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { order, read, upstream } from "../../test/video-cases.ts";
import { seedanceVideo } from "./video.ts";

describe("reads Ark's video tasks", () => {
  test("a task carries our id, by which it can be found again", () => {
    const call = seedanceVideo.create({ ...order, body: { content: [] } }, upstream("ark"));
    assert.equal(call.body?.["safety_identifier"], "task-1");
    const listed = seedanceVideo.list?.read({ items: [{ id: "cgt-1", safety_identifier: "task-1" }, { id: "cgt-2" }] });
    assert.deepEqual(listed, [
      { id: "cgt-1", taskId: "task-1" },
      { id: "cgt-2", taskId: undefined },
    ]);
  });

  test("a finished task has the video's URL, its tokens and its seed", () => {
    const usage = { completion_tokens: 108_900, total_tokens: 108_900 };
    const body = {
      id: "cgt-1",
      status: "succeeded",
      content: { video_url: "https://v" },
      usage,
      seed: 10,
      resolution: "720p",
      duration: 5,
    };
    const state = read(seedanceVideo, body);
    assert.deepEqual([state.phase, state.videoUrl, state.seed], ["succeeded", "https://v", 10]);
    assert.deepEqual(state.usage, { raw: usage, tokens: 108_900, seconds: 5, resolution: "720p" });
  });
});
