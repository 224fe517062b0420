import assert from "node:assert/strict";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { type Simulator, startSimulator } from "../src/service.ts";
import { movieOf } from "./mp4.ts";
import { logged, send } from "./support.ts";
import { download, good, lastTask, until } from "./task-support.ts";

let simulator: Simulator;
before(async () => {
  simulator = await startSimulator({ taskMs: 60 });
});
after(() => simulator.close());

const path = "/dashscope/api/v1/services/aigc/video-generation/video-synthesis";
const async = { "x-dashscope-async": "enable" };
const imgUrl = "https://example.com/a.png";

async function create(body: unknown, headers: Record<string, string> = {}, from = simulator): Promise<string> {
  const { output } = await good(from, path, body, { ...async, ...headers });
  assert.equal(output.task_status, "PENDING");
  return output.task_id;
}

function poll(id: string, from = simulator) {
  return good(from, `/dashscope/api/v1/tasks/${id}`);
}

function finished(id: string, from = simulator) {
  return until(
    () => poll(id, from),
    ({ output }) => !["PENDING", "RUNNING"].includes(output.task_status),
  );
}

const t2v = (model: string, parameters: object = {}) => ({ model, input: { prompt: "a cat" }, parameters });

test("a task moves from PENDING through RUNNING to SUCCEEDED with a video of the requested size and length", async () => {
  const body = t2v("wan2.6-t2v", { size: "1280*720", duration: 3 });
  const id = await create(body, { "x-sim-task-ms": "2000" });
  const seen = new Set<string>();
  const last = await until(
    async () => {
      const response = await poll(id);
      seen.add(response.output.task_status);
      return response;
    },
    ({ output }) => output.task_status === "SUCCEEDED",
  );
  // A busy machine may miss the first states; none may come back.
  const order = ["PENDING", "RUNNING", "SUCCEEDED"];
  assert.deepEqual([...seen], order.slice(-seen.size));
  assert.match(last.output.submit_time, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}$/);
  assert.deepEqual([last.output.orig_prompt, last.output.actual_prompt], ["a cat", undefined]);
  const movie = movieOf(await download(last.output.video_url));
  assert.deepEqual([movie.width, movie.height, Math.round(movie.seconds)], [1280, 720, 3]);
});

const usages: readonly [string, object, object, object][] = [
  [
    "wan2.5-t2v-preview",
    { input: { prompt: "x" }, parameters: { size: "832*480", duration: 10 } },
    { video_count: 1, video_duration: 10, video_ratio: "832*480" },
    { seconds: 10, resolution: "480P", sound: true },
  ],
  [
    "wan2.5-i2v-preview",
    { input: { prompt: "x", img_url: imgUrl }, parameters: { resolution: "480P" } },
    { video_count: 1, video_duration: 5, SR: 480 },
    { seconds: 5, resolution: "480P", sound: true },
  ],
  [
    "wan2.6-t2v",
    { input: { prompt: "x" }, parameters: { size: "1280*720", duration: 10 } },
    { duration: 10, input_video_duration: 0, output_video_duration: 10, video_count: 1, SR: 720, size: "1280*720" },
    { seconds: 10, resolution: "720P", sound: true },
  ],
  [
    "wan2.6-i2v-flash",
    { input: { prompt: "x", img_url: imgUrl }, parameters: { resolution: "720P", audio: false } },
    { duration: 5, input_video_duration: 0, output_video_duration: 5, video_count: 1, SR: 720, audio: false },
    { seconds: 5, resolution: "720P", sound: false },
  ],
  [
    "wan2.6-r2v",
    {
      input: { prompt: "x", reference_urls: ["https://example.com/a.mp4", imgUrl] },
      parameters: { size: "1280*720" },
    },
    { duration: 10, input_video_duration: 5, output_video_duration: 5, video_count: 1, SR: 720, size: "1280*720" },
    { seconds: 10, resolution: "720P", sound: true },
  ],
  [
    "wan2.7-t2v-2026-04-25",
    { input: { prompt: "x" }, parameters: { resolution: "720P", ratio: "9:16", duration: 2 } },
    {
      duration: 2,
      input_video_duration: 0,
      output_video_duration: 2,
      video_count: 1,
      SR: 720,
      ratio: "9:16",
      fps: 30,
      size: "720*1280",
    },
    { seconds: 2, resolution: "720P", sound: true },
  ],
  [
    "happyhorse-1.0-r2v",
    {
      input: { prompt: "x", media: [{ type: "reference_image", url: imgUrl }] },
      parameters: { resolution: "720P", duration: 4 },
    },
    { duration: 4, input_video_duration: 0, output_video_duration: 4, video_count: 1, SR: 720, ratio: "16:9" },
    { seconds: 4, resolution: "720P", sound: true },
  ],
];

for (const [model, body, usage, units] of usages) {
  test(`${model} reports usage in the format of its version, and the task list has its bill`, async () => {
    const last = await finished(await create({ model, ...body }));
    assert.equal(last.output.task_status, "SUCCEEDED", last.output.message);
    assert.deepEqual(last.usage, usage);
    const task = await lastTask(simulator);
    assert.deepEqual([task.charged, task.units], [true, units]);
  });
}

const media = (type: string) => ({ type, url: imgUrl });
const inTask: readonly [string, string, object, string, RegExp][] = [
  ["no first frame", "wan2.6-i2v", { input: { prompt: "x" } }, "InvalidParameter", /^Field required: input\.img_url$/],
  ["no prompt", "wan2.6-t2v", { input: {} }, "InvalidParameter", /^Field required: input\.prompt$/],
  [
    "an unlisted size",
    "wan2.6-t2v",
    { input: { prompt: "x" }, parameters: { size: "832*480" } },
    "InvalidParameter",
    /size is not match/,
  ],
  [
    "a wrong length",
    "wan2.5-t2v-preview",
    { input: { prompt: "x" }, parameters: { duration: 7 } },
    "InvalidParameter",
    /duration/,
  ],
  [
    "a lower-case resolution",
    "wan2.7-t2v",
    { input: { prompt: "x" }, parameters: { resolution: "720p" } },
    "InvalidParameter",
    /resolution/,
  ],
  [
    "a size for 2.7",
    "wan2.7-t2v",
    { input: { prompt: "x" }, parameters: { size: "1280*720" } },
    "InvalidParameter",
    /size/,
  ],
  ["audio for t2v", "wan2.6-t2v", { input: { prompt: "x" }, parameters: { audio: true } }, "InvalidParameter", /audio/],
  [
    "too many references",
    "happyhorse-1.0-r2v",
    { input: { prompt: "x", media: Array(10).fill(media("reference_image")) } },
    "InvalidParameter",
    /1 to 9/,
  ],
  [
    "two first frames",
    "wan2.7-i2v",
    { input: { media: [media("first_frame"), media("first_frame")] } },
    "InvalidParameter",
    /first_frame/,
  ],
  [
    "an unreachable image",
    "wan2.6-i2v",
    { input: { prompt: "x", img_url: "https://x.invalid/a.png" } },
    "InvalidParameter.DataInspection",
    /download/,
  ],
  ["a blocked prompt", "wan2.6-t2v", { input: { prompt: "blocked" } }, "DataInspectionFailed", /inappropriate/],
];
for (const [title, model, body, code, message] of inTask) {
  test(`accepts ${title} for ${model}; the task then fails and bills nothing`, async () => {
    const last = await finished(await create({ model, ...body }));
    assert.deepEqual([last.output.task_status, last.output.code, last.usage], ["FAILED", code, undefined]);
    assert.match(last.output.message, message);
    const task = await lastTask(simulator);
    assert.deepEqual([task.status, task.charged, task.units], ["failed", false, null]);
  });
}

test("creates no task without the async header, with an unknown model, or without input", async () => {
  const body = t2v("wan2.6-t2v");
  const sync = await send(simulator, path, body);
  assert.deepEqual([sync.status, JSON.parse(sync.text).code], [403, "AccessDenied"]);
  const unknown = await send(simulator, path, t2v("wan9-t2v"), async);
  assert.deepEqual([unknown.status, JSON.parse(unknown.text).code], [404, "ModelNotFound"]);
  const empty = await send(simulator, path, { model: "wan2.6-t2v" }, async);
  assert.deepEqual([empty.status, JSON.parse(empty.text).message], [400, "Field required: input"]);
});

test("each terminal state of a task can be forced by its fault", async () => {
  const body = t2v("wan2.6-t2v", { size: "1280*720", duration: 2 });
  const failed = await finished(await create(body, { "x-sim-task-fail": "out of paint" }));
  assert.deepEqual([failed.output.task_status, failed.output.message], ["FAILED", "out of paint"]);
  const cancelled = await finished(await create(body, { "x-sim-task-cancelled": "1" }));
  assert.equal(cancelled.output.task_status, "CANCELED");
  const charged = await finished(await create(body, { "x-sim-task-fail": "", "x-sim-task-charged": "1" }));
  assert.deepEqual([charged.output.task_status, charged.usage.duration, failed.usage], ["FAILED", 2, undefined]);
  const expired = await finished(await create(body, { "x-sim-task-expire": "1" }));
  assert.equal(expired.output.task_status, "UNKNOWN");
  const unknown = await poll(await create(body, { "x-sim-task-unknown": "1" }));
  assert.equal(unknown.output.task_status, "UNKNOWN");
  const empty = await finished(await create(body, { "x-sim-task-empty-url": "1" }));
  assert.deepEqual([empty.output.task_status, empty.output.video_url], ["SUCCEEDED", ""]);
  const stale = await finished(await create(body, { "x-sim-media-expired": "1" }));
  assert.equal((await fetch(stale.output.video_url)).status, 403);
  const stuck = await create(body, { "x-sim-task-stuck": "1", "x-sim-task-ms": "1" });
  await until(
    () => poll(stuck),
    ({ output }) => output.task_status === "RUNNING",
  );
  assert.equal((await lastTask(simulator)).ended_at, null);
});

test("cancels only a queued task, and bills no cancelled one", async () => {
  const body = t2v("wan2.6-t2v", { size: "1280*720" });
  const id = await create(body, { "x-sim-task-ms": "60000" });
  const cancel = (task: string) => send(simulator, `/dashscope/api/v1/tasks/${task}/cancel`, "");
  assert.equal((await cancel(id)).status, 200);
  assert.equal((await poll(id)).output.task_status, "CANCELED");
  const again = await cancel(id);
  assert.deepEqual([again.status, JSON.parse(again.text).code], [400, "UnsupportedOperation"]);
  assert.equal((await lastTask(simulator)).charged, false);
});

test("a task is found only by its id and its own key, and each key has its own list", async () => {
  const id = await create(t2v("wan2.6-t2v"));
  const other = { authorization: "Bearer another" };
  const theirs = await good(simulator, `/dashscope/api/v1/tasks/${id}`, undefined, other);
  assert.deepEqual(theirs.output, { task_id: id, task_status: "UNKNOWN" });
  assert.equal((await good(simulator, "/dashscope/api/v1/tasks/", undefined, other)).total, 0);
  const { data } = await good(simulator, "/dashscope/api/v1/tasks/?model_name=wan2.6-t2v&page_size=1");
  assert.equal(data[0].task_id, id);
});

test("the log counts creations and polls, and a poll that comes too soon is a 429 under its fault", async () => {
  simulator.log.clear();
  const id = await create(t2v("wan2.6-t2v"), { "x-request-id": "mine" });
  await finished(id);
  const before = (await lastTask(simulator)).polls;
  const { status, text } = await send(simulator, `/dashscope/api/v1/tasks/${id}`, undefined, {
    "x-sim-poll-limit": "60000",
  });
  assert.deepEqual([status, JSON.parse(text).code], [429, "Throttling.RateQuota"]);
  const task = await lastTask(simulator);
  assert.deepEqual([task.id, task.request_id, task.polls], [id, "mine", before + 1]);
  const gap = task.shortest_poll_gap_ms ?? -1;
  assert.ok(gap >= 0 && gap < 60_000);
  const entries = await logged(simulator, before + 2);
  assert.deepEqual(entries[0]?.task, { id, polls: 0 });
  assert.deepEqual(entries.at(-2)?.task, { id, polls: before });
});

test("tasks, their polls and terminal states survive a restart", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "simulator-"));
  const first = await startSimulator({ dataDir, taskMs: 100 });
  const done = await create(t2v("wan2.6-t2v", { duration: 2 }), {}, first);
  await finished(done, first);
  const running = await create(t2v("wan2.6-t2v", { duration: 2 }), { "x-sim-task-ms": "60000" }, first);
  await first.close();
  await using second = await startSimulator({ dataDir, taskMs: 100 });
  const [one, two] = second.tasks.views();
  assert.deepEqual([one?.id, one?.status, two?.id, two?.status], [done, "succeeded", running, "queued"]);
  assert.ok((one?.polls ?? 0) > 0);
  assert.equal((await poll(done, second)).output.task_status, "SUCCEEDED");
  assert.notEqual(await create(t2v("wan2.6-t2v", { duration: 2 }), {}, second), done);
});
