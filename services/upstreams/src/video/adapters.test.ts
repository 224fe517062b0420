import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Protocol, Upstream } from "@uag/catalog/types.ts";
import { testTransport } from "../../test/transport.ts";
import { seedanceVideo } from "../ark/video.ts";
import { wanVideo } from "../dashscope/video.ts";
import { UpstreamFailure } from "../failure.ts";
import { xaiVideo } from "../xai/video.ts";
import { createFault } from "./call.ts";
import type { VideoAdapter, VideoState } from "./types.ts";

const upstream = (protocol: Protocol): Upstream => ({
  provider: {
    name: protocol,
    protocol,
    origin: "https://provider.example",
    basePath: "",
    apiKey: "sk-secret-1234",
    headers: [],
    timeouts: { connectMs: 1, firstByteMs: 1, betweenChunksMs: 1, totalMs: 1 },
    transport: testTransport(),
    developerRole: true,
    onAbort: undefined,
  },
  model: "model",
  weight: 1,
  priority: 0,
});
const read = (adapter: VideoAdapter, body: object, status = 200): VideoState =>
  adapter.read(body as Record<string, unknown>, status, upstream("dashscope"));
const order = { requestId: "req_1", taskId: "task-1", body: { input: { prompt: "x" }, parameters: {} } };

describe("DashScope", () => {
  const task = (output: object, usage?: object): VideoState => read(wanVideo, { output, usage });

  test("a task is asked for asynchronously, its body as it is", () => {
    const call = wanVideo.create(order, upstream("dashscope"));
    assert.deepEqual(call.body, { model: "model", ...order.body });
    assert.deepEqual(call.headers, ["x-dashscope-async", "enable"]);
    assert.equal(wanVideo.createdId({ output: { task_id: "t1", task_status: "PENDING" } }), "t1");
  });

  test("every generation's way of counting is read", () => {
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

  test("a failed task says why, without our key", () => {
    const state = task({ task_status: "FAILED", code: "InvalidParameter", message: "Bad key sk-secret-1234" });
    assert.equal(state.phase, "failed");
    assert.equal(state.reason, "Bad key [redacted]");
  });

  test("a task that it does not know, or has put off, is told apart", () => {
    assert.equal(task({ task_status: "UNKNOWN" }).phase, "unknown");
    assert.equal(task({ task_status: "SUSPENDED" }).phase, "running");
    assert.throws(() => task({}), UpstreamFailure);
  });

  test("tasks are listed by Beijing's time", () => {
    const lost = {
      taskId: "t",
      upstreamModel: "wan2.6-t2v",
      fromMs: Date.UTC(2026, 0, 1, 0),
      untilMs: Date.UTC(2026, 0, 1, 1),
    };
    const path = wanVideo.list?.call(lost).path ?? "";
    assert.match(path, /start_time=20260101075900&end_time=20260101090100&model_name=wan2.6-t2v/);
  });
});

describe("Ark", () => {
  test("a task carries our id, by which it is found again", () => {
    const call = seedanceVideo.create({ ...order, body: { content: [] } }, upstream("ark"));
    assert.equal(call.body?.["safety_identifier"], "task-1");
    const listed = seedanceVideo.list?.read({ items: [{ id: "cgt-1", safety_identifier: "task-1" }, { id: "cgt-2" }] });
    assert.deepEqual(listed, [
      { id: "cgt-1", taskId: "task-1" },
      { id: "cgt-2", taskId: undefined },
    ]);
  });

  test("a finished task has its video, tokens and seed", () => {
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

describe("xAI", () => {
  test("pending may be an empty body, and done may lack its status", () => {
    assert.equal(read(xaiVideo, {}, 202).phase, "queued");
    assert.equal(read(xaiVideo, { status: "pending", progress: 40 }, 202).phase, "running");
    assert.equal(read(xaiVideo, { video: { url: "https://v", duration: 8 } }).phase, "succeeded");
  });

  test("a withheld video is a failure", () => {
    const body = { status: "done", video: { url: "https://v", duration: 8, respect_moderation: false } };
    assert.equal(read(xaiVideo, body).phase, "failed");
  });
});

test("only what was certainly refused may be asked of another provider", () => {
  const said = { message: "no", type: undefined, code: undefined, param: undefined };
  const faults: readonly (readonly [UpstreamFailure, string])[] = [
    [new UpstreamFailure("unreachable", "refused"), "refused"],
    [new UpstreamFailure("capacity", "429", { status: 429 }), "refused"],
    [new UpstreamFailure("operator", "401", { status: 401 }), "refused"],
    [new UpstreamFailure("transient", "503", { status: 503 }), "refused"],
    [new UpstreamFailure("client", "400", { status: 400, said }), "failed"],
    [new UpstreamFailure("transient", "500 in its own words", { status: 500, said }), "failed"],
    [new UpstreamFailure("transient", "502 of a proxy", { status: 502 }), "ambiguous"],
    [new UpstreamFailure("timeout", "no answer"), "ambiguous"],
    [new UpstreamFailure("transient", "the connection broke"), "ambiguous"],
  ];
  for (const [failure, fault] of faults) assert.equal(createFault(failure), fault, failure.message);
});
