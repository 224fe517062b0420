import assert from "node:assert/strict";
import { test } from "node:test";
import { parseCatalog } from "@uag/catalog/parse";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import { readJsonObject } from "@uag/pipeline/request/body";
import { findModel } from "@uag/pipeline/request/find-model";
import { modelOf } from "@uag/pipeline/request/model-of";
import { Caller } from "@uag/proto/common/v1/caller.ts";
import { readSpeechRequest } from "./read.ts";

const catalog = parseCatalog(
  `providers: { p: { protocol: dashscope, base_url: "http://127.0.0.1:9", api_key: k } }
models:
  - &flash
    id: flash
    owned_by: o
    created: 0
    operations: [audio.speech]
    speech: { formats: [mp3, wav], segment_characters: 600, ideograph_weight: 2, voices: [Cherry, Ethan, Eldric Sage] }
    price: { characters: 1 }
    upstreams: [{ provider: p }]
  - { <<: *flash, id: instruct, speech: { formats: [wav], fixed_format: true, instructions: true, segment_characters: 600, voices: [Cherry] } }`,
  {},
);
const read = (fields: object, maxHeldBytes = 1_000_000) => {
  const body = readJsonObject(Buffer.from(JSON.stringify({ model: "flash", input: "Hi 你", ...fields })));
  const model = findModel(catalog, modelOf(body), Caller.fromPartial({}), "audio.speech");
  return readSpeechRequest(body.fields, model, { maxCharacters: 10, maxHeldBytes });
};

const good: [what: string, fields: object, expected: object][] = [
  ["required fields only", {}, { voice: "Cherry", format: "mp3", characters: 5, instructions: undefined }],
  ["a voice", { voice: "Ethan" }, { voice: "Ethan" }],
  ["a voice in other capitals", { voice: "eldric sage" }, { voice: "Eldric Sage" }],
  ["an empty voice", { voice: "" }, { voice: "Cherry" }],
  ["OpenAI's voices", { voice: "alloy" }, { voice: "Cherry" }],
  ["OpenAI's voices in capitals", { voice: "Nova" }, { voice: "Cherry" }],
  ["Azure's voices", { voice: "en-US-JennyNeural" }, { voice: "Cherry" }],
  ["Google's voices", { voice: "zh-CN-Wavenet-A" }, { voice: "Cherry" }],
  ["ByteDance's voices", { voice: "zh_female_wanwan" }, { voice: "Cherry" }],
  ["ElevenLabs' ids", { voice: "21m00Tcm4TlvDq8ikWAM" }, { voice: "Cherry" }],
  ["wav", { response_format: "wav" }, { format: "wav" }],
  ["any speed", { speed: 99 }, {}],
  ["nulls", { voice: null, response_format: null, instructions: null, speed: null }, { format: "mp3" }],
  ["another format where it has no effect", { model: "instruct", response_format: "flac" }, { format: "wav" }],
  [
    "instructions for a model that supports them",
    { model: "instruct", instructions: "slowly" },
    { instructions: "slowly" },
  ],
  ["ten characters", { input: "你好世界你" }, { characters: 10 }],
];
for (const [what, fields, expected] of good) {
  test(`reads a request with ${what}`, () => {
    const request = read(fields);
    for (const [name, value] of Object.entries(expected))
      assert.deepEqual(request[name as keyof typeof request], value, name);
  });
}

const bad: [what: string, fields: object, param: string][] = [
  ["eleven characters", { input: "你好世界你a" }, "input"],
  ["an unknown voice with dashes", { voice: "no-such-voice" }, "voice"],
];
for (const [what, fields, param] of bad) {
  test(`rejects ${what}, naming the field`, () => {
    assert.throws(
      () => read(fields),
      (error) => error instanceof GatewayError && error.code === "invalid_request" && error.param === param,
    );
  });
}

test("rejects a WAV file that would exceed the memory share before requesting it, but not MP3, which is streamed", () => {
  // Four to five characters are about a third of a second.
  for (const model of ["flash", "instruct"])
    assert.throws(() => read({ model, response_format: "wav" }, 12_000), { httpStatus: 400, param: "input" });
  assert.equal(read({ response_format: "wav" }, 16_000).format, "wav");
  assert.equal(read({}, 12_000).format, "mp3");
});
