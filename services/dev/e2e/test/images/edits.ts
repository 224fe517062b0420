import assert from "node:assert/strict";
import { request } from "node:http";
import { describe, test } from "node:test";
import { setImmediate } from "node:timers/promises";
import OpenAI from "openai";
import sharp from "sharp";
import { bytesOf, type Json, type PlaceOf, pngDimensions, prompt, upload } from "./place.ts";

const path = "/v1/images/edits";
const boundary = "----form";
const gamma = "gamma-image-1";

interface ReceivedResponse {
  readonly status: number;
  readonly text: string;
  /** Number of bytes of the body accepted before the response arrived. */
  readonly sent: number;
}

/** Malformed forms; each gets 400 or 413, nested. */
const brokenForms: [what: string, body: string, type?: string][] = [
  ["no boundary", "x", "multipart/form-data"],
  ["no boundary but another parameter", "x", "multipart/form-data; charset=utf-8"],
  ["a boundary of 10 KB", "x", `multipart/form-data; boundary=${"b".repeat(10_000)}`],
  ["an empty body", ""],
  ["a closing boundary only", `--${boundary}--\r\n`],
  [
    "ten thousand parts",
    `${`--${boundary}\r\ncontent-disposition: form-data; name="a"\r\n\r\nx\r\n`.repeat(10_000)}--${boundary}--\r\n`,
  ],
  ["a field without a name", form(field("", "x"))],
  ["a form truncated in a field", form(field("model", gamma)).slice(0, -30)],
  ["a form truncated in a file", form(field("model", gamma), file("image", "x".repeat(500))).slice(0, -200)],
  ["a field of 1 MB", form(field("prompt", "x".repeat(1_000_000)))],
  ["a file name of 1 MB", form(file("image", "x", `../../${"x".repeat(1_000_000)}`))],
];

function field(name: string, value: string): string {
  return `content-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
}

function file(name: string, content: string, filename = "a.png"): string {
  return `content-disposition: form-data; name="${name}"; filename="${filename}"\r\n\r\n${content}\r\n`;
}

function form(...parts: string[]): string {
  return `${parts.map((part) => `--${boundary}\r\n${part}`).join("")}--${boundary}--\r\n`;
}

/** A PNG that declares this many pixels but contains almost no data. */
function bomb(side: number, png: Buffer): Buffer {
  const bytes = Buffer.from(png);
  bytes.writeUInt32BE(side, 16);
  bytes.writeUInt32BE(side, 20);
  return bytes;
}

/** `POST /v1/images/edits` */
export function editTests(here: PlaceOf): void {
  const edit = (more: Json) =>
    here().openai.images.edit({ model: gamma, prompt, ...more } as unknown as OpenAI.ImageEditParamsNonStreaming);
  const image = (): Promise<File> => upload("a.png", here().picture);
  const draw = async (more: Json): Promise<Buffer> => {
    const requested = { model: gamma, prompt, ...more } as unknown as OpenAI.ImageGenerateParamsNonStreaming;
    return bytesOf((await here().openai.images.generate(requested)).data?.[0]);
  };

  /** Sends a body as raw bytes, and stops once the response arrives. */
  const send = (body: Iterable<Buffer>, headers: Record<string, string>): Promise<ReceivedResponse> => {
    const { base_url, api_key } = here().fleet.run;
    return new Promise((resolve, reject) => {
      let sent = 0;
      let responded = false;
      const outgoing = request(`${base_url}${path}`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${api_key}`,
          "content-type": `multipart/form-data; boundary=${boundary}`,
          ...headers,
        },
      });
      outgoing.on("error", (error) => responded || reject(error));
      outgoing.on("response", (response) => {
        responded = true;
        const before = sent;
        let text = "";
        response.on("data", (chunk) => {
          text += chunk;
        });
        response.on("close", () => {
          outgoing.destroy();
          resolve({ status: response.statusCode ?? 0, text, sent: before });
        });
      });
      const closed = new Promise((go) => outgoing.once("close", go));
      const write = async (): Promise<void> => {
        for (const chunk of body) {
          if (responded || outgoing.destroyed) return;
          sent += chunk.length;
          if (!outgoing.write(chunk)) await Promise.race([closed, new Promise((go) => outgoing.once("drain", go))]);
          // A fast reader lets every write succeed at once, and then no response would be read in between.
          await setImmediate();
        }
        outgoing.end();
      };
      void write();
    });
  };

  test("the official SDK edits one image with a mask, and the response has all effective settings", async () => {
    const masked = await edit({
      model: "gamma-image-2",
      image: await upload("../../a.bin", here().picture),
      mask: await upload("mask", here().mask),
      quality: "hd",
      size: "1024x1536",
      output_format: "webp",
      user: "u1",
    });
    assert.deepEqual(Object.keys(masked).sort(), [
      "background",
      "created",
      "data",
      "output_format",
      "quality",
      "size",
      "usage",
    ]);
    assert.deepEqual(
      [masked.background, masked.output_format, masked.quality, masked.size],
      ["opaque", "webp", "high", "1024x1536"],
    );
    const { usage } = masked;
    assert.ok(
      (usage?.input_tokens_details.image_tokens ?? 0) > 0 && (usage?.input_tokens_details.text_tokens ?? 0) > 0,
    );
    assert.equal(usage?.total_tokens, (usage?.input_tokens ?? 0) + (usage?.output_tokens ?? 0));
    assert.equal(bytesOf(masked.data?.[0]).toString("latin1", 8, 12), "WEBP");
    assert.ok(Number.isInteger(masked.created));
  });

  test("several images give several results, which gamma always returns inline", async () => {
    const several = await Promise.all([1, 2, 3].map((index) => upload(`${index}.png`, here().picture)));
    const made = await edit({ image: several, n: 2, response_format: "url" });
    assert.equal(made.data?.length, 2);
    assert.ok(made.data?.every(({ b64_json, url }) => b64_json !== undefined && url === undefined));
  });

  test("JPEG and WebP are accepted regardless of their declared type", async () => {
    for (const format of ["jpeg", "webp"] as const) {
      const bytes = await draw({ output_format: format });
      assert.equal((await edit({ image: await upload("a.png", bytes) })).data?.length, 1, format);
    }
  });

  test("every documented value is accepted for gamma", async () => {
    const values: Record<string, readonly string[]> = {
      size: ["auto", "1024x1024", "1024x1536", "1536x1024"],
      quality: ["auto", "low", "medium", "high", "standard", "hd"],
      response_format: ["b64_json", "url"],
      output_format: ["png", "jpeg", "webp"],
      background: ["transparent", "opaque", "auto"],
      input_fidelity: ["high", "low"],
    };
    for (const [name, allowed] of Object.entries(values)) {
      for (const value of allowed) {
        const made = await edit({ image: await image(), [name]: value });
        if (name === "size" && value !== "auto") assert.equal(pngDimensions(bytesOf(made.data?.[0])), value);
      }
    }
  });

  test("an edit streams partial images", async () => {
    const types: string[] = [];
    const params = { model: gamma, prompt, image: await image(), stream: true, partial_images: 1 } as const;
    for await (const { type } of await here().openai.images.edit(params)) types.push(type);
    assert.deepEqual(types, ["image_edit.partial_image", "image_edit.completed"]);
  });

  test("delta-2 edits in its three sizes, by URL or inline, and other families edit too", async () => {
    for (const size of ["256x256", "512x512", "1024x1024"]) {
      const requested = { model: "delta-2", image: await image(), mask: await upload("m.png", here().mask), size };
      const linked = await edit({ ...requested, response_format: "url" });
      assert.equal((await fetch(linked.data?.[0]?.url ?? "")).status, 200);
      assert.equal(pngDimensions(bytesOf((await edit(requested)).data?.[0])), size);
    }
    for (const model of ["grok-imagine-image", "seedream-4-0", "gemini-2.5-flash-image"])
      assert.ok(bytesOf((await edit({ model, image: await image() })).data?.[0]).length > 100, model);
  });

  test("delta-2 accepts JPEG and WebP with a mask, even if their PNG would be too large for the provider", async () => {
    const noise = await sharp({
      create: {
        width: 1_536,
        height: 1_536,
        channels: 3,
        background: "#888",
        noise: { type: "gaussian", mean: 128, sigma: 60 },
      },
    })
      .jpeg({ quality: 95 })
      .toBuffer();
    const webp = await sharp(here().picture).resize(512, 512).webp().toBuffer();
    const mask = await sharp({ create: { width: 1_536, height: 1_536, channels: 4, background: "#0000" } })
      .png()
      .toBuffer();
    for (const more of [
      { image: await upload("a.jpg", noise) },
      { image: await upload("a.jpg", noise), mask: await upload("m.png", mask) },
      { image: await upload("a.webp", webp) },
    ])
      assert.equal(
        pngDimensions(bytesOf((await edit({ model: "delta-2", size: "256x256", ...more })).data?.[0])),
        "256x256",
      );
  });

  test("each invalid edit gets a 400 of the SDK's class, with its code and field", async () => {
    const { picture, mask } = here();
    const small = await draw({ model: "delta-2", size: "256x256", response_format: "b64_json" });
    const wide = await draw({ size: "1536x1024", background: "transparent" });
    const jpeg = await draw({ output_format: "jpeg" });
    const named = (name: string, bytes: Buffer | string): Promise<File> => upload(name, Buffer.from(bytes));
    const many = await Promise.all(Array.from({ length: 17 }, () => named("a.png", small)));
    const faults: [more: Json, code: string, param: string][] = [
      [{ mask: await named("m.png", wide) }, "invalid_mask", "mask"],
      [{ mask: await named("m.png", picture) }, "invalid_mask", "mask"],
      [{ mask: await named("m.png", jpeg) }, "invalid_mask", "mask"],
      [{ model: "grok-imagine-image", mask: await named("m.png", mask) }, "invalid_mask", "mask"],
      [{ model: "gpt-4o-mini" }, "endpoint_model_mismatch", "model"],
      [{ model: "alpha-image-edit" }, "endpoint_model_mismatch", "model"],
      [{ model: "nobody-image" }, "model_not_found", "model"],
      [{ model: "" }, "invalid_request", "model"],
      [{ prompt: "" }, "invalid_request", "prompt"],
      [{ image: await named("a.png", "<svg></svg>") }, "unsupported_image_format", "image"],
      [{ image: await named("a.gif", "GIF89a\x01\0\x01\0") }, "unsupported_image_format", "image"],
      [
        { model: "delta-2", image: await named("a.jpg", jpeg.subarray(0, jpeg.length - 100)) },
        "invalid_image",
        "image",
      ],
      [{ model: "delta-2", image: await named("a.png", wide) }, "unsupported_image_format", "image"],
      [{ image: await named("a.png", "") }, "invalid_image", "image"],
      [{ image: await named("a.png", picture.subarray(0, 200)) }, "invalid_image", "image"],
      [{ image: await named("a.png", bomb(50_000, picture)) }, "invalid_image", "image"],
      [{ image: await named("a.png", bomb(0, picture)) }, "invalid_image", "image"],
      [{ image: many }, "invalid_request", "image"],
      [{ model: "delta-2", image: many.slice(0, 2) }, "invalid_request", "image"],
      [{ n: 0 }, "invalid_request", "n"],
      [{ n: 11 }, "invalid_request", "n"],
      [{ n: "two" }, "invalid_request", "n"],
      [{ n: "" }, "invalid_request", "n"],
      [{ size: "3840x2160" }, "invalid_request", "size"],
      [{ size: "4K" }, "invalid_request", "size"],
      [{ size: "2K" }, "invalid_request", "size"],
      [{ size: "256x256" }, "invalid_request", "size"],
      [{ model: "delta-2", size: "1024x1536" }, "invalid_request", "size"],
      [{ quality: "best" }, "invalid_request", "quality"],
      [{ output_format: "gif" }, "invalid_request", "output_format"],
      [{ model: "delta-2", output_format: "webp" }, "invalid_request", "output_format"],
      [{ response_format: "file" }, "invalid_request", "response_format"],
      [{ background: "white" }, "invalid_request", "background"],
      [{ background: "transparent", output_format: "jpeg" }, "invalid_request", "background"],
      [{ model: "delta-2", background: "transparent" }, "invalid_request", "background"],
      [{ user: "u".repeat(513) }, "invalid_request", "user"],
    ];
    const usual = await image();
    for (const [more, code, param] of faults) {
      await assert.rejects(edit({ image: usual, ...more }), (error: unknown) => {
        assert.ok(error instanceof OpenAI.BadRequestError, String(error));
        assert.deepEqual([error.code, error.param, error.type], [code, param, "invalid_request_error"], error.message);
        return true;
      });
    }
  });

  describe("a malformed form is rejected with a nested error before its end", () => {
    for (const [what, body, type] of brokenForms) {
      test(what, async () => {
        const started = performance.now();
        const response = await send([Buffer.from(body)], type === undefined ? {} : { "content-type": type });
        assert.ok([400, 413, 415].includes(response.status), `${response.status} ${response.text.slice(0, 300)}`);
        assert.equal(typeof (JSON.parse(response.text) as { error: Json }).error["message"], "string");
        assert.ok(performance.now() - started < 5_000);
      });
    }
  });

  test("a form that is too large gets a 413, by its declared length or once counted, and the rest is not read", async () => {
    const mebibyte = Buffer.alloc(1024 * 1024, 1);
    const opening = Buffer.from(form(field("model", gamma), file("image", "")).slice(0, -boundary.length - 8));
    const upTo = function* (mebibytes: number): Generator<Buffer> {
      yield opening;
      for (let count = 0; count < mebibytes; count++) yield mebibyte;
    };
    // More than a form may contain, and an image that alone would fill a form.
    for (const mebibytes of [70, 60]) {
      const reported = await send(upTo(mebibytes), { "content-length": String(mebibytes * mebibyte.length) });
      assert.equal(reported.status, 413);
      // Bytes in buffers of the kernel and of the client count as sent.
      assert.ok(reported.sent < 40 * mebibyte.length, `${reported.sent} bytes were sent before the response`);
    }
    const counted = await send(upTo(60), { "transfer-encoding": "chunked" });
    assert.equal(counted.status, 413);
    assert.match(counted.text, /file is larger than 52428800 bytes/);
    assert.ok(counted.sent < 60 * mebibyte.length, "the whole body is not read");
  });

  test("a form without a key gets a 401 unread, and one without money a 402 with the reason", async () => {
    const stranger = here().openai.withOptions({ apiKey: "sk-wrong" });
    const params = { model: gamma, prompt, image: await image() };
    await assert.rejects(stranger.images.edit(params), OpenAI.AuthenticationError);
    const poor = await here().clientOf({});
    const parts = [field("model", gamma), field("prompt", prompt), file("image", here().picture.toString("latin1"))];
    const headers = { "content-type": `multipart/form-data; boundary=${boundary}` };
    const response = await poor.post(path, Buffer.from(form(...parts), "latin1"), { headers });
    assert.equal(response.status, 402, response.text);
    assert.match(String(response.json<{ error: Json }>().error["message"]), /balance/i);
  });
}
