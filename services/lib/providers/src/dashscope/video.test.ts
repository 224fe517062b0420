import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { order, read, upstream } from "../../test/video-cases.ts";
import { UpstreamFailure } from "../failure.ts";
import type { VideoState } from "../video/types.ts";
import { wanVideo } from "./video.ts";

describe("reads DashScope's video tasks", () => {
  const task = (output: object, usage?: object): VideoState => read(wanVideo, { output, usage });

  test("creates a task asynchronously, with the client's body unchanged", () => {
    const call = wanVideo.create(order, upstream("dashscope"));
    assert.deepEqual(call.body, { model: "model", ...order.body });
    assert.deepEqual(call.headers, ["x-dashscope-async", "enable"]);
    assert.equal(wanVideo.createdId({ output: { task_id: "t1", task_status: "PENDING" } }), "t1");
  });

  test("reads the usage format of every model generation", () => {
    const counts = [
      { video_count: 1, video_duration: 5, video_ratio: "832*480" },
      { duration: 5.0, size: "832*480", input_video_duration: 0, output_video_duration: 5, video_count: 1, SR: 480 },
      { duration: 5, video_count: 1, SR: "480" },
    ];
    for (const usage of counts) {
      const state = task({ task_status: "SUCCEEDED", video_url: "https://v" }, usage);
      assert.deepEqual(state.usage, { raw: usage, seconds: 5, resolution: "480p" });
    }
  });

  test("a failed task gives the provider's reason, without our key", () => {
    const state = task({ task_status: "FAILED", code: "InvalidParameter", message: "Bad key sk-secret-1234" });
    assert.equal(state.phase, "failed");
    assert.equal(state.reason, "Bad key [redacted]");
  });

  test("distinguishes unknown tasks from suspended ones", () => {
    assert.equal(task({ task_status: "UNKNOWN" }).phase, "unknown");
    assert.equal(task({ task_status: "SUSPENDED" }).phase, "running");
    assert.throws(() => task({}), UpstreamFailure);
  });

  test("lists tasks in Beijing time", () => {
    const lost = {
      taskId: "t",
      upstreamModel: "wan2.6-t2v",
      fromMs: Date.UTC(2026, 0, 1, 0),
      untilMs: Date.UTC(2026, 0, 1, 1),
    };
    const path = wanVideo.list?.call(lost).path ?? "";
    assert.match(path, /start_time=20260101080000&end_time=20260101090000&model_name=wan2.6-t2v/);
  });
});
