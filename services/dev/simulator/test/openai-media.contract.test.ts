import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import OpenAI, { toFile } from "openai";
import sharp from "sharp";
import { imageInfo } from "../src/content/image-size.ts";
import { type Simulator, startSimulator } from "../src/service.ts";
import { logged, send } from "./support.ts";

let simulator: Simulator;
let client: OpenAI;
before(async () => {
  simulator = await startSimulator();
  client = new OpenAI({ baseURL: `${simulator.url}/openai/v1`, apiKey: "good", maxRetries: 0 });
});
after(() => simulator.close());

function picture(width: number, height: number, channels: 3 | 4 = 4) {
  const background = channels === 4 ? { r: 9, g: 9, b: 9, alpha: 0.5 } : { r: 9, g: 9, b: 9 };
  return sharp({ create: { width, height, channels, background } });
}

async function imageDimensions(base64: string | undefined) {
  const { format, width, height, hasAlpha } = await sharp(Buffer.from(base64 ?? "", "base64")).metadata();
  return { format, width, height, hasAlpha };
}

async function failure(work: Promise<unknown>): Promise<{ status: number; error: Record<string, unknown> }> {
  const cause = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  assert.ok(cause instanceof OpenAI.APIError, "the request was accepted");
  return { status: cause.status ?? 0, error: cause.error as Record<string, unknown> };
}

for (const [outputFormat, size] of [
  ["png", "1024x1536"],
  ["jpeg", "1536x1024"],
  ["webp", "2048x1152"],
] as const) {
  test(`a ${outputFormat} image decodes at exactly ${size}`, async () => {
    const response = await client.images.generate({
      model: "gpt-image-2",
      prompt: "a cat",
      size,
      output_format: outputFormat,
      quality: "low",
    });
    const [width, height] = size.split("x").map(Number);
    assert.deepEqual(await imageDimensions(response.data?.[0]?.b64_json), {
      format: outputFormat,
      width,
      height,
      hasAlpha: false,
    });
    assert.deepEqual(
      [response.size, response.output_format, response.quality, response.background],
      [size, outputFormat, "low", "opaque"],
    );
  });
}

test("counts image tokens by size and quality, plus 100 per partial image", async () => {
  simulator.log.clear();
  const high = await client.images.generate({
    model: "gpt-image-1",
    prompt: "a cat",
    size: "1024x1536",
    quality: "high",
    n: 2,
  });
  assert.deepEqual([high.usage?.output_tokens, high.usage?.input_tokens, high.data?.length], [12_480, 2, 2]);
  const stream = await client.images.generate({
    model: "gpt-image-1",
    prompt: "a cat",
    size: "1024x1024",
    quality: "low",
    stream: true,
    partial_images: 2,
  });
  const types: string[] = [];
  let usage: unknown;
  for await (const event of stream) {
    types.push(event.type);
    if (event.type === "image_generation.completed") usage = event.usage;
  }
  assert.deepEqual(types, [
    "image_generation.partial_image",
    "image_generation.partial_image",
    "image_generation.completed",
  ]);
  assert.equal((usage as { output_tokens: number }).output_tokens, 472);
  const [, entry] = await logged(simulator, 2);
  assert.deepEqual(entry?.units, {
    images: 1,
    width: 1024,
    height: 1024,
    quality: "low",
    text_tokens: 2,
    image_tokens: 0,
    output_tokens: 472,
  });
});

test("dall-e returns a URL valid for an hour, without usage, and is billed by image", async () => {
  simulator.log.clear();
  const response = await client.images.generate({ model: "dall-e-2", prompt: "a cat", size: "256x256", n: 2 });
  assert.equal(response.usage, undefined);
  const url = new URL(response.data?.[0]?.url ?? "");
  assert.ok(Math.abs(Number(url.searchParams.get("Expires")) - Date.now() / 1000 - 3600) < 60);
  const bytes = Buffer.from(await (await fetch(url)).arrayBuffer());
  assert.deepEqual(imageInfo(bytes), { mimeType: "image/png", width: 256, height: 256 });
  const [entry] = await logged(simulator, 1);
  assert.deepEqual(entry?.units, { images: 2, width: 256, height: 256, quality: "standard" });
});

test("transparent images have an alpha channel", async () => {
  const response = await client.images.generate({ model: "gpt-image-1", prompt: "a", background: "transparent" });
  assert.deepEqual(
    [(await imageDimensions(response.data?.[0]?.b64_json)).hasAlpha, response.background],
    [true, "transparent"],
  );
});

const wrongGenerations = [
  [
    { model: "gpt-image-2", size: "4096x4096" },
    "size",
    "invalid_value",
    /longest edge must be less than or equal to 3840/,
  ],
  [{ model: "gpt-image-2", size: "256x256" }, "size", "invalid_value", /minimum pixel budget/],
  [{ model: "gpt-image-2", size: "1000x1000" }, "size", "invalid_value", /divisible by 16/],
  [{ model: "gpt-image-1", size: "512x512" }, "size", "invalid_value", /Supported values are: '1024x1024'/],
  [{ model: "gpt-image-1", response_format: "url" }, "response_format", "unknown_parameter", /Unknown parameter/],
  [{ model: "gpt-image-2", background: "transparent" }, "background", "invalid_value", /not supported for model/],
  [{ model: "gpt-image-1", background: "transparent", output_format: "jpeg" }, "background", "invalid_value", /JPEG/],
  [{ model: "gpt-image-1", quality: "hd" }, "quality", "invalid_value", /Supported values are/],
  [{ model: "gpt-image-1", n: 11 }, "n", "integer_above_max_value", /<= 10/],
  [{ model: "dall-e-3", n: 2 }, "n", "integer_above_max_value", /<= 1/],
  [{ model: "dall-e-2", output_format: "png" }, "output_format", "unknown_parameter", /Unknown parameter/],
  [{ model: "dall-e-2", prompt: "a".repeat(1001) }, "prompt", "string_above_max_length", /maximum length 1000/],
  [{ model: "gpt-image-1", colour: "red" }, "colour", "unknown_parameter", /Unknown parameter/],
] as const;

for (const [fields, param, code, text] of wrongGenerations) {
  test(`rejects a generation with ${JSON.stringify(fields).slice(0, 70)}, naming ${param}`, async () => {
    const { status, text: response } = await send(simulator, "/openai/v1/images/generations", {
      prompt: "a",
      ...fields,
    });
    const { error } = JSON.parse(response);
    assert.deepEqual([status, error.param, error.code], [400, param, code]);
    assert.match(error.message, text);
  });
}

test("moderation blocks by fault and by prompt", async () => {
  for (const request of [
    { model: "gpt-image-1--sim-moderation", prompt: "a" },
    { model: "gpt-image-1", prompt: "blocked" },
  ]) {
    const { status, error } = await failure(client.images.generate(request));
    assert.deepEqual(
      [status, error["type"], error["code"]],
      [400, "image_generation_user_error", "moderation_blocked"],
    );
  }
});

test("an edit accepts several images and a mask, and its input images cost tokens", async () => {
  const png = await toFile(await picture(1024, 1024).png().toBuffer(), "a.png", { type: "image/png" });
  const webp = await toFile(await picture(512, 1024).webp().toBuffer(), "b.webp", { type: "image/webp" });
  const mask = await toFile(await picture(1024, 1024).png().toBuffer(), "m.png", { type: "image/png" });
  const response = await client.images.edit({
    model: "gpt-image-1",
    prompt: "make it blue",
    image: [png, webp],
    mask,
    size: "1536x1024",
    quality: "low",
    output_format: "jpeg",
    n: 2,
  });
  assert.deepEqual(response.usage?.input_tokens_details, { text_tokens: 3, image_tokens: 65 + 129 + 65 + 2 * 129 });
  assert.equal(response.usage?.output_tokens, 800);
  assert.deepEqual(await imageDimensions(response.data?.[1]?.b64_json), {
    format: "jpeg",
    width: 1536,
    height: 1024,
    hasAlpha: false,
  });
});

test("an edit streams events with names of its own", async () => {
  const image = await toFile(await picture(64, 64).png().toBuffer(), "a.png", { type: "image/png" });
  const stream = await client.images.edit({
    model: "gpt-image-1",
    prompt: "x",
    image,
    quality: "low",
    stream: true,
    partial_images: 1,
  });
  const types: string[] = [];
  for await (const event of stream) types.push(event.type);
  assert.deepEqual(types, ["image_edit.partial_image", "image_edit.completed"]);
});

interface Part {
  bytes: Buffer;
  type: string;
  name?: string;
}
const edits: readonly {
  title: string;
  code: string | null;
  text: RegExp;
  fields?: Record<string, string>;
  image?: () => Promise<Part[]>;
  mask?: () => Promise<Part>;
}[] = [
  {
    title: "a part of an unknown type",
    code: "unsupported_file_mimetype",
    text: /^Invalid file 'image\[0\]': unsupported mimetype \('application\/octet-stream'\)\. Supported file formats are 'image\/jpeg', 'image\/png', and 'image\/webp'\.$/,
    image: async () => [
      { bytes: await picture(8, 8).png().toBuffer(), type: "application/octet-stream", name: "image[]" },
    ],
  },
  {
    title: "a part that is not an image",
    code: "invalid_image_file",
    text: /^Invalid image file or mode for image 2, please check your image file\.$/,
    image: async () => [
      { bytes: await picture(8, 8).png().toBuffer(), type: "image/png", name: "image[]" },
      { bytes: Buffer.from("<html>".repeat(20)), type: "image/png", name: "image[]" },
    ],
  },
  {
    title: "a truncated image",
    code: "invalid_image_file",
    text: /image 1/,
    image: async () => [
      {
        bytes: (await picture(300, 300, 3).png({ compressionLevel: 0 }).toBuffer()).subarray(0, 9000),
        type: "image/png",
      },
    ],
  },
  {
    title: "a mask of another size",
    code: "invalid_mask_image_format",
    text: /^Invalid mask image format - mask size does not match image size$/,
    mask: async () => ({ bytes: await picture(32, 64).png().toBuffer(), type: "image/png" }),
  },
  {
    title: "a mask without alpha",
    code: "invalid_mask_image_format",
    text: /^Invalid mask image format - mask image missing alpha channel$/,
    mask: async () => ({ bytes: await picture(64, 64, 3).png().toBuffer(), type: "image/png" }),
  },
  {
    title: "a mask in grey",
    code: "invalid_mask_image_format",
    text: /mask size does not match/,
    mask: async () => ({
      bytes: await picture(64, 64, 3).greyscale().toColourspace("b-w").png().toBuffer(),
      type: "image/png",
    }),
  },
  { title: "no image", code: "missing_required_parameter", text: /'image'/, image: async () => [] },
  {
    title: "input_fidelity on a model without it",
    code: "invalid_input_fidelity_model",
    text: /^The model 'gpt-image-2' does not support the 'input_fidelity' parameter\.$/,
    fields: { model: "gpt-image-2", input_fidelity: "high" },
  },
  {
    title: "a JPEG for dall-e-2",
    code: "unsupported_file_mimetype",
    text: /Supported file formats are 'image\/png'\.$/,
    fields: { model: "dall-e-2" },
    image: async () => [{ bytes: await picture(64, 64, 3).jpeg().toBuffer(), type: "image/jpeg" }],
  },
  {
    title: "two images for dall-e-2",
    code: "array_above_max_length",
    text: /maximum length 1/,
    fields: { model: "dall-e-2" },
    image: async () => {
      const bytes = await picture(8, 8).png().toBuffer();
      return [
        { bytes, type: "image/png" },
        { bytes, type: "image/png" },
      ];
    },
  },
  { title: "an unknown field", code: "unknown_parameter", text: /'colour'/, fields: { colour: "red" } },
  { title: "a wrong model", code: "model_not_found", text: /does not exist/, fields: { model: "gpt-nothing" } },
];

for (const { title, code, text, fields = {}, image, mask } of edits) {
  test(`rejects an edit with ${title} with OpenAI's message`, async () => {
    const form = new FormData();
    for (const [name, value] of Object.entries({ model: "gpt-image-1", prompt: "x", ...fields })) form.set(name, value);
    const usual = async (): Promise<Part[]> => [{ bytes: await picture(64, 64).png().toBuffer(), type: "image/png" }];
    for (const { bytes, type, name = "image" } of await (image ?? usual)()) {
      form.append(name, new Blob([new Uint8Array(bytes)], { type }), "a");
    }
    const masked = await mask?.();
    if (masked !== undefined)
      form.append("mask", new Blob([new Uint8Array(masked.bytes)], { type: masked.type }), "m.png");
    const headers = { authorization: "Bearer good" };
    const response = await fetch(`${simulator.url}/openai/v1/images/edits`, { method: "POST", headers, body: form });
    const { error } = (await response.json()) as { error: { code: string; message: string } };
    assert.deepEqual([response.status, error.code], [code === "model_not_found" ? 404 : 400, code]);
    assert.match(error.message, text);
  });
}

test("rejects an edit whose body is not a form", async () => {
  const { status } = await send(simulator, "/openai/v1/images/edits", { prompt: "x" });
  assert.equal(status, 400);
});

test("faults by model suffix work in a form", async () => {
  const form = new FormData();
  form.set("model", "gpt-image-1--sim-status-503");
  form.set("prompt", "x");
  const headers = { authorization: "Bearer good" };
  const response = await fetch(`${simulator.url}/openai/v1/images/edits`, { method: "POST", headers, body: form });
  assert.equal(response.status, 503);
});

test("images padded by a fault still decode", async () => {
  const response = await client.images.generate({ model: "gpt-image-1--sim-image-mib-2", prompt: "a", quality: "low" });
  const bytes = Buffer.from(response.data?.[0]?.b64_json ?? "", "base64");
  assert.equal(bytes.length, 2 * 1024 * 1024);
  assert.equal((await sharp(bytes).metadata()).width, 1024);
});

test("returns speech as WAV, PCM or MP3 of the same length", async () => {
  const request = { model: "gpt-4o-mini-tts", voice: "alloy", input: "Hello, good world of speech." } as const;
  const bytesOf = async (responseFormat: "wav" | "pcm" | "mp3") =>
    Buffer.from(
      await (await client.audio.speech.create({ ...request, response_format: responseFormat })).arrayBuffer(),
    );
  const [wav, pcm, mp3] = [await bytesOf("wav"), await bytesOf("pcm"), await bytesOf("mp3")];
  assert.deepEqual([wav.toString("latin1", 0, 4), wav.readUInt32LE(24), wav.readUInt16LE(22)], ["RIFF", 24_000, 1]);
  assert.deepEqual([wav.readUInt32LE(40), wav.readUInt32LE(4)], [wav.length - 44, wav.length - 8]);
  assert.equal(wav.length - 44, pcm.length);
  const seconds = pcm.length / 48_000;
  assert.ok(seconds > 1 && seconds < 5, `${seconds} s`);
  // MPEG-2 layer III frames of 576 samples at 64 kbit/s and 24 kHz: 192 bytes each.
  assert.deepEqual([mp3[0], (mp3[1] ?? 0) & 0xf6], [0xff, 0xf2]);
  assert.ok(Math.abs(mp3.length / 8000 - seconds) < 0.2);
});

test("speech rejects what the provider rejects", async () => {
  const good = { model: "tts-1", voice: "alloy", input: "x" };
  for (const [change, status] of [
    [{ input: "" }, 400],
    [{ input: "a".repeat(4097) }, 400],
    [{ voice: "nobody" }, 400],
    [{ speed: 5 }, 400],
    [{ stream_format: "sse" }, 400],
    [{ model: "tts-9" }, 404],
  ] as const) {
    const response = await send(simulator, "/openai/v1/audio/speech", { ...good, ...change });
    assert.equal(response.status, status, JSON.stringify(change));
  }
});
