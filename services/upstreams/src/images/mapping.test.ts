import assert from "node:assert/strict";
import { test } from "node:test";
import { parseCatalog } from "@uag/catalog/parse.ts";
import type { Model, Protocol, Upstream } from "@uag/catalog/types.ts";
import { UpstreamFailure } from "../failure.ts";
import { imageAdapter } from "../registry.ts";
import type { ImageAdapter, ImageRequest, InlineImage } from "./types.ts";

const models = (protocol: Protocol): Model =>
  parseCatalog(
    `
providers: { up: { protocol: ${protocol}, base_url: "http://up.test/base", api_key: sk-secret-of-ours, headers: { x-more: "1" } } }
models:
  - { id: m, owned_by: a, created: 2026-01-01, operations: [images.generations], price: { images: 1 },
      upstreams: [{ provider: up, model: theirs }],
      image: { family: ${protocol === "openai" ? "gamma" : "grok"}, upstream_sizes: { "1472*1140": "1472*1104", "9*9": "" } } }
`,
    {},
  ).models.get("m") ?? assert.fail();

const adapterOf = (protocol: Protocol): ImageAdapter => imageAdapter(protocol) ?? assert.fail();
const inline: InlineImage = { type: "inline", mediaType: "image/png", bytes: Buffer.from("PNG") };
const base: ImageRequest = {
  prompt: "a cat",
  count: 1,
  references: [],
  mask: undefined,
  size: undefined,
  delivery: "url",
  stream: false,
  options: {},
};

interface Sent {
  readonly path: string;
  readonly headers: string;
  readonly body: Buffer;
}

function encode(protocol: Protocol, request: Partial<ImageRequest>): Sent {
  const model = models(protocol);
  const call = { requestId: "req_1", model, request: { ...base, ...request } };
  const { path, headers, body } = adapterOf(protocol).encode(call, model.upstreams[0] as Upstream);
  return { path, headers: headers.join(" "), body };
}

const golden: [what: string, Protocol, Partial<ImageRequest>, path: string, body: object][] = [
  [
    "OpenAI, text to image",
    "openai",
    { count: 2, size: "1024x1024", options: { quality: "high", background: "opaque" }, stream: true },
    "/images/generations",
    { model: "theirs", prompt: "a cat", n: 2, size: "1024x1024", quality: "high", background: "opaque", stream: true },
  ],
  [
    "DashScope, text to image",
    "dashscope",
    { size: "1024*1024", options: { prompt_extend: true, watermark: false, seed: 3 } },
    "/api/v1/services/aigc/multimodal-generation/generation",
    {
      model: "theirs",
      input: { messages: [{ role: "user", content: [{ text: "a cat" }] }] },
      parameters: { size: "1024*1024", n: 1, prompt_extend: true, watermark: false, seed: 3 },
    },
  ],
  [
    "DashScope, pictures before the text, a size under the vendor's name",
    "dashscope",
    { size: "1472*1140", references: [{ type: "url", url: "https://a.test/1" }, inline] },
    "/api/v1/services/aigc/multimodal-generation/generation",
    {
      model: "theirs",
      input: {
        messages: [
          {
            role: "user",
            content: [{ image: "https://a.test/1" }, { image: "data:image/png;base64,UE5H" }, { text: "a cat" }],
          },
        ],
      },
      parameters: { size: "1472*1104", n: 1 },
    },
  ],
  [
    "DashScope, a size that is not sent",
    "dashscope",
    { size: "9*9" },
    "/api/v1/services/aigc/multimodal-generation/generation",
    {
      model: "theirs",
      input: { messages: [{ role: "user", content: [{ text: "a cat" }] }] },
      parameters: { n: 1 },
    },
  ],
  [
    "Ark, no n and no watermark",
    "ark",
    { size: "2K", references: [inline], options: { seed: 1 } },
    "/images/generations",
    {
      model: "theirs",
      prompt: "a cat",
      image: "data:image/png;base64,UE5H",
      size: "2K",
      response_format: "url",
      watermark: false,
      seed: 1,
    },
  ],
  [
    "Ark, several pictures, a watermark on request",
    "ark",
    {
      references: [inline, { type: "url", url: "https://a.test/1" }],
      delivery: "inline",
      options: { watermark: true },
    },
    "/images/generations",
    {
      model: "theirs",
      prompt: "a cat",
      image: ["data:image/png;base64,UE5H", "https://a.test/1"],
      response_format: "b64_json",
      watermark: true,
    },
  ],
  [
    "xAI, a size as ratio and resolution",
    "xai",
    { count: 3, size: "1920x1080", options: { quality: "low" } },
    "/images/generations",
    {
      model: "theirs",
      prompt: "a cat",
      n: 3,
      quality: "low",
      aspect_ratio: "16:9",
      resolution: "2k",
      response_format: "b64_json",
    },
  ],
  [
    "xAI, a small size",
    "xai",
    { size: "1024x1536", delivery: "inline" },
    "/images/generations",
    { model: "theirs", prompt: "a cat", n: 1, aspect_ratio: "2:3", resolution: "1k", response_format: "b64_json" },
  ],
  [
    "xAI, edits as JSON, the client's own shape",
    "xai",
    { references: [{ type: "url", url: "https://a.test/1" }], options: { aspect_ratio: "auto", resolution: "1.5k" } },
    "/images/edits",
    {
      model: "theirs",
      prompt: "a cat",
      n: 1,
      aspect_ratio: "auto",
      resolution: "1.5k",
      response_format: "b64_json",
      image: { type: "image_url", url: "https://a.test/1" },
    },
  ],
  [
    "xAI, several pictures",
    "xai",
    { references: [inline, inline] },
    "/images/edits",
    {
      model: "theirs",
      prompt: "a cat",
      n: 1,
      resolution: "1k",
      response_format: "b64_json",
      images: [1, 2].map(() => ({ type: "image_url", url: "data:image/png;base64,UE5H" })),
    },
  ],
  [
    "Gemini, a size as ratio and tier",
    "gemini",
    { size: "3840x2160", references: [inline] },
    "/v1beta/models/theirs:generateContent",
    {
      contents: [{ role: "user", parts: [{ inlineData: { mimeType: "image/png", data: "UE5H" } }, { text: "a cat" }] }],
      generationConfig: {
        responseModalities: ["TEXT", "IMAGE"],
        imageConfig: { aspectRatio: "16:9", imageSize: "4K" },
      },
    },
  ],
  [
    "Gemini, nothing but the prompt",
    "gemini",
    {},
    "/v1beta/models/theirs:generateContent",
    {
      contents: [{ role: "user", parts: [{ text: "a cat" }] }],
      generationConfig: { responseModalities: ["TEXT", "IMAGE"] },
    },
  ],
];
for (const [what, protocol, request, path, body] of golden) {
  test(`sent as its protocol has it: ${what}`, () => {
    const sent = encode(protocol, request);
    assert.equal(sent.path, path);
    assert.deepEqual(JSON.parse(sent.body.toString()), body);
    assert.match(sent.headers, protocol === "gemini" ? /x-goog-api-key sk-secret/ : /authorization Bearer sk-secret/);
    assert.match(sent.headers, /x-client-request-id req_1/);
    assert.match(sent.headers, /x-more 1/);
  });
}

test("sent as its protocol has it: OpenAI, an edit as a form with names and types of ours", () => {
  const options = { quality: "low", user: 'x"\r\n--form' };
  const sent = encode("openai", { references: [inline, inline], mask: inline, size: "auto", options });
  assert.equal(sent.path, "/images/edits");
  const [, boundary = assert.fail()] = /content-type multipart\/form-data; boundary=(\S+)/.exec(sent.headers) ?? [];
  const text = sent.body.toString("latin1");
  assert.ok(text.endsWith(`--${boundary}--\r\n`));
  const heads = [...text.matchAll(/content-disposition: ([^\r]*)\r\n(?:content-type: ([^\r]*)\r\n)?\r\n/g)];
  assert.deepEqual(
    heads.map(([, disposition, type]) => [disposition, type]),
    [
      ...["model", "prompt", "n", "size", "quality", "user"].map((name) => [`form-data; name="${name}"`, undefined]),
      ['form-data; name="image[]"; filename="image-1.png"', "image/png"],
      ['form-data; name="image[]"; filename="image-2.png"', "image/png"],
      ['form-data; name="mask"; filename="mask.png"', "image/png"],
    ],
  );
  assert.match(encode("openai", { references: [inline] }).body.toString(), /name="image"; filename="image-1.png"/);
});

interface Decoded {
  readonly images: number;
  readonly faults: number;
  readonly billed: number;
  readonly units: Record<string, number> | undefined;
  readonly raw: string | undefined;
}

function decode(protocol: Protocol, body: unknown): Decoded {
  const model = models(protocol);
  const call = { requestId: "r", model, request: base };
  const bytes = Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
  const { images, faults, billedImages, usage } = adapterOf(protocol).decode(
    bytes,
    call,
    model.upstreams[0] as Upstream,
  );
  return {
    images: images.length,
    faults: faults.length,
    billed: billedImages,
    units: usage?.units && Object.fromEntries(usage.units.map(({ name, quantity }) => [name, Number(quantity)])),
    raw: usage?.raw.toString(),
  };
}

const gammaUsage = {
  total_tokens: 150,
  input_tokens: 50,
  output_tokens: 100,
  input_tokens_details: { text_tokens: 10, image_tokens: 40 },
  output_tokens_details: { image_tokens: 98, text_tokens: 2 },
};
const read: [what: string, Protocol, body: unknown, Partial<Decoded>][] = [
  [
    "OpenAI's tokens are taken apart",
    "openai",
    { data: [{ b64_json: "AA" }, { b64_json: "AA" }], usage: gammaUsage },
    {
      images: 2,
      units: { input_tokens: 10, image_input_tokens: 40, image_output_tokens: 98, output_tokens: 2 },
      raw: JSON.stringify(gammaUsage),
    },
  ],
  ["DALL-E counts nothing", "openai", { data: [{ url: "https://x/1" }] }, { images: 1, billed: 1, raw: undefined }],
  [
    "the usage is kept as it came",
    "dashscope",
    '{"output":{"choices":[{"message":{"content":[{"image":"https://x/1"}]}}]},"usage":{"image_count": 1,"w":1e2}}',
    { billed: 1, units: undefined, raw: '{"image_count": 1,"w":1e2}' },
  ],
  [
    "a picture of a set that failed is a fault, and not billed",
    "ark",
    { data: [{ url: "https://x/1" }, { error: { code: "E", message: "no" } }], usage: { generated_images: 1 } },
    { images: 1, faults: 1, billed: 1 },
  ],
  [
    "a withheld picture is a fault, and not billed",
    "xai",
    { data: [{ url: "", respect_moderation: false }, { url: "https://x/1" }], usage: { cost_in_usd_ticks: 2 } },
    { images: 1, faults: 1, billed: 1, raw: '{"cost_in_usd_ticks":2}' },
  ],
  [
    "Gemini's words and thoughts count beside its picture",
    "gemini",
    {
      candidates: [
        {
          content: {
            parts: [
              { thought: true, inlineData: { data: "AA" } },
              { inlineData: { mimeType: "image/png", data: "AA" } },
            ],
          },
        },
      ],
      usageMetadata: {
        promptTokenCount: 9,
        candidatesTokenCount: 1_300,
        thoughtsTokenCount: 20,
        totalTokenCount: 1_329,
        candidatesTokensDetails: [{ modality: "IMAGE", tokenCount: 1_290 }],
      },
    },
    { images: 1, units: { input_tokens: 9, image_output_tokens: 1_290, output_tokens: 30 } },
  ],
];
for (const [what, protocol, body, expected] of read) {
  test(`read: ${what}`, () => {
    const decoded = decode(protocol, body);
    for (const [name, value] of Object.entries(expected)) assert.deepEqual(decoded[name as keyof Decoded], value, name);
  });
}

const failing: [what: string, Protocol, body: unknown, kind: string, code?: string][] = [
  ["not JSON", "openai", "<html>", "transient"],
  ["no pictures", "openai", { data: [] }, "transient"],
  ["an error under a good status", "openai", { error: { message: "no", code: "content_policy_violation" } }, "client"],
  ["DashScope's error under a good status", "dashscope", { code: "InvalidParameter", message: "no" }, "client"],
  ["DashScope's debt", "dashscope", { code: "Arrearage", message: "pay" }, "operator"],
  ["all of a set failed", "ark", { data: [{ error: { code: "E", message: "no" } }] }, "client", "E"],
  ["all withheld", "xai", { data: [{ respect_moderation: false }] }, "client", "content_policy_violation"],
  ["a blocked prompt", "gemini", { promptFeedback: { blockReason: "SAFETY" } }, "client", "content_policy_violation"],
  [
    "a withheld picture",
    "gemini",
    { candidates: [{ finishReason: "IMAGE_SAFETY" }] },
    "client",
    "content_policy_violation",
  ],
  [
    "words alone",
    "gemini",
    { candidates: [{ content: { parts: [{ text: "I cannot" }] }, finishReason: "STOP" }] },
    "client",
    "no_image",
  ],
];
for (const [what, protocol, body, kind, code] of failing) {
  test(`${protocol}: ${what} is a ${kind} failure`, () => {
    assert.throws(
      () => decode(protocol, body),
      (error: unknown) => {
        assert.ok(error instanceof UpstreamFailure, String(error));
        assert.equal(error.kind, kind);
        if (code !== undefined) assert.equal(error.said?.code, code);
        return true;
      },
    );
  });
}

const statuses: [Protocol, status: number, body: object, kind: string][] = [
  ["dashscope", 429, { code: "Throttling.RateQuota", message: "slow down" }, "capacity"],
  ["dashscope", 400, { code: "Arrearage", message: "pay" }, "operator"],
  ["dashscope", 400, { code: "DataInspectionFailed", message: "no" }, "client"],
  ["dashscope", 500, { code: "InternalError", message: "oops" }, "transient"],
  ["ark", 429, { error: { code: "SetLimitExceeded", message: "cap" } }, "quota"],
  ["ark", 429, { error: { code: "ServerOverloaded", message: "busy" } }, "capacity"],
  ["ark", 403, { error: { code: "AccountOverdueError", message: "pay" } }, "operator"],
  ["ark", 400, { error: { code: "InputTextSensitiveContentDetected", message: "no" } }, "client"],
  ["xai", 400, { code: "bad", error: "Content violates usage guidelines." }, "client"],
  ["gemini", 404, { error: { code: 404, status: "NOT_FOUND", message: "no" } }, "unknown_model"],
];
for (const [protocol, status, body, kind] of statuses) {
  test(`${protocol}'s ${status} ${JSON.stringify(body).slice(0, 60)} is a ${kind} failure`, () => {
    const upstream = models(protocol).upstreams[0] as Upstream;
    const bytes = Buffer.from(JSON.stringify(body));
    const failure = adapterOf(protocol).failureOf({ status, header: () => undefined, body: bytes }, upstream);
    assert.equal(failure.kind, kind);
  });
}
