import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import sharp from "sharp";
import { imageInfo } from "../src/content/image-size.ts";
import { type Simulator, startSimulator } from "../src/service.ts";
import { dataOf, logged, send } from "./support.ts";
import { download, good } from "./task-support.ts";

let simulator: Simulator;
before(async () => {
  simulator = await startSimulator();
});
after(() => simulator.close());

const path = "/dashscope/api/v1/services/aigc/multimodal-generation/generation";
interface Block {
  text?: string;
  image?: string;
}

function drawing(model: string, content: Block[], parameters?: object) {
  return { model, input: { messages: [{ role: "user", content }] }, ...(parameters && { parameters }) };
}

async function dataUrl(width: number, height: number): Promise<string> {
  const bytes = await sharp({ create: { width, height, channels: 3, background: "#888" } })
    .png()
    .toBuffer();
  return `data:image/png;base64,${bytes.toString("base64")}`;
}

test("an image is a PNG of the requested size at a URL valid for a day, billed by image", async () => {
  simulator.log.clear();
  const response = await good(
    simulator,
    path,
    drawing("qwen-image-plus", [{ text: "a cat" }], { size: "1664*928", n: 1 }),
  );
  assert.deepEqual(response.usage, { height: 928, image_count: 1, width: 1664 });
  assert.match(response.request_id, /^[\da-f-]{36}$/);
  const [choice] = response.output.choices;
  assert.equal(choice.finish_reason, "stop");
  const url = new URL(choice.message.content[0].image);
  assert.ok(Math.abs(Number(url.searchParams.get("Expires")) - Date.now() / 1000 - 86_400) < 60);
  assert.deepEqual(imageInfo(await download(url.href)), { mimeType: "image/png", width: 1664, height: 928 });
  const [entry] = await logged(simulator, 1);
  assert.deepEqual(entry?.units, { images: 1, width: 1664, height: 928 });
});

test("returns several images as several choices, and does not bill failed ones", async () => {
  const request = drawing("qwen-image-2.0--sim-image-fail-1", [{ text: "a" }], { size: "1024*1024", n: 3 });
  const response = await good(simulator, path, request);
  assert.deepEqual([response.output.choices.length, response.usage.image_count], [2, 2]);
  assert.deepEqual(response.output.task_metric, { TOTAL: 3, SUCCEEDED: 2, FAILED: 1 });
});

test("an edit requires images first and keeps the aspect ratio of the last one", async () => {
  const content = [{ image: "https://example.com/a.png" }, { image: await dataUrl(800, 400) }, { text: "blue" }];
  const response = await good(simulator, path, drawing("qwen-image-edit-plus", content));
  assert.ok(Math.abs(response.usage.width / response.usage.height - 2) < 0.05);
});

const text = { text: "x" };
const image = { image: "https://example.com/a.png" };
const wrongDrawings: readonly [string, unknown, number, string, RegExp][] = [
  [
    "two messages",
    { model: "qwen-image", input: { messages: [1, 2].map(() => ({ role: "user", content: [text] })) } },
    400,
    "InvalidParameter",
    /^messages length only support 1$/,
  ],
  ["no messages", { model: "qwen-image", input: {} }, 400, "InvalidParameter", /^Field required: input\.messages$/],
  [
    "an empty list",
    { model: "qwen-image", input: { messages: [] } },
    400,
    "InvalidParameter",
    /No messages found in input/,
  ],
  ["no input", { model: "qwen-image" }, 400, "BadRequest.EmptyInput", /input/],
  [
    "an image for a text-to-image model",
    drawing("qwen-image", [image, text]),
    400,
    "InvalidParameter",
    /content length only support/,
  ],
  ["an edit without an image", drawing("qwen-image-edit", [text]), 400, "InvalidParameter", /lack of image or text/],
  ["an edit without a text", drawing("qwen-image-edit", [image]), 400, "InvalidParameter", /lack of image or text/],
  [
    "text and image in one block",
    drawing("qwen-image-edit", [{ ...image, ...text }]),
    400,
    "InvalidParameter",
    /lack of/,
  ],
  [
    "four images",
    drawing("qwen-image-edit-plus", [image, image, image, image, text]),
    400,
    "InvalidParameter",
    /1 to 3/,
  ],
  [
    "n of two",
    drawing("qwen-image-max", [text], { n: 2 }),
    400,
    "InvalidParameter",
    /^num_images_per_prompt must be 1\.$/,
  ],
  [
    "an unlisted size",
    drawing("qwen-image-max", [text], { size: "1024*1024" }),
    400,
    "InvalidParameter",
    /allowed size/,
  ],
  [
    "a size keyword",
    drawing("qwen-image-2.0", [text], { size: "1K" }),
    400,
    "InvalidParameter",
    /Expected format: '<width>\*<height>'/,
  ],
  [
    "a size for the first edit model",
    drawing("qwen-image-edit", [image, text], { size: "1024*1024" }),
    400,
    "InvalidParameter",
    /size/,
  ],
  ["too long a text", drawing("qwen-image", [{ text: "a".repeat(801) }]), 400, "InvalidParameter", /800/],
  [
    "an unreachable URL",
    drawing("qwen-image-edit", [{ image: "https://x.invalid/a" }, text]),
    400,
    "InvalidParameter",
    /^download image failed$/,
  ],
  [
    "a broken image",
    drawing("qwen-image-edit", [{ image: "data:image/png;base64,AAAA" }, text]),
    400,
    "InvalidParameter",
    /corrupted file/,
  ],
  ["a blocked prompt", drawing("qwen-image", [{ text: "blocked" }]), 400, "DataInspectionFailed", /inappropriate/],
  ["a video model", drawing("wan2.6-t2v", [text]), 400, "InvalidParameter", /url error/],
  ["an unknown model", drawing("qwen-nothing", [text]), 404, "ModelNotFound", /Model not exist/],
];

for (const [title, body, status, code, message] of wrongDrawings) {
  test(`rejects ${title} in the flat format`, async () => {
    const response = await send(simulator, path, body);
    const flat = JSON.parse(response.text);
    assert.deepEqual(
      [response.status, flat.code, Object.keys(flat).toSorted()],
      [status, code, ["code", "message", "request_id"]],
    );
    assert.match(flat.message, message);
  });
}

test("rejects a small input image and an asynchronous image request", async () => {
  const small = drawing("qwen-image-edit", [{ image: await dataUrl(100, 100) }, text]);
  assert.equal((await send(simulator, path, small)).status, 400);
  const async = await send(simulator, path, drawing("qwen-image", [text]), { "x-dashscope-async": "enable" });
  assert.deepEqual([async.status, JSON.parse(async.text).code], [403, "AccessDenied"]);
});

test("key and rate limit errors have the native codes", async () => {
  const wrongKey = await send(simulator, path, drawing("qwen-image", [text]), { authorization: "Bearer bad-x" });
  assert.deepEqual([wrongKey.status, JSON.parse(wrongKey.text).code], [401, "InvalidApiKey"]);
  const rate = await send(simulator, path, drawing("qwen-image", [text]), { "x-sim-status": "429" });
  assert.deepEqual([rate.status, JSON.parse(rate.text).code], [429, "Throttling.RateQuota"]);
  const ok = await send(simulator, path, drawing("qwen-image", [text]), { "x-sim-ok-error": "1" });
  assert.deepEqual([ok.status, JSON.parse(ok.text).code], [200, "InternalError"]);
});

const speech = { model: "qwen3-tts-flash", input: { text: "Hello 世界", voice: "Cherry" } };

test("speech is a WAV of 24 kHz at a URL, and a Han character counts as two", async () => {
  const response = await good(simulator, path, speech);
  assert.deepEqual(response.usage, { input_tokens: 0, output_tokens: 0, characters: 10 });
  const { audio, finish_reason } = response.output;
  assert.deepEqual([finish_reason, audio.data], ["stop", ""]);
  assert.match(audio.id, /^audio_/);
  const wav = await download(audio.url);
  assert.deepEqual(
    [wav.toString("latin1", 0, 4), wav.readUInt32LE(24), wav.readUInt16LE(22), wav.readUInt16LE(34)],
    ["RIFF", 24_000, 1, 16],
  );
  assert.equal(wav.readUInt32LE(40), wav.length - 44);
});

test("streams speech in numbered events with a status line, and ends with a URL to the same audio", async () => {
  const { text: stream, headers } = await send(simulator, path, speech, { "x-dashscope-sse": "enable" });
  assert.match(headers.get("content-type") ?? "", /^text\/event-stream/);
  assert.match(stream, /^id:1\nevent:result\n:HTTP_STATUS\/200\ndata:\{/);
  const events = stream
    .split("\n")
    .filter((line) => line.startsWith("data:"))
    .map((line) => JSON.parse(line.slice(5)));
  const last = events.at(-1);
  assert.ok(
    events.slice(0, -1).every(({ output }) => output.finish_reason === "null" && output.audio.url === undefined),
  );
  assert.ok(events.every(({ usage, request_id }) => usage.characters === 10 && request_id));
  assert.deepEqual([last.output.finish_reason, last.output.audio.data], ["stop", ""]);
  const pcm = Buffer.concat(events.map(({ output }) => Buffer.from(output.audio.data, "base64")));
  const wav = await download(last.output.audio.url);
  assert.ok(pcm.equals(wav.subarray(44)));
});

test("an error inside a speech stream is an error event", async () => {
  const headers = { "x-dashscope-sse": "enable", "x-sim-error-event": "2" };
  const { text: stream } = await send(simulator, path, speech, headers);
  assert.match(stream, /\n\nevent:error\n:HTTP_STATUS\/500\ndata:\{"code":"InternalError"/);
  assert.equal(dataOf(stream).length, 0);
});

const wrongSpeech: readonly [string, object, RegExp][] = [
  ["no voice", { text: "x" }, /^The voice property is required\.$/],
  ["an unknown voice", { text: "x", voice: "Unknown" }, /Unknown/],
  ["a voice of another provider", { text: "x", voice: "alloy" }, /alloy/],
  ["no text", { text: "", voice: "Cherry" }, /\[1, 600\]/],
  ["301 Han characters", { text: "世".repeat(301), voice: "Cherry" }, /\[1, 600\]/],
  ["instructions for the basic model", { text: "x", voice: "Cherry", instructions: "slowly" }, /instructions/],
  ["the body of the image models", { messages: [] }, /Field required: input\.text|input/],
];
for (const [title, input, message] of wrongSpeech) {
  test(`rejects speech with ${title}`, async () => {
    const response = await send(simulator, path, { model: "qwen3-tts-flash", input });
    const flat = JSON.parse(response.text);
    assert.deepEqual([response.status, flat.code], [400, "InvalidParameter"]);
    assert.match(flat.message, message);
  });
}

test("accepts 600 charged characters, and instructions for a model that supports them", async () => {
  await good(simulator, path, { model: "qwen3-tts-flash", input: { text: "世".repeat(300), voice: "Ethan" } });
  const input = { text: "x", voice: "Cherry", instructions: "slowly" };
  await good(simulator, path, { model: "qwen3-tts-instruct-flash", input });
});

test("serves WAV files without sizes under their fault", async () => {
  const response = await good(simulator, path, speech, { "x-sim-wav-unsized": "1" });
  assert.equal((await download(response.output.audio.url)).readUInt32LE(40), 0xffffffff);
});
