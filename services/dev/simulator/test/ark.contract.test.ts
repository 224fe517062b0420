import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import { imageInfo } from "../src/content/image-size.ts";
import { type Simulator, startSimulator } from "../src/service.ts";
import { movieOf } from "./mp4.ts";
import { dataOf, logged, send } from "./support.ts";
import { download, good, lastTask, until } from "./task-support.ts";

let simulator: Simulator;
before(async () => {
  simulator = await startSimulator({ taskMs: 60 });
});
after(() => simulator.close());

const tasks = "/ark/api/v3/contents/generations/tasks";
const second = "doubao-seedance-2-0-260128";
const textPart = (text: string) => ({ type: "text", text });
const image = (role?: string) => ({
  type: "image_url",
  image_url: { url: "https://example.com/a.png" },
  ...(role && { role }),
});
const audio = { type: "audio_url", audio_url: { url: "https://example.com/a.wav" }, role: "reference_audio" };

async function create(body: object, headers: Record<string, string> = {}): Promise<string> {
  const { id } = await good(simulator, tasks, body, headers);
  assert.match(id, /^cgt-\d{14}-[\da-z]{5}$/);
  return id;
}

function finished(id: string) {
  return until(
    () => good(simulator, `${tasks}/${id}`),
    ({ status }) => status !== "queued" && status !== "running",
  );
}

async function remove(id: string) {
  const headers = { authorization: "Bearer good" };
  const response = await fetch(`${simulator.url}${tasks}/${id}`, { method: "DELETE", headers });
  return { status: response.status, body: await response.json() };
}

test("a task succeeds with a video, its last frame, its settings and the tokens of the formula", async () => {
  const content = [textPart("a cat")];
  const body = {
    model: "doubao-seedance-1-0-pro-250528",
    content,
    resolution: "720p",
    duration: 5,
    return_last_frame: true,
    seed: 7,
  };
  const task = await finished(await create(body));
  assert.equal(task.status, "succeeded");
  assert.deepEqual(task.usage, { completion_tokens: 102_960, total_tokens: 102_960 });
  assert.deepEqual(
    [task.seed, task.resolution, task.ratio, task.duration, task.framespersecond, task.service_tier],
    [7, "720p", "16:9", 5, 24, "default"],
  );
  const movie = movieOf(await download(task.content.video_url));
  assert.deepEqual([movie.width, movie.height, movie.seconds, movie.sound], [1248, 704, 5, false]);
  assert.equal(imageInfo(await download(task.content.last_frame_url))?.width, 1248);
});

test("the second generation has audio and one more frame in its tokens", async () => {
  const task = await finished(
    await create({ model: second, content: [textPart("x")], resolution: "720p", duration: 5 }),
  );
  assert.deepEqual([task.usage.completion_tokens, task.generate_audio], [108_900, true]);
  assert.ok(movieOf(await download(task.content.video_url)).sound);
  const { units } = await lastTask(simulator);
  assert.deepEqual(units, {
    tokens: 108_900,
    seconds: 5,
    input_seconds: 0,
    resolution: "720p",
    sound: true,
    service_tier: "default",
  });
});

test("applies flags in prompts of the first generation", async () => {
  const content = [textPart("a cat --rs 480p --rt 1:1 --dur 3 --seed 9")];
  const task = await finished(await create({ model: "doubao-seedance-1-0-lite-t2v-250428", content }));
  assert.deepEqual([task.resolution, task.ratio, task.duration, task.seed], ["480p", "1:1", 3, 9]);
});

const wrong: readonly [string, object, number, RegExp, string | undefined][] = [
  ["no model", { content: [textPart("x")] }, 400, /^MissingParameter/, "model"],
  ["an unknown model", { model: "seedance-9", content: [textPart("x")] }, 404, /NotFound/, undefined],
  ["no content", { model: second }, 400, /^MissingParameter/, "content"],
  [
    "a wrong resolution",
    { model: second, content: [textPart("x")], resolution: "4k" },
    400,
    /^InvalidParameter/,
    "resolution",
  ],
  ["a wrong duration", { model: second, content: [textPart("x")], duration: 16 }, 400, /^InvalidParameter/, "duration"],
  ["a wrong ratio", { model: second, content: [textPart("x")], ratio: "2:1" }, 400, /^InvalidParameter/, "ratio"],
  ["a wrong role", { model: second, content: [image("middle_frame")] }, 400, /^InvalidParameter/, "content[0].role"],
  [
    "frames for the second generation",
    { model: second, content: [textPart("x")], frames: 29 },
    400,
    /^InvalidParameter/,
    "frames",
  ],
  [
    "mixed roles",
    { model: second, content: [image("first_frame"), image("reference_image")] },
    400,
    /TaskTypeConstraint/,
    "content",
  ],
  [
    "ten references",
    { model: second, content: Array(10).fill(image("reference_image")) },
    400,
    /TaskTypeConstraint/,
    "content",
  ],
  ["audio alone", { model: second, content: [textPart("x"), audio] }, 400, /TaskTypeConstraint/, "content"],
  [
    "flex for the second generation",
    { model: second, content: [textPart("x")], service_tier: "flex" },
    400,
    /^InvalidParameter/,
    "service_tier",
  ],
  [
    "a callback that is not a URL",
    { model: second, content: [textPart("x")], callback_url: "here" },
    400,
    /^InvalidParameter/,
    "callback_url",
  ],
  [
    "a blocked prompt",
    { model: second, content: [textPart("blocked")] },
    400,
    /^InputTextSensitiveContentDetected/,
    "content",
  ],
];
for (const [title, body, status, code, param] of wrong) {
  test(`rejects a task with ${title} in Ark's format`, async () => {
    const response = await send(simulator, tasks, body);
    const { error } = JSON.parse(response.text);
    assert.equal(response.status, status, response.text);
    assert.match(error.code, code);
    if (param !== undefined) assert.equal(error.param, param);
    assert.equal(error.type, status === 404 ? "NotFound" : "BadRequest");
  });
}

test("each terminal state of a task can be forced by its fault", async () => {
  const body = { model: second, content: [textPart("x")] };
  const failed = await finished(await create(body, { "x-sim-task-fail": "no paint" }));
  assert.deepEqual([failed.status, failed.error.message, failed.usage], ["failed", "no paint", undefined]);
  const charged = await finished(await create(body, { "x-sim-task-fail": "", "x-sim-task-charged": "1" }));
  assert.ok(charged.usage.completion_tokens > 0);
  const moderated = await finished(await create(body, { "x-sim-moderation": "1" }));
  assert.equal(moderated.error.code, "OutputVideoSensitiveContentDetected");
  assert.equal((await finished(await create(body, { "x-sim-task-expire": "1" }))).status, "expired");
  assert.equal((await finished(await create(body, { "x-sim-task-cancelled": "1" }))).status, "cancelled");
  const unknown = await create(body, { "x-sim-task-unknown": "1" });
  assert.equal((await send(simulator, `${tasks}/${unknown}`, undefined)).status, 404);
});

test("deleting cancels a queued task, fails for a running one, and removes an ended one", async () => {
  const body = { model: second, content: [textPart("x")] };
  const queued = await create(body, { "x-sim-task-ms": "60000" });
  assert.deepEqual(await remove(queued), { status: 200, body: {} });
  assert.equal((await good(simulator, `${tasks}/${queued}`)).status, "cancelled");
  const running = await create(body, { "x-sim-task-stuck": "1", "x-sim-task-ms": "1" });
  await until(
    () => good(simulator, `${tasks}/${running}`),
    ({ status }) => status === "running",
  );
  assert.equal((await remove(running)).status, 400);
  const ended = await create(body);
  await finished(ended);
  assert.equal((await remove(ended)).status, 200);
  assert.equal((await send(simulator, `${tasks}/${ended}`, undefined)).status, 404);
  assert.ok(simulator.tasks.views().some(({ id, deleted, charged }) => id === ended && deleted && charged));
});

test("filters and pages the list", async () => {
  const id = await create({ model: second, content: [textPart("x")] });
  await finished(id);
  const { total, items } = await good(
    simulator,
    `${tasks}?filter.task_ids=${id}&filter.task_ids=x&filter.status=succeeded`,
  );
  assert.deepEqual([total, items[0].id], [1, id]);
  assert.equal((await send(simulator, `${tasks}?page_size=501`, undefined)).status, 400);
});

async function receiver() {
  const bodies: { id: string; status: string; content?: { video_url: string } }[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      bodies.push(JSON.parse(Buffer.concat(parts).toString()));
      response.writeHead(204).end();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { bodies, url: `http://127.0.0.1:${port}/hook`, [Symbol.dispose]: close };
}

test("a callback reports every phase with the body of a lookup", async () => {
  using hook = await receiver();
  const slow = { "x-sim-task-ms": "1000" };
  const id = await create({ model: second, content: [textPart("x")], callback_url: hook.url }, slow);
  await until(
    async () => hook.bodies.length,
    (count) => count >= 3,
  );
  assert.deepEqual(
    hook.bodies.map(({ status }) => status),
    ["queued", "running", "succeeded"],
  );
  assert.deepEqual(hook.bodies.at(-1), await good(simulator, `${tasks}/${id}`));
});

test("repeats and reorders callbacks under their faults", async () => {
  using hook = await receiver();
  const headers = { "x-sim-callback-reverse": "1", "x-sim-callback-repeat": "2" };
  await create({ model: second, content: [textPart("x")], callback_url: hook.url }, headers);
  await until(
    async () => hook.bodies.length,
    (count) => count >= 6,
  );
  const statuses = hook.bodies.map(({ status }) => status);
  assert.deepEqual(statuses, ["succeeded", "succeeded", "running", "running", "queued", "queued"]);
});

test("sends all callbacks even if a timer fires a millisecond early", async () => {
  using hook = await receiver();
  const count = 60;
  const make = (n: number) =>
    create({ model: second, content: [textPart("x")], callback_url: hook.url }, { "x-sim-task-ms": String(5 + n) });
  const ids = await Promise.all(Array.from({ length: count }, (_, n) => make(n)));
  const ended = () => new Set(hook.bodies.filter(({ status }) => status === "succeeded").map(({ id }) => id));
  await until(
    async () => ended().size,
    (size) => size >= count,
  );
  assert.deepEqual([...ended()].sort(), ids.sort());
});

const images = "/ark/api/v3/images/generations";
const fourth = "doubao-seedream-4-0-250828";

test("Seedream generates one JPEG of the requested size, with tokens by its pixels", async () => {
  simulator.log.clear();
  const response = await good(simulator, images, { model: fourth, prompt: "a cat", size: "2048x1024" });
  assert.deepEqual(response.usage, { generated_images: 1, output_tokens: 8192, total_tokens: 8192 });
  assert.equal(response.data[0].size, "2048x1024");
  assert.deepEqual(imageInfo(await download(response.data[0].url)), {
    mimeType: "image/jpeg",
    width: 2048,
    height: 1024,
  });
  const [entry] = await logged(simulator, 1);
  assert.deepEqual(entry?.units, { images: 1, width: 2048, height: 1024, tokens: 8192 });
});

const set = {
  model: fourth,
  prompt: "a cat",
  size: "1K",
  sequential_image_generation: "auto",
  sequential_image_generation_options: { max_images: 3 },
};

test("failed images of a set appear among the others and are not billed", async () => {
  const response = await good(simulator, images, { ...set, response_format: "b64_json" }, { "x-sim-image-fail": "1" });
  assert.deepEqual([response.data.length, response.usage.generated_images, response.usage.output_tokens], [3, 2, 8192]);
  assert.equal(imageInfo(Buffer.from(response.data[0].b64_json, "base64"))?.width, 1024);
  assert.equal(typeof response.data[2].error.code, "string");
});

test("a streamed set has one event per image, the usage, and [DONE]", async () => {
  const { text } = await send(simulator, images, { ...set, stream: true }, { "x-sim-image-fail": "1" });
  const events = text
    .split("\n")
    .filter((line) => line.startsWith("event: "))
    .map((line) => line.slice(7));
  const kinds = ["partial_succeeded", "partial_succeeded", "partial_failed", "completed"];
  assert.deepEqual(
    events,
    kinds.map((kind) => `image_generation.${kind}`),
  );
  const data = dataOf(text);
  assert.equal(data.at(-1), "[DONE]");
  assert.deepEqual(JSON.parse(data.at(-2) ?? "").usage.generated_images, 2);
});

const pro = "doubao-seedream-5-0-pro-260628";
const wrongImages: readonly [string, object, string][] = [
  ["too small a size", { model: "doubao-seedream-4-5-251128", size: "1024x1024" }, "size"],
  ["a keyword of another model", { model: pro, size: "4K" }, "size"],
  ["a ratio beyond 16", { model: fourth, size: "8192x128" }, "size"],
  ["a set of the pro model", { model: pro, sequential_image_generation: "auto" }, "sequential_image_generation"],
  ["a stream of the pro model", { model: pro, stream: true }, "stream"],
  ["PNG of the fourth generation", { model: fourth, output_format: "png" }, "output_format"],
  ["a data URL in upper case", { model: fourth, image: "data:image/PNG;base64,AAAA" }, "image"],
  ["eleven references of the pro model", { model: pro, image: Array(11).fill("https://example.com/a.png") }, "image"],
  ["no prompt", { model: fourth, prompt: undefined }, "prompt"],
];
for (const [title, body, param] of wrongImages) {
  test(`Seedream rejects ${title}`, async () => {
    const { status, text } = await send(simulator, images, { prompt: "x", ...body });
    const { error } = JSON.parse(text);
    assert.deepEqual([status, error.param], [400, param]);
  });
}
