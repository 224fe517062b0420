import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { parseCatalog } from "@uag/catalog/parse";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import { readJsonObject } from "@uag/pipeline/request/body";
import { Caller } from "@uag/proto/common/v1/caller.ts";
import { findVideoModel, readVideoRequest, type VideoRequest, videoModelOf } from "../request/read.ts";

const priced = { "2.5": "480p: 0.05, 720p: 0.1, 1080p: 0.15", "2.6": "720p: 0.1, 1080p: 0.15", "2.7": "720p: 0.1" };
const row = (id: string, upstream: string, price: string): string => `
  - id: ${id}
    owned_by: test
    created: 2026-01-01
    operations: [videos.generations]
    output: [video]
    price: { video_seconds: { ${price} } }
    upstreams: [{ provider: dashscope, model: ${upstream} }]`;
const catalog = parseCatalog(
  `providers:
  dashscope: { protocol: dashscope, base_url: http://127.0.0.1:1, api_key: k }
models:${[
    row("beta2.5-t2v-preview", "wan2.5-t2v-preview", priced["2.5"]),
    row("beta2.5-i2v-preview", "wan2.5-i2v-preview", priced["2.5"]),
    row("beta2.6-t2v", "wan2.6-t2v", priced["2.6"]),
    row("beta2.6-i2v", "wan2.6-i2v", priced["2.6"]),
    row("beta2.6-i2v-flash", "wan2.6-i2v-flash", "720p: 0.05, 720p-silent: 0.025"),
    row("beta2.6-r2v", "wan2.6-r2v", priced["2.6"]),
    row("beta2.7-t2v", "wan2.7-t2v", priced["2.7"]),
    row("beta2.7-i2v", "wan2.7-i2v", priced["2.7"]),
    row("beta2.7-r2v", "wan2.7-r2v", priced["2.7"]),
    row("happyhorse-1.0-r2v", "happyhorse-1.0-r2v", priced["2.6"]),
  ].join("")}`,
  {},
);

const guarded = {
  parse(text: string): URL {
    return new URL(text);
  },
  leadsInside: () => false,
};
const caller = Caller.fromPartial({ accountId: "a", keyId: "k" });
const read = (body: object): VideoRequest => {
  const { fields } = readJsonObject(Buffer.from(JSON.stringify(body)));
  return readVideoRequest(fields, findVideoModel(catalog, videoModelOf(fields), caller), guarded);
};

const picture = "https://example.com/a.png";
const prompt = "a boat";
const taken: readonly (readonly [title: string, body: object, sent: object])[] = [
  [
    "2.6 text with a size from resolution and aspect ratio",
    { model: "beta2.6-t2v", duration: 10, resolution: "1080p", aspect_ratio: "9:16", input: { prompt } },
    { size: "1080*1920", duration: 10 },
  ],
  [
    "the default resolution of 720p",
    { model: "beta2.6-t2v", duration: 5, input: { prompt } },
    { size: "1280*720", duration: 5 },
  ],
  [
    "a size of another aspect ratio when none was requested",
    { model: "beta2.6-t2v", duration: 5, input: { prompt }, parameters: { size: "720*1280", shot_type: "multi" } },
    { size: "720*1280", shot_type: "multi", duration: 5 },
  ],
  [
    "2.5 makes 480p",
    { model: "beta2.5-t2v-preview", duration: 5, resolution: "480p", input: { prompt } },
    { size: "832*480", duration: 5 },
  ],
  [
    "2.6 image with a size as the provider's resolution",
    { model: "beta2.6-i2v", duration: 5, input: { prompt, img_url: picture }, parameters: { size: "1280*720" } },
    { resolution: "720P", duration: 5 },
  ],
  [
    "2.6 references",
    { model: "beta2.6-r2v", duration: 5, input: { prompt, reference_urls: [picture] } },
    { size: "1280*720", duration: 5 },
  ],
  [
    "2.7 with the resolution in upper case, and the ratio",
    { model: "beta2.7-t2v", duration: 2, aspect_ratio: "1:1", input: { prompt }, parameters: { watermark: true } },
    { resolution: "720P", ratio: "1:1", duration: 2, watermark: true },
  ],
  [
    "a dated id with the rules of the undated one",
    { model: "beta2.7-i2v-2026-09-01", duration: 5, input: { media: [{ type: "first_frame", url: picture }] } },
    { resolution: "720P", duration: 5 },
  ],
  [
    "a first frame with driving audio",
    {
      model: "beta2.7-i2v",
      duration: 5,
      input: {
        prompt,
        media: [
          { type: "first_frame", url: picture },
          { type: "driving_audio", url: "https://example.com/a.mp3" },
        ],
      },
      parameters: { resolution: "720P", duration: 5, prompt_extend: false },
    },
    { resolution: "720P", duration: 5, prompt_extend: false },
  ],
  [
    "happyhorse with nine reference images and a default duration",
    {
      model: "happyhorse-1.0-r2v",
      input: { prompt, media: Array.from({ length: 9 }, () => ({ type: "reference_image", url: picture })) },
    },
    { resolution: "720P", ratio: "16:9", duration: 5 },
  ],
];

describe("sends valid requests to the provider with all billed settings", () => {
  for (const [title, body, sent] of taken) {
    test(`sends ${title} in the model's format`, () => {
      const request = read(body);
      const { seed, ...parameters } = request.body["parameters"] as { seed: number };
      assert.deepEqual(parameters, sent);
      assert.ok(Number.isInteger(seed) && seed === request.seed, "no seed was chosen");
      assert.deepEqual(request.body["input"], (body as { input: unknown }).input);
    });
  }
});

const t2v = { model: "beta2.6-t2v", duration: 5, input: { prompt } };

describe("never fails a task over a parameter that the contract lists for these models", () => {
  const named = { audio: true, shot_type: "multi", seed: 7, prompt_extend: true };
  const left: readonly (readonly [model: string, input: object, omitted: readonly string[]])[] = [
    ["beta2.6-t2v", { prompt }, ["audio"]],
    ["beta2.6-i2v", { prompt, img_url: picture }, ["audio"]],
    ["beta2.6-i2v-flash", { prompt, img_url: picture }, []],
    ["beta2.7-t2v", { prompt }, ["audio", "shot_type"]],
  ];
  for (const [model, input, omitted] of left) {
    test(`${model} omits ${omitted.join(" and ") || "nothing"}, reports it, and keeps other parameters`, () => {
      const request = read({ model, duration: 5, input, parameters: { ...named, size: "1280*720", watermark: null } });
      const sent = request.body["parameters"] as object;
      assert.deepEqual(request.omitted, omitted);
      for (const [name, value] of Object.entries(named))
        assert.equal(Reflect.get(sent, name), omitted.includes(name) ? undefined : value, name);
      assert.equal("watermark" in sent, false);
      assert.equal(request.seed, 7);
    });
  }
});

const refused: readonly (readonly [title: string, body: object, param: string])[] = [
  ["no duration", { ...t2v, duration: undefined }, "duration"],
  ["a duration of 0", { ...t2v, duration: 0 }, "duration"],
  ["a duration as text", { ...t2v, duration: "5" }, "duration"],
  ["a duration of a billion", { ...t2v, duration: 1e9 }, "duration"],
  ["a fractional duration", { ...t2v, duration: 5.5 }, "duration"],
  ["7 seconds from 2.5", { ...t2v, model: "beta2.5-t2v-preview", duration: 7 }, "duration"],
  ["480p from 2.7", { ...t2v, model: "beta2.7-t2v", resolution: "480p" }, "resolution"],
  ["480p from 2.6", { ...t2v, resolution: "480p" }, "resolution"],
  ["1080p from a 720p model", { ...t2v, model: "beta2.7-t2v", resolution: "1080p" }, "resolution"],
  ["an unknown aspect ratio", { ...t2v, aspect_ratio: "2:1" }, "aspect_ratio"],
  ["an unknown shot type", { ...t2v, parameters: { shot_type: "wide" } }, "parameters.shot_type"],
  ["no input", { ...t2v, input: undefined }, "input"],
  ["no prompt", { ...t2v, input: {} }, "input.prompt"],
  ["references for a text model", { ...t2v, input: { prompt, reference_urls: [picture] } }, "input.reference_urls"],
  ["media for a text model", { ...t2v, model: "beta2.7-t2v", input: { prompt, media: [] } }, "input.media"],
  ["an image model without its image", { ...t2v, model: "beta2.6-i2v" }, "input.img_url"],
  ["2.6 fields for 2.7", { ...t2v, model: "beta2.7-i2v", input: { prompt, img_url: picture } }, "input.media"],
  [
    "2.7 image without a first frame",
    { ...t2v, model: "beta2.7-i2v", input: { prompt, media: [{ type: "driving_audio", url: picture }] } },
    "input.media",
  ],
  [
    "a media item of unknown type",
    { ...t2v, model: "beta2.7-r2v", input: { prompt, media: [{ type: "hologram", url: picture }] } },
    "input.media[0].type",
  ],
  ["no references", { ...t2v, model: "beta2.6-r2v" }, "input.reference_urls"],
  [
    "ten references for happy",
    {
      model: "happyhorse-1.0-r2v",
      input: { prompt, media: Array.from({ length: 10 }, () => ({ type: "reference_image", url: picture })) },
    },
    "input.media",
  ],
  ["parameters that are not an object", { ...t2v, parameters: [] }, "parameters"],
  ["another duration in parameters", { ...t2v, parameters: { duration: 10 } }, "parameters.duration"],
  ["a larger size in parameters", { ...t2v, parameters: { size: "1920*1080" } }, "parameters.size"],
  [
    "a smaller size in parameters",
    { ...t2v, resolution: "1080p", parameters: { size: "1280*720" } },
    "parameters.size",
  ],
  [
    "another resolution in parameters",
    { ...t2v, model: "beta2.7-t2v", parameters: { resolution: "1080P" } },
    "parameters.resolution",
  ],
  [
    "another aspect ratio in parameters",
    { ...t2v, aspect_ratio: "16:9", parameters: { size: "720*1280" } },
    "parameters.size",
  ],
  ["an unknown model", { ...t2v, model: "beta9" }, "model"],
  ["a dated id of an undated family", { ...t2v, model: "beta2.6-t2v-2026-01-01" }, "model"],
];

describe("rejects requests that the model does not support or that contradict what is billed", () => {
  for (const [title, body, param] of refused) {
    test(`rejects ${title}, naming the field`, () =>
      assert.throws(
        () => read(body),
        (error) => error instanceof GatewayError && error.httpStatus === 400 && error.param === param,
      ));
  }
});

test("only a model with a silent price is cheaper without audio", () => {
  const silent = (model: string, input: object): readonly string[] =>
    read({ model, duration: 5, input, parameters: { audio: false } }).terms.variants;
  assert.deepEqual(silent("beta2.6-i2v-flash", { img_url: picture }), ["silent"]);
  assert.deepEqual(silent("beta2.6-t2v", { prompt }), []);
});
