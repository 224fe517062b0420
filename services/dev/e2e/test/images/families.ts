import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { TestResponse } from "@uag/harness/fleet/client";
import OpenAI from "openai";
import { bytesOf, type Json, type PlaceOf, path, pngDimensions, prompt } from "./place.ts";

const gamma = "gamma-image-2";
const sizes = ["1024x1024", "1536x864", "1008x1504", "3072x1024", "1024x3072", "3840x2160"];

const drawn: [model: string, more: Json][] = [
  ["delta-2", { size: "512x512", n: 3 }],
  ["seedream-4-0", { size: "2K", n: 2 }],
  ["seedream-5-0-pro", { size: "1K", output_format: "png" }],
  ["grok-imagine-image", { size: "1536x1024", n: 2 }],
  ["grok-imagine-image-quality", { resolution: "2k" }],
  ["gemini-2.5-flash-image", { size: "1024x1024", n: 2 }],
  ["gemini-3-pro-image", { size: "2048x2048" }],
];

/** Each is a change to a valid request to {@link gamma}. */
const refused: [what: string, more: Json, param: string | null, code?: string][] = [
  ["no prompt", { prompt: undefined }, "prompt"],
  ["an empty prompt", { prompt: "" }, "prompt"],
  ["a prompt that is a list", { prompt: [prompt] }, "prompt"],
  ["a prompt of more than 32,000 characters", { prompt: "x".repeat(32_001) }, "prompt"],
  ["no model", { model: undefined }, "model"],
  ["an unknown model", { model: "nobody-image" }, "model", "model_not_found"],
  ["a model of another operation", { model: "text-embedding-v4" }, "model", "endpoint_model_mismatch"],
  ["a side that is not a multiple of 16", { size: "1000x1024" }, "size"],
  ["a side of more than 3,840", { size: "3856x2048" }, "size"],
  ["wider than 3:1", { size: "3840x1264" }, "size"],
  ["taller than 3:1", { size: "1024x3088" }, "size"],
  ["DashScope's separator", { size: "1024*1024" }, "size"],
  ["a size in words", { size: "large" }, "size"],
  ["zero images", { n: 0 }, "n"],
  ["eleven images", { n: 11 }, "n"],
  ["n as text", { n: "2" }, "n"],
  ["an unknown quality", { quality: "best" }, "quality"],
  ["an unknown background", { background: "white" }, "background"],
  ["an unknown output_format", { output_format: "gif" }, "output_format"],
  ["a transparent JPEG", { background: "transparent", output_format: "jpeg" }, "background"],
  ["a compression above 100", { output_format: "jpeg", output_compression: 101 }, "output_compression"],
  ["four partial images", { stream: true, partial_images: 4 }, "partial_images"],
  ["an unknown response_format", { response_format: "file" }, "response_format"],
  ["a stream of URLs", { stream: true, response_format: "url" }, "response_format"],
  ["a stream that is text", { stream: "yes" }, "stream"],
  ["a stream of a model that does not stream", { model: "seedream-4-0", stream: true }, "stream"],
  ["a size that delta-2 does not support", { model: "delta-2", size: "1024x1536" }, "size"],
  ["sixteen images of seedream", { model: "seedream-4-0", n: 16 }, "n"],
  ["a shape beyond 16:1", { model: "seedream-4-0", size: "4096x128" }, "size"],
  ["a size name unknown to seedream 4.0", { model: "seedream-4-0", size: "8K" }, "size"],
  ["a seed below -1", { model: "seedream-4-0", seed: -2 }, "seed"],
  ["an unknown ratio of grok", { model: "grok-imagine-image", aspect_ratio: "7:5" }, "aspect_ratio"],
  ["an unknown resolution of grok", { model: "grok-imagine-image", resolution: "8k" }, "resolution"],
  ["an unknown ratio of gemini", { model: "gemini-3-pro-image", aspect_ratio: "7:5" }, "aspect_ratio"],
  ["an unknown resolution of gemini", { model: "gemini-3-pro-image", resolution: "8K" }, "resolution"],
  ["fifteen reference images", { model: "seedream-4-0", image: Array(15).fill("https://example.com/a.png") }, "image"],
  ["a reference image that is a number", { model: "seedream-4-0", image: 5 }, "image"],
  [
    "a reference image that is HTML",
    { model: "seedream-4-0", image: dataUrl("<html></html>") },
    "image",
    "unsupported_image_format",
  ],
  [
    "a reference image that is SVG",
    { model: "gemini-3-pro-image", image: dataUrl("<svg/>") },
    "image",
    "unsupported_image_format",
  ],
  [
    "a data URL that is not base64",
    { model: "seedream-4-0", image: "data:image/png;base64,***" },
    "image",
    "invalid_image",
  ],
  ["a data URL without a type", { model: "seedream-4-0", image: "data:,x" }, "image", "invalid_image"],
  ["an empty data URL", { model: "seedream-4-0", image: "data:image/png;base64," }, "image", "invalid_image"],
];

function dataUrl(text: string): string {
  return `data:image/png;base64,${Buffer.from(text).toString("base64")}`;
}

/** Spellings of internal addresses, which a client must not make the gateway call. */
const insideUrls = [
  "http://example.com/a.png",
  "https://127.0.0.1/a.png",
  "https://2130706433/a.png",
  "https://0x7f000001/a.png",
  "https://0177.0.0.1/a.png",
  "https://127.1/a.png",
  "https://[::1]/a.png",
  "https://[::ffff:10.0.0.1]/a.png",
  "https://[64:ff9b::7f00:1]/a.png",
  "https://169.254.169.254/latest/meta-data/",
  "https://100.64.0.1/a.png",
  "https://0.0.0.0/a.png",
  "https://localhost/a.png",
  "https://localhost./a.png",
  "https://u:p@example.com/a.png",
  "ftp://example.com/a.png",
  "file:///etc/passwd",
  "gopher://example.com/",
  "//example.com/a.png",
  "a.png",
  "",
];

/** `POST /v1/images/generations` for the families in OpenAI's format. */
export function familyTests(here: PlaceOf): void {
  const call = (body: Json): Promise<TestResponse> => here().fleet.client.post(path, body);
  const generate = (body: Json) =>
    here().openai.images.generate(body as unknown as OpenAI.ImageGenerateParamsNonStreaming);

  test("gamma supports all sizes in multiples of 16, up to 3,840 a side and 3:1", async () => {
    for (const size of sizes) {
      const { data } = await generate({ model: gamma, prompt, size, quality: "low" });
      assert.equal(pngDimensions(bytesOf(data?.[0])), size);
    }
  });

  test("gamma returns one or several images in every format and quality, inline or by the gateway's URL", async () => {
    const several = await generate({ model: gamma, prompt, size: "1024x1024", n: 2, user: "u" });
    assert.equal(several.data?.length, 2);
    assert.equal(several.usage?.total_tokens, (several.usage?.input_tokens ?? 0) + (several.usage?.output_tokens ?? 0));
    const marks = { png: "\x89PNG", jpeg: "\xff\xd8\xff", webp: "RIFF" };
    for (const [outputFormat, mark] of Object.entries(marks)) {
      const made = await generate({
        model: "gamma-image-1",
        prompt,
        output_format: outputFormat,
        background: "opaque",
      });
      assert.ok(bytesOf(made.data?.[0]).toString("latin1").startsWith(mark), outputFormat);
      assert.deepEqual([made.output_format, made.background, made.size], [outputFormat, "opaque", "1024x1024"]);
    }
    const effective = { low: "low", medium: "medium", high: "high", standard: "medium", hd: "high" };
    for (const [quality, meant] of Object.entries(effective))
      assert.equal((await generate({ model: gamma, prompt, size: "1024x1024", quality })).quality, meant);
  });

  test("a gamma image's URL is signed, serves its content type and ranges, and cannot be guessed", async () => {
    const { data } = await generate({ model: "gamma-image-1", prompt, response_format: "url" });
    const url = data?.[0]?.url ?? assert.fail("no url");
    assert.ok(url.startsWith(`${here().fleet.run.base_url}/assets/`));
    const file = await fetch(url);
    const bytes = Buffer.from(await file.arrayBuffer());
    assert.deepEqual([file.headers.get("content-type"), pngDimensions(bytes)], ["image/png", "1024x1024"]);
    assert.equal(file.headers.get("content-length"), String(bytes.length));
    const maxAge = Number(/max-age=(\d+)/.exec(file.headers.get("cache-control") ?? "")?.[1]);
    assert.ok(maxAge > 86_300 && maxAge <= 86_401, `it is valid for ${maxAge} s`);
    const head = await fetch(url, { method: "HEAD" });
    assert.deepEqual([head.status, head.headers.get("content-length")], [200, String(bytes.length)]);
    const part = await fetch(url, { headers: { range: "bytes=1-3" } });
    assert.deepEqual([part.status, await part.text()], [206, "PNG"]);
    const at = url.lastIndexOf("/") + 5;
    const other = url.slice(0, at) + (url[at] === "A" ? "B" : "A") + url.slice(at + 1);
    assert.equal((await fetch(other)).status, 404);
  });

  for (const [model, more] of drawn) {
    test(`${model} responds in OpenAI's format, by URL and inline`, async () => {
      const count = Number(more["n"] ?? 1);
      const linked = await generate({ model, prompt, ...more });
      assert.equal(linked.data?.length, count);
      for (const { url = "" } of linked.data ?? []) {
        assert.equal((await fetch(url)).status, 200);
        // Ark stores its files for a day; the gateway stores those of other providers.
        const ours = url.startsWith(`${here().fleet.run.base_url}/assets/`);
        assert.equal(ours, !model.startsWith("seedream"), url);
      }
      const inline = await generate({ model, prompt, ...more, response_format: "b64_json" });
      for (const image of inline.data ?? []) assert.ok(bytesOf(image).length > 100);
    });
  }

  test("reference images are accepted as data URLs", async () => {
    const image = `data:image/png;base64,${here().picture.toString("base64")}`;
    for (const model of ["seedream-4-0", "grok-imagine-image", "gemini-3-pro-image"]) {
      const response = await call({ model, prompt, image: [image, image] });
      assert.equal(response.status, 200, response.text);
    }
  });

  test("a stream has partial images before the image, and ends with the usage", async () => {
    const params = { model: "gamma-image-1", prompt, stream: true, partial_images: 2 } as const;
    const types: string[] = [];
    let tokens = 0;
    for await (const event of await here().openai.images.generate(params)) {
      types.push(event.type);
      if (event.type === "image_generation.completed") tokens = event.usage.total_tokens;
    }
    const sketch = "image_generation.partial_image";
    assert.deepEqual(types, [sketch, sketch, "image_generation.completed"]);
    assert.ok(tokens > 1_000);
  });

  describe("refused with a nested error that names the field", () => {
    for (const [what, more, param, code = "invalid_request"] of refused) {
      test(what, async () => {
        const response = await call({ model: gamma, prompt, ...more });
        assert.equal(response.status, 400, response.text);
        const { error } = response.json<{ error: Json }>();
        assert.deepEqual([error["code"], error["param"], error["type"]], [code, param, "invalid_request_error"]);
      });
    }
  });

  test("reference images at internal addresses in any spelling, or without https, are rejected", async () => {
    for (const url of insideUrls) {
      for (const image of [url, [url]]) {
        const response = await call({ model: "gemini-3-pro-image", prompt, image });
        assert.equal(response.status, 400, `${url}: ${response.text}`);
        assert.doesNotMatch(response.text, /ECONN|ENOTFOUND|::1|127\.0\.0\.1:/, url);
      }
    }
  });

  test("errors for the provider's rules and its content refusals keep its message", async () => {
    const free = await call({ model: "gamma-image-1", prompt, size: "1536x864" });
    assert.equal(free.status, 400);
    assert.match(free.text, /1536x864/);
    const blocked = await call({ model: gamma, prompt: "blocked", size: "1024x1024" });
    assert.deepEqual([blocked.status, blocked.json<{ error: Json }>().error["code"]], [400, "moderation_blocked"]);
  });

  test("each failure has the SDK's class: no key, no money, a limit, an unreachable or malfunctioning upstream", async () => {
    const { openai, clientOf, under } = here();
    const body = { model: gamma, prompt, size: "1024x1024" };
    await assert.rejects(openai.withOptions({ apiKey: "sk-wrong" }).images.generate(body), OpenAI.AuthenticationError);
    const poor = await (await clientOf({})).post(path, body);
    assert.equal(poor.status, 402);
    const { error } = poor.json<{ error: Json }>();
    assert.equal(error["code"], "insufficient_balance");
    assert.match(String(error["message"]), /balance/i);
    await under({ status: 429, "retry-after": 60 }, { model: "gpt-image-2*" }, () =>
      assert.rejects(openai.images.generate(body), OpenAI.RateLimitError),
    );
    for (const fault of [{ status: 500 }, { garbage: true }, { html: true }, { "empty-body": true }])
      await under(fault, { model: "gpt-image-1.5*" }, () =>
        assert.rejects(openai.images.generate({ model: "gamma-image-1.5", prompt }), OpenAI.InternalServerError),
      );
  });
}
