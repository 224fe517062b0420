import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import OpenAI, { toFile } from "openai";
import { startTestFleet, type TestFleet } from "../src/testing/with-fleet.ts";

type Json = Record<string, unknown>;
const path = "/v1/images/generations";
const prompt = "A lighthouse in the snow";

/** A PNG's width and height, from its header. */
const sizeOf = (png: Buffer): string => `${png.readUInt32BE(16)}x${png.readUInt32BE(20)}`;
const bytesOf = (image: { b64_json?: string | undefined } | undefined): Buffer =>
  Buffer.from(image?.b64_json ?? assert.fail("there is no picture"), "base64");

describe("images through the public door", () => {
  let fleet: TestFleet;
  let openai: OpenAI;
  /** 1024 x 1024, opaque and see-through. */
  let picture: Buffer;
  let mask: Buffer;
  const resources = new AsyncDisposableStack();

  before(async () => {
    const dataDir = await mkdtemp(join(tmpdir(), "images-"));
    resources.defer(() => rm(dataDir, { recursive: true, force: true }));
    fleet = resources.use(await startTestFleet({ dataDir }));
    openai = new OpenAI({ apiKey: fleet.run.api_key, baseURL: `${fleet.run.base_url}/v1`, maxRetries: 0 });
    const draw = async (background: "opaque" | "transparent"): Promise<Buffer> => {
      const made = await openai.images.generate({ model: "gamma-image-1", prompt, quality: "low", background });
      return bytesOf(made.data?.[0]);
    };
    picture = await draw("opaque");
    mask = await draw("transparent");
  });
  after(() => resources.disposeAsync());

  const setFault = async (faults: object, match: object): Promise<void> => {
    const { status } = await fetch(`${fleet.run.simulator_url}/sim/faults`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ match, faults }),
    });
    assert.ok(status < 300, `the simulator refused the fault: ${status}`);
  };
  const clearFaults = async (): Promise<void> => {
    await fetch(`${fleet.run.simulator_url}/sim/faults`, { method: "DELETE" });
  };
  const alpha = (model: string, content: object[], parameters?: object): object => ({
    model,
    input: { messages: [{ role: "user", content }] },
    ...(parameters && { parameters }),
  });
  const upload = (name: string, bytes: Buffer) => toFile(bytes, name);

  const pictureUrl = async (): Promise<string> => {
    const answer = await fleet.client.post(path, alpha("alpha-image-2.0", [{ text: prompt }]));
    const { output } = answer.json<{ output: { choices: { message: { content: { image: string }[] } }[] } }>();
    return output.choices[0]?.message.content[0]?.image ?? assert.fail(answer.text);
  };

  for (const model of ["alpha-image-2.0", "alpha-image-2.0-pro", "alpha-image-max"]) {
    test(`${model} draws in its own format, one picture of the default size, behind a URL`, async () => {
      const answer = await fleet.client.post(path, alpha(model, [{ text: prompt }]));
      assert.equal(answer.status, 200, answer.text);
      const body = answer.json<{ request_id: string; output: { choices: [Json] }; usage: Json }>();
      assert.match(body.request_id, /^[\da-f-]{36}$/);
      assert.equal(body.output.choices[0]["finish_reason"], "stop");
      const side = model === "alpha-image-max" ? 1328 : 1024;
      assert.deepEqual(body.usage, { image_count: 1, height: side, width: side });
      const { content } = body.output.choices[0]["message"] as { content: [{ image: string }] };
      const [{ image }] = content;
      const file = await fetch(image);
      assert.equal(sizeOf(Buffer.from(await file.arrayBuffer())), `${side}x${side}`);
      assert.ok(Number(answer.headers.get("x-gateway-cost-usd")) > 0);
    });
  }

  for (const model of ["alpha-image-edit", "alpha-image-edit-plus", "alpha-image-edit-max"]) {
    test(`${model} edits one to three pictures`, async () => {
      const image = await pictureUrl();
      const content = [{ image }, { image }, { image }, { text: "More snow" }];
      const answer = await fleet.client.post(path, alpha(model, content, { size: "1280*720", seed: 7 }));
      assert.equal(answer.status, 200, answer.text);
      assert.equal((answer.json<{ usage: Json }>().usage as Json)["image_count"], 1);
    });
  }

  test("errors of alpha models are flat, of limits too", async () => {
    const flat = async (body: object, status: number): Promise<Json> => {
      const answer = await fleet.client.post(path, body);
      assert.equal(answer.status, status, answer.text);
      assert.deepEqual(Object.keys(answer.json()).sort(), ["code", "message", "request_id"]);
      return answer.json();
    };
    const image = "https://example.com/a.png";
    const text = { text: prompt };
    const bad: object[] = [
      alpha("alpha-image-edit", [text]),
      alpha("alpha-image-edit", [{ image }, { image }, { image }, { image }, text]),
      alpha("alpha-image-edit", [{ image: "http://example.com/a.png" }, text]),
      alpha("alpha-image-2.0", [{ text: prompt, image }]),
      alpha("alpha-image-2.0", [text], { size: "1024x1024" }),
      alpha("alpha-image-2.0", [text], { n: 2 }),
      alpha("alpha-image-9.9", [text]),
      { model: "alpha-image-2.0", input: { messages: [] } },
    ];
    for (const body of bad) assert.equal((await flat(body, 400))["code"], "InvalidParameter");
    await setFault({ status: 429, "retry-after": 60 }, { model: "qwen-image-max" });
    const limited = await flat(alpha("alpha-image-max", [text]), 429);
    assert.equal(limited["code"], "Throttling.RateQuota");
    await clearFaults();
  });

  test("the official SDK generates: inline, behind a URL of ours, several at once, in other formats", async () => {
    const free = await openai.images.generate({ model: "gamma-image-2", prompt, size: "1536x864" as "auto", n: 2 });
    assert.deepEqual(
      free.data?.map((image) => sizeOf(bytesOf(image))),
      ["1536x864", "1536x864"],
    );
    assert.equal(free.usage?.total_tokens, (free.usage?.input_tokens ?? 0) + (free.usage?.output_tokens ?? 0));
    const webp = await openai.images.generate({ model: "gamma-image-1", prompt, output_format: "webp" });
    assert.equal(bytesOf(webp.data?.[0]).toString("latin1", 8, 12), "WEBP");
    const hosted = await openai.images.generate({ model: "gamma-image-1", prompt, response_format: "url" });
    const url = hosted.data?.[0]?.url ?? assert.fail("no url");
    assert.ok(url.startsWith(`${fleet.run.base_url}/assets/`));
    const file = await fetch(url);
    assert.equal(file.headers.get("content-type"), "image/png");
    assert.equal(sizeOf(Buffer.from(await file.arrayBuffer())), "1024x1024");
    const part = await fetch(url, { headers: { range: "bytes=1-3" } });
    assert.deepEqual([part.status, await part.text()], [206, "PNG"]);
    assert.equal((await fetch(url.replace("/assets/", "/assets/A"))).status, 404);
  });

  const others: [model: string, body: object][] = [
    ["delta-2", { size: "512x512", n: 3 }],
    ["seedream-4-0", { size: "2K", n: 2 }],
    ["seedream-5-0-pro", { size: "1K", output_format: "png" }],
    ["grok-imagine-image", { size: "1536x1024", n: 2 }],
    ["grok-imagine-image-quality", { resolution: "2k" }],
    ["gemini-2.5-flash-image", { size: "1024x1024", n: 2 }],
    ["gemini-3-pro-image", { size: "2048x2048" }],
  ];
  for (const [model, more] of others) {
    test(`${model} draws in OpenAI's shape, behind URLs and inline`, async () => {
      const count = (more as { n?: number }).n ?? 1;
      const linked = await openai.images.generate({ model, prompt, ...more });
      assert.equal(linked.data?.length, count);
      for (const { url = "" } of linked.data ?? []) assert.equal((await fetch(url)).status, 200);
      const inline = await openai.images.generate({ model, prompt, ...more, response_format: "b64_json" });
      for (const image of inline.data ?? []) assert.ok(bytesOf(image).length > 100);
    });
  }

  test("pictures sent along as data URLs are drawn from", async () => {
    const image = `data:image/png;base64,${picture.toString("base64")}`;
    for (const model of ["seedream-4-0", "grok-imagine-image", "gemini-3-pro-image"]) {
      const answer = await fleet.client.post(path, { model, prompt, image: [image, image] });
      assert.equal(answer.status, 200, answer.text);
    }
  });

  test("a stream shows sketches before the picture, and ends with the usage", async () => {
    const stream = await openai.images.generate({ model: "gamma-image-1", prompt, stream: true, partial_images: 2 });
    const types: string[] = [];
    let tokens = 0;
    for await (const event of stream) {
      types.push(event.type);
      if (event.type === "image_generation.completed") tokens = event.usage.total_tokens;
    }
    const sketch = "image_generation.partial_image";
    assert.deepEqual(types, [sketch, sketch, "image_generation.completed"]);
    assert.ok(tokens > 1_000);
  });

  test("the official SDK edits: one picture with a mask, several at once, with everything that took effect", async () => {
    const masked = await openai.images.edit({
      model: "gamma-image-2",
      prompt,
      image: await upload("../../a.bin", picture),
      mask: await upload("mask", mask),
      quality: "hd" as "high",
      size: "1024x1536",
      output_format: "webp",
    });
    assert.deepEqual(
      [masked.background, masked.output_format, masked.quality, masked.size],
      ["opaque", "webp", "high", "1024x1536"],
    );
    assert.ok((masked.usage?.input_tokens_details.image_tokens ?? 0) > 0);
    assert.equal(bytesOf(masked.data?.[0]).toString("latin1", 8, 12), "WEBP");
    const image = await Promise.all([1, 2, 3].map((index) => upload(`${index}.png`, picture)));
    const several = await openai.images.edit({ model: "gamma-image-1", prompt, image, n: 2, response_format: "url" });
    assert.equal(several.data?.length, 2, "gamma answers inline whatever is asked");
    assert.ok(several.data?.every(({ b64_json, url }) => b64_json !== undefined && url === undefined));
  });

  test("delta-2 edits behind a URL or inline, other families edit too", async () => {
    const image = await upload("a.png", picture);
    const linked = await openai.images.edit({
      model: "delta-2",
      prompt,
      image,
      mask: await upload("m.png", mask),
      size: "256x256",
      response_format: "url",
    });
    assert.equal((await fetch(linked.data?.[0]?.url ?? "")).status, 200);
    for (const model of ["grok-imagine-image", "seedream-4-0", "gemini-2.5-flash-image"]) {
      const made = await openai.images.edit({ model, prompt, image });
      assert.ok(bytesOf(made.data?.[0]).length > 100, model);
    }
  });

  test("each fault of an edit is a 400 of the SDK's own class, with its code", async () => {
    const image = await upload("a.png", picture);
    const small = bytesOf(
      (await openai.images.generate({ model: "delta-2", prompt, size: "256x256", response_format: "b64_json" }))
        .data?.[0],
    );
    const faults: [more: object, code: string][] = [
      [{ mask: await upload("m.png", small) }, "invalid_mask"],
      [{ mask: await upload("m.png", picture) }, "invalid_mask"],
      [{ model: "grok-imagine-image", mask: await upload("m.png", mask) }, "invalid_mask"],
      [{ model: "gpt-4o-mini" }, "endpoint_model_mismatch"],
      [{ image: await upload("a.png", Buffer.from("<svg></svg>")) }, "unsupported_image_format"],
      [{ image: await upload("a.png", picture.subarray(0, 200)) }, "invalid_image"],
      [{ n: 11 }, "invalid_request"],
      [{ size: "3840x2160" }, "invalid_request"],
      [{ background: "transparent", output_format: "jpeg" }, "invalid_request"],
    ];
    for (const [more, code] of faults) {
      const asked = { model: "gamma-image-1", prompt, image, ...more } as OpenAI.ImageEditParamsNonStreaming;
      await assert.rejects(openai.images.edit(asked), (error: unknown) => {
        assert.ok(error instanceof OpenAI.BadRequestError, String(error));
        assert.equal(error.code, code);
        return true;
      });
    }
  });

  test("a failed call costs nothing, and a set that failed in part costs what was made", async () => {
    await setFault({ status: 500 }, { model: "gpt-image-2*" });
    await assert.rejects(openai.images.generate({ model: "gamma-image-2", prompt }), OpenAI.InternalServerError);
    await clearFaults();
    await setFault({ moderation: true }, { model: "seedream-4-5*", count: 1 });
    const { data, response } = await openai.images
      .generate({ model: "seedream-4-5", prompt, n: 3, size: "2K" as "auto" })
      .withResponse();
    await clearFaults();
    assert.equal(data.data?.filter(({ url }) => url !== undefined).length, 2);
    assert.equal(response.headers.get("x-gateway-cost-usd"), "0.080000000");
  });

  test("after all of it the ledger holds exactly what the simulator served", async () => {
    const report = await fleet.audit();
    assert.deepEqual(report.violations, []);
  });
});
