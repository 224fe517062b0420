import assert from "node:assert/strict";
import { test } from "node:test";
import { parseCatalog } from "@uag/catalog/parse";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import { UpstreamFailure } from "@uag/providers/failure";
import type { ImageRequest } from "@uag/providers/images/types";
import { createGuardedClient } from "@uag/untrusted/http/guarded";
import { readers } from "./read.ts";

const guarded = createGuardedClient({ allow: ["127.0.0.1:9"] });
const catalog = parseCatalog(
  `
providers: { one: { protocol: openai, base_url: "http://127.0.0.1:9", api_key: k } }
models:
  - &base
    { id: alpha, owned_by: a, created: 2026-01-01, operations: [images.generations], price: { images: 1 },
      upstreams: [{ provider: one }],
      image: { family: alpha, sizes: ["1024*1024", "1664*928"], default_size: "1024*1024" } }
  - { <<: *base, id: alpha-edit, image: { family: alpha, sizes: ["1024*1024"], references: { min: 1, max: 3 } } }
  - { <<: *base, id: gamma, image: { family: gamma, most_images: 10 } }
  - { <<: *base, id: delta, image: { family: delta, sizes: [256x256, 1024x1024], most_images: 10 } }
  - { <<: *base, id: seedream, image: { family: seedream, sizes: [2K, 4K], most_images: 4, references: { max: 2 } } }
  - { <<: *base, id: grok, image: { family: grok, most_images: 10, references: { max: 3 } } }
  - { <<: *base, id: gemini, image: { family: gemini, most_images: 4, references: { max: 3 } } }
`,
  {},
);

function read(fields: Record<string, unknown>): ImageRequest {
  const model = catalog.models.get(String(fields["model"])) ?? assert.fail();
  return readers[model.image?.family ?? "gamma"]({ fields, model, guarded });
}

const image = "https://example.com/a.png";
const text = { text: "a cat" };
const alpha = (content: unknown, parameters?: unknown, model = "alpha"): Record<string, unknown> => ({
  model,
  input: { messages: [{ role: "user", content }] },
  ...(parameters !== undefined && { parameters }),
});
const edit = (...content: unknown[]): Record<string, unknown> => alpha(content, undefined, "alpha-edit");
const draw = (model: string, more: object = {}): Record<string, unknown> => ({ model, prompt: "a cat", ...more });

const refused: [what: string, body: Record<string, unknown>, param: string][] = [
  ["an editing model without an image", edit(text), "input.messages[0].content"],
  ["four images", edit({ image }, { image }, { image }, { image }, text), "input.messages[0].content"],
  ["an image for a text-to-image model", alpha([{ image }, text]), "input.messages[0].content"],
  ["no text", edit({ image }), "input.messages[0].content"],
  ["blank text", alpha([{ text: "  " }]), "input.messages[0].content"],
  ["a block with both image and text", alpha([{ image, text: "x" }]), "input.messages[0].content[0]"],
  ["a block with neither image nor text", alpha([text, {}]), "input.messages[0].content[1]"],
  ["no blocks", alpha([]), "input.messages[0].content"],
  ["content as text", alpha("a cat"), "input.messages[0].content"],
  ["an http image URL", edit({ image: "http://example.com/a.png" }, text), "input.messages[0].content[0].image"],
  [
    "an image in a private network",
    edit({ image: "https://10.0.0.1/a.png" }, text),
    "input.messages[0].content[0].image",
  ],
  ["a data URL", edit({ image: "data:image/png;base64,AAAA" }, text), "input.messages[0].content[0].image"],
  ["a size with x", alpha([text], { size: "1024x1024" }), "parameters.size"],
  ["an unknown size", alpha([text], { size: "1*1" }), "parameters.size"],
  ["two images per request", alpha([text], { n: 2 }), "parameters.n"],
  ["none", alpha([text], { n: 0 }), "parameters.n"],
  ["n as text", alpha([text], { n: "1" }), "parameters.n"],
  ["a negative seed", alpha([text], { seed: -1 }), "parameters.seed"],
  ["a seed with a fraction", alpha([text], { seed: 1.5 }), "parameters.seed"],
  ["a watermark as text", alpha([text], { watermark: "yes" }), "parameters.watermark"],
  ["prompt_extend as a number", alpha([text], { prompt_extend: 1 }), "parameters.prompt_extend"],
  ["negative_prompt as a list", alpha([text], { negative_prompt: [] }), "parameters.negative_prompt"],
  ["no messages", { model: "alpha", input: { messages: [] } }, "input.messages"],
  ["no input", { model: "alpha" }, "input"],
  [
    "role system",
    { model: "alpha", input: { messages: [{ role: "system", content: [text] }] } },
    "input.messages[0].role",
  ],
  [
    "two messages",
    { model: "alpha", input: { messages: [1, 2].map(() => ({ role: "user", content: [text] })) } },
    "input.messages",
  ],
  ["images for a model that accepts none", draw("seedream", { image: [], size: "1K" }), "size"],
  ["an http image URL in a list", draw("grok", { image: [image, "http://example.com/b.png"] }), "image[1]"],
  ["five images of a model limited to four", draw("gemini", { n: 5 }), "n"],
];
for (const [what, body, param] of refused) {
  test(`rejects ${what}, naming ${param}`, () => {
    assert.throws(
      () => read(body),
      (error: unknown) => {
        const named = error instanceof UpstreamFailure ? error.reported?.param : (error as GatewayError).param;
        assert.ok(error instanceof UpstreamFailure || error instanceof GatewayError);
        assert.equal(named, param);
        return true;
      },
    );
  });
}

const alphaDefaults = { prompt_extend: true, watermark: false };
const taken: [what: string, body: Record<string, unknown>, expected: Partial<ImageRequest>][] = [
  ["alpha's defaults", alpha([text]), { count: 1, delivery: "url", options: alphaDefaults }],
  ["alpha's joined texts", alpha([text, { text: "a dog" }]), { prompt: "a cat\na dog" }],
  [
    "alpha's parameters",
    alpha([text], { size: "1664*928", n: 1, seed: 0, watermark: true, negative_prompt: "dog", prompt_extend: false }),
    { size: "1664*928", options: { seed: 0, watermark: true, negative_prompt: "dog", prompt_extend: false } },
  ],
  [
    "null values, which count as absent",
    alpha([text], { size: null, seed: null }),
    { size: undefined, options: alphaDefaults },
  ],
  [
    "images in order",
    edit({ image: `${image}?1` }, text, { image: `${image}?2` }),
    {
      references: [
        { type: "url", url: `${image}?1` },
        { type: "url", url: `${image}?2` },
      ],
    },
  ],
  [
    "an exempt address",
    edit({ image: "http://127.0.0.1:9/a.png" }, text),
    {
      references: [{ type: "url", url: "http://127.0.0.1:9/a.png" }],
    },
  ],
  ["gamma's inline default", draw("gamma", { size: "3840x1280" }), { size: "3840x1280", delivery: "inline" }],
  ["gamma's aliases", draw("gamma", { quality: "hd" }), { options: { quality: "high" } }],
  ["gamma's aliases", draw("gamma", { quality: "standard" }), { options: { quality: "medium" } }],
  [
    "delta's only quality",
    draw("delta", { quality: "hd", size: "auto", user: "u" }),
    { size: undefined, delivery: "url", options: { user: "u" } },
  ],
  [
    "seedream's own fields",
    draw("seedream", { size: "4K", watermark: true }),
    { size: "4K", options: { watermark: true } },
  ],
  [
    "grok's own fields",
    draw("grok", { aspect_ratio: "16:9", quality: "hd", n: 10 }),
    {
      count: 10,
      options: { aspect_ratio: "16:9", quality: "high" },
    },
  ],
  [
    "gemini's own fields",
    draw("gemini", { resolution: "4K", size: "auto" }),
    { size: undefined, options: { resolution: "4K" } },
  ],
];
for (const [index, [what, body, expected]] of taken.entries()) {
  test(`reads request ${index} by its family: ${what}`, () => {
    const request = read(body);
    for (const [name, value] of Object.entries(expected)) assert.deepEqual(request[name as keyof ImageRequest], value);
  });
}
