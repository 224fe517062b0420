import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { imageInfo } from "../src/content/image-size.ts";
import { type Simulator, startSimulator } from "../src/service.ts";
import { movieOf } from "./mp4.ts";
import { logged, send } from "./support.ts";
import { download, good, lastTask, until } from "./task-support.ts";

let simulator: Simulator;
before(async () => {
  simulator = await startSimulator({ taskMs: 60 });
});
after(() => simulator.close());

const videos = "/xai/v1/videos";
const model = "grok-imagine-video";

async function poll(id: string, headers: Record<string, string> = {}) {
  const { status, text } = await send(simulator, `${videos}/${id}`, undefined, headers);
  return { status, body: text === "" ? undefined : JSON.parse(text) };
}

async function create(body: object, headers: Record<string, string> = {}): Promise<string> {
  return (await good(simulator, `${videos}/generations`, { model, prompt: "a cat", ...body }, headers)).request_id;
}

function finished(id: string) {
  return until(
    () => poll(id),
    ({ status }) => status !== 202,
  );
}

test("returns images by URL or inline, in the requested ratio and resolution, at a flat price in ticks", async () => {
  simulator.log.clear();
  const body = { model: "grok-imagine-image", prompt: "a cat", n: 2, aspect_ratio: "16:9" };
  const response = await good(simulator, "/xai/v1/images/generations", body);
  assert.deepEqual(
    [response.data.length, response.usage, response.data[0].respect_moderation],
    [2, { cost_in_usd_ticks: 400_000_000 }, true],
  );
  const info = imageInfo(await download(response.data[1].url));
  assert.ok(info !== undefined && Math.abs(info.width / info.height - 16 / 9) < 0.03);
  const inline = await good(simulator, "/xai/v1/images/generations", { ...body, response_format: "b64_json" });
  assert.equal(imageInfo(Buffer.from(inline.data[0].b64_json, "base64"))?.width, info.width);
  const [entry] = await logged(simulator, 3);
  assert.deepEqual(entry?.units, { images: 2, input_images: 0, resolution: "1k" });
});

test("an image edit takes a JSON body and charges its input images", async () => {
  const edit = {
    model: "grok-imagine-image-2.0",
    prompt: "x",
    images: [{ url: "https://example.com/a.png" }, { file_id: "f" }],
  };
  const response = await good(simulator, "/xai/v1/images/edits", edit);
  assert.deepEqual(response.usage, { cost_in_usd_ticks: 700_000_000 });
});

test("a withheld image has no content and is charged", async () => {
  const body = { model: "grok-imagine-image--sim-moderation", prompt: "x" };
  const response = await good(simulator, "/xai/v1/images/generations", body);
  assert.deepEqual(response.data, [{ url: "", b64_json: "", respect_moderation: false }]);
  assert.equal(response.usage.cost_in_usd_ticks, 200_000_000);
});

for (const [path, body, status] of [
  ["images/generations", { model: "grok-imagine-image", prompt: "x", size: "1024x1024" }, 400],
  ["images/generations", { model: "grok-imagine-image", prompt: "x", n: 11 }, 400],
  ["images/generations", { model: "grok-imagine-image", prompt: "x", resolution: "1.5k" }, 400],
  ["images/generations", { model: "grok-imagine-image-2.0", prompt: "x", quality: "high" }, 400],
  ["images/generations", { model: "grok-imagine-image-2.0", prompt: "x", quality: "best" }, 422],
  ["images/generations", { model: "grok-imagine-image", prompt: "blocked" }, 400],
  ["images/generations", { model: "grok-imagine-image" }, 422],
  ["images/generations", { model: "nothing", prompt: "x" }, 404],
  ["images/edits", { model: "grok-imagine-image", prompt: "x" }, 400],
  ["images/edits", { model: "grok-imagine-image", prompt: "x", image: { url: "data:image/png;base64,AAAA" } }, 400],
  ["videos/generations", { model, prompt: "x", duration: 16 }, 400],
  ["videos/generations", { model, prompt: "x", resolution: "1080p" }, 400],
  ["videos/generations", { model, prompt: "x", seed: 1 }, 400],
  ["videos/generations", { model, prompt: "x", aspect_ratio: "21:9" }, 422],
  ["videos/generations", { model }, 400],
] as const) {
  test(`${path} refuses ${JSON.stringify(body)} with a ${status}`, async () => {
    const response = await send(simulator, `/xai/v1/${path}`, body);
    assert.equal(response.status, status, response.text);
    assert.deepEqual(Object.keys(JSON.parse(response.text)), ["code", "error"]);
  });
}

test("a video is pending with rising progress, sometimes without a body, then done at its price", async () => {
  const id = await create({ duration: 8, resolution: "720p" }, { "x-sim-task-ms": "1500" });
  const responses: Awaited<ReturnType<typeof poll>>[] = [];
  const last = await until(
    async () => {
      const response = await poll(id);
      responses.push(response);
      return response;
    },
    ({ status }) => status === 200,
  );
  const waiting = responses.slice(0, -1);
  assert.ok(waiting.some(({ body }) => body === undefined));
  const progress = waiting.flatMap(({ body }) => (body === undefined ? [] : [body.progress]));
  assert.deepEqual(
    progress,
    progress.toSorted((a, b) => a - b),
  );
  assert.deepEqual(
    [last.body.status, last.body.model, last.body.usage],
    ["done", model, { cost_in_usd_ticks: 5_600_000_000 }],
  );
  const movie = movieOf(await download(last.body.video.url));
  assert.deepEqual([movie.width, movie.height, last.body.video.duration], [1280, 720, 8]);
  assert.ok(Math.abs(movie.seconds - 8) < 0.05);
});

test("each terminal state of a video can be forced by its fault, and a withheld one is charged", async () => {
  const failed = await finished(await create({}, { "x-sim-task-fail": "no paint" }));
  assert.deepEqual(
    [failed.body.status, failed.body.error],
    ["failed", { code: "internal_error", message: "no paint" }],
  );
  assert.equal((await finished(await create({}, { "x-sim-task-expire": "1" }))).body.status, "expired");
  const unknown = await create({}, { "x-sim-task-unknown": "1" });
  assert.equal((await poll(unknown)).status, 404);
  const withheld = await finished(await create({}, { "x-sim-moderation": "1" }));
  assert.deepEqual(
    [withheld.body.status, withheld.body.video.respect_moderation, withheld.body.video.url],
    ["done", false, ""],
  );
  assert.equal((await lastTask(simulator)).charged, true);
});

test("a failed, expired or cancelled video reports its cost if it is charged", async () => {
  for (const fault of ["task-fail", "task-expire", "task-cancelled"]) {
    const free = await finished(await create({}, { [`x-sim-${fault}`]: "" }));
    assert.deepEqual([free.body.usage, (await lastTask(simulator)).charged], [undefined, false]);
    const { body } = await finished(await create({}, { [`x-sim-${fault}`]: "", "x-sim-task-charged": "1" }));
    assert.ok(body.usage.cost_in_usd_ticks > 0, fault);
    assert.deepEqual((await lastTask(simulator)).true_usage, body.usage);
  }
});

test("edits and extensions charge the seconds of their input", async () => {
  const video = { url: "https://example.com/a.mp4" };
  await good(simulator, `${videos}/edits`, { model, prompt: "x", video });
  await good(simulator, `${videos}/extensions`, { model, prompt: "x", video, duration: 4 });
  const [edit, extension] = simulator.tasks.views().slice(-2);
  await finished(extension?.id ?? "");
  const units = simulator.tasks
    .views()
    .filter(({ id }) => id === edit?.id || id === extension?.id)
    .map((task) => task.units);
  assert.deepEqual(units, [
    { seconds: 5, resolution: "480p", input_images: 0, input_seconds: 5 },
    { seconds: 4, resolution: "480p", input_images: 0, input_seconds: 5 },
  ]);
});

test("polls of a pending video have no body under their fault", async () => {
  const id = await create({}, { "x-sim-task-ms": "60000" });
  assert.deepEqual(await poll(id, { "x-sim-poll-empty": "1" }), { status: 202, body: undefined });
});
