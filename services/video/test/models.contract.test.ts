import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { parseCatalog } from "@uag/catalog/parse";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import { readJsonObject } from "@uag/pipeline/request/body";
import { Caller } from "@uag/proto/common/v1/caller.ts";
import { findVideoModel, readVideoRequest, type VideoRequest, videoModelOf } from "../src/request/read.ts";

const file = new URL("../../../infra/config/catalog.yaml", import.meta.url);
const catalog = parseCatalog(readFileSync(file, "utf8"), {
  DASHSCOPE_API_KEY: "k",
  ARK_API_KEY: "k",
  XAI_API_KEY: "k",
});
const caller = Caller.fromPartial({ accountId: "a", keyId: "k" });
const guarded = { parse: (text: string): URL => new URL(text), leadsInside: () => false };
const read = (body: object): VideoRequest => {
  const { fields } = readJsonObject(Buffer.from(JSON.stringify(body)));
  return readVideoRequest(fields, findVideoModel(catalog, videoModelOf(fields), caller), guarded);
};

const prompt = "a boat";
const url = "https://example.com/a.png";
const media = (...types: string[]) => ({ prompt, media: types.map((type) => ({ type, url })) });

/** The input for each suffix, by version, as documented in the API. */
const inputs = {
  t2v: { prompt },
  i2v: { prompt, img_url: url },
  "i2v with audio": { prompt, img_url: url, audio_url: "https://example.com/a.mp3" },
  r2v: { prompt, reference_urls: [url] },
  "i2v of 2.7": media("first_frame"),
  "i2v of 2.7 with audio": media("first_frame", "driving_audio"),
  "r2v of 2.7": media("reference_image", "reference_video"),
} as const;
type Input = keyof typeof inputs;

interface Rules {
  readonly takes: readonly Input[];
  readonly resolutions: readonly string[];
  /** The provider's field of the resolution. */
  readonly reports: "size" | "resolution";
}

const all = ["480p", "720p", "1080p"];
const higher = ["720p", "1080p"];
const one = ["720p"];
const rows: Readonly<Record<string, Rules>> = {
  "beta2.5-t2v-preview": { takes: ["t2v"], resolutions: all, reports: "size" },
  "beta2.5-i2v-preview": { takes: ["i2v", "i2v with audio"], resolutions: all, reports: "resolution" },
  "beta2.6-t2v": { takes: ["t2v"], resolutions: higher, reports: "size" },
  "beta2.6-i2v": { takes: ["i2v", "i2v with audio"], resolutions: higher, reports: "resolution" },
  "beta2.6-i2v-flash": { takes: ["i2v", "i2v with audio"], resolutions: higher, reports: "resolution" },
  "beta2.6-r2v": { takes: ["r2v"], resolutions: higher, reports: "size" },
  "beta2.6-r2v-flash": { takes: ["r2v"], resolutions: higher, reports: "size" },
  "beta2.7-t2v": { takes: ["t2v"], resolutions: one, reports: "resolution" },
  "beta2.7-t2v-2026-04-15": { takes: ["t2v"], resolutions: one, reports: "resolution" },
  "beta2.7-t2v-2027-01-31": { takes: ["t2v"], resolutions: one, reports: "resolution" },
  "beta2.7-i2v": { takes: ["i2v of 2.7", "i2v of 2.7 with audio"], resolutions: one, reports: "resolution" },
  "beta2.7-i2v-2026-04-15": { takes: ["i2v of 2.7", "i2v of 2.7 with audio"], resolutions: one, reports: "resolution" },
  "beta2.7-r2v": { takes: ["r2v of 2.7"], resolutions: higher, reports: "resolution" },
};

const multi = { shot_type: "multi" };

const isRefused = (param: RegExp) => (error: unknown) =>
  error instanceof GatewayError && error.httpStatus === 400 && param.test(error.param ?? "");

for (const [model, { takes, resolutions, reports }] of Object.entries(rows)) {
  const [firstInput = "t2v"] = takes;
  const order = (more: object = {}): object => ({ model, duration: 5, input: inputs[firstInput], ...more });

  describe(`${model} accepts what its provider accepts, and nothing else`, () => {
    test("accepts only the input of its suffix and version", () => {
      for (const [name, input] of Object.entries(inputs)) {
        const body = order({ input });
        if (takes.includes(name as Input)) assert.deepEqual(read(body).body["input"], input);
        else assert.throws(() => read(body), isRefused(/^input/), name);
      }
      assert.throws(() => read(order({ input: undefined })), isRefused(/^input$/));
    });

    test("supports its resolutions, with defaults of 720p and 16:9", () => {
      for (const resolution of [...all, "4k", "720P"]) {
        const body = order({ resolution });
        if (resolutions.includes(resolution)) assert.equal(read(body).terms.resolution, resolution);
        else assert.throws(() => read(body), isRefused(/^resolution$/), resolution);
      }
      const { terms } = read(order());
      assert.deepEqual([terms.resolution, terms.aspectRatio, terms.seconds], ["720p", "16:9", 5]);
      assert.throws(() => read(order({ aspect_ratio: "17:9" })), isRefused(/^aspect_ratio$/));
    });

    test("requires a duration", () => {
      for (const duration of [undefined, null, 0, -5, 5.5, "5", 1e9]) {
        assert.throws(() => read(order({ duration })), isRefused(/^duration$/), String(duration));
      }
    });

    test("passes parameters on, fills in billed values, and rejects contradicting ones", () => {
      // In this line only 2.6 supports multiple shots.
      const passed = { prompt_extend: false, watermark: true, seed: 7, ...(model.startsWith("beta2.6") && multi) };
      const { parameters } = read(order({ parameters: passed })).body as { parameters: Record<string, unknown> };
      const reported = reports === "size" ? { size: "1280*720" } : { resolution: "720P" };
      const { ratio, ...rest } = parameters;
      assert.ok(ratio === undefined || ratio === "16:9");
      assert.deepEqual(rest, { ...passed, ...reported, duration: 5 });
      assert.deepEqual(read(order({ parameters: { ...reported, seed: 7, duration: 5 } })).body["parameters"], {
        ...reported,
        seed: 7,
        duration: 5,
        ...(ratio !== undefined && { ratio }),
      });
      for (const parameters of [{ duration: 10 }, { resolution: "1080P" }, { size: "1920*1080" }, { size: 5 }]) {
        const [name = ""] = Object.keys(parameters);
        assert.throws(() => read(order({ parameters })), isRefused(new RegExp(`^parameters.${name}$`)));
      }
    });
  });
}
