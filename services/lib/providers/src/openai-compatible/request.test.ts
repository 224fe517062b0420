import assert from "node:assert/strict";
import { test } from "node:test";
import { firstUpstream, testCall, testModel } from "../../test/support.ts";
import { dashScopeVariant } from "../dashscope/variant.ts";
import { encodeChat } from "./request.ts";
import { openAiVariant } from "./variant.ts";

const plain = testModel();
const encode = (body: string, model = plain, more = {}) =>
  encodeChat(testCall(body, model, more), firstUpstream(model), openAiVariant);
const sent = (body: string, model = plain, more = {}): string => encode(body, model, more).body.toString();

const cases: [what: string, body: string, sent: string, model?: typeof plain, more?: object][] = [
  ["the model's name there", '{"model":"m","x":9007199254740993}', '{"model":"real","x":9007199254740993}'],
  ["no other change without a stream", '{ "model" : "m" , "max_tokens": 5}', '{ "model" : "real" , "max_tokens": 5}'],
  [
    "usage is asked of a stream",
    '{"model":"m","stream":true}',
    '{"model":"real","stream":true,"stream_options":{"include_usage":true}}',
  ],
  [
    "beside other stream options",
    '{"stream_options":{"a":1e2},"model":"m","stream":true}',
    '{"stream_options":{"a":1e2,"include_usage":true},"model":"real","stream":true}',
  ],
  [
    "against the client's false",
    '{"stream_options":{"include_usage":false},"model":"m","stream":true}',
    '{"stream_options":{"include_usage":true},"model":"real","stream":true}',
  ],
  [
    "in place of null",
    '{"stream_options":null,"model":"m","stream":true}',
    '{"stream_options":{"include_usage":true},"model":"real","stream":true}',
  ],
  [
    "not again when the client asks",
    '{"stream_options":{"include_usage":true},"model":"m","stream":true}',
    '{"stream_options":{"include_usage":true},"model":"real","stream":true}',
  ],
];
const newCap = testModel("    output_cap_field: max_completion_tokens");
const oldCap = testModel("    output_cap_field: max_tokens");
cases.push(
  ["the cap under its new name", '{"model":"m","max_tokens":5}', '{"model":"real","max_completion_tokens":5}', newCap],
  ["the cap under its old name", '{"model":"m","max_completion_tokens":5}', '{"model":"real","max_tokens":5}', oldCap],
  [
    "of two caps the newer",
    '{"max_tokens":7,"model":"m","max_completion_tokens":5}',
    '{"model":"real","max_tokens":5}'.replace('"model":"real","max_tokens":5', '"max_tokens":5,"model":"real"'),
    oldCap,
  ],
  [
    "null is no cap",
    '{"model":"m","max_completion_tokens":null,"max_tokens":5}',
    '{"model":"real","max_completion_tokens":5}',
    newCap,
  ],
  ["no cap stays none", '{"model":"m"}', '{"model":"real"}', newCap],
  ["an affordable cap", '{"model":"m"}', '{"model":"real","max_tokens":42}', plain, { outputCap: 42 }],
  [
    "an affordable cap by its new name",
    '{"model":"m"}',
    '{"model":"real","max_completion_tokens":42}',
    newCap,
    { outputCap: 42 },
  ],
  [
    "a stream from a model that only streams",
    '{"model":"m"}',
    '{"model":"real","stream":true,"stream_options":{"include_usage":true}}',
    testModel("    stream_only: true"),
  ],
);
for (const [what, body, expected, model, more] of cases) {
  test(`upstream request: ${what}`, () => assert.equal(sent(body, model, more), expected));
}

test("the key, the content type and the request's id go along, and the path is the variant's", () => {
  const { path, headers } = encode('{"model":"m"}');
  assert.equal(path, "/chat/completions");
  assert.deepEqual(headers, [
    "authorization",
    "Bearer sk-secret-key",
    "content-type",
    "application/json",
    "accept-encoding",
    "identity",
    "x-client-request-id",
    "req_1",
  ]);
  assert.equal(
    encodeChat(testCall('{"model":"m"}', plain), firstUpstream(plain), dashScopeVariant).path,
    "/compatible-mode/v1/chat/completions",
  );
});

const qwen = testModel("", "dashscope");
const toQwen = (body: object): Record<string, unknown> => {
  const { body: bytes } = encodeChat(testCall(JSON.stringify(body), qwen), firstUpstream(qwen), dashScopeVariant);
  return JSON.parse(bytes.toString()) as Record<string, unknown>;
};

test("what DashScope has other words for is said in them", () => {
  const messages = [{ role: "developer", content: "x" }];
  assert.deepEqual(toQwen({ model: "m", messages })["messages"], [{ role: "system", content: "x" }]);
  const f = { type: "function", function: { name: "f" } };
  const choice = (tools: object[], more = {}) =>
    toQwen({ model: "m", messages, tools, tool_choice: "required", ...more })["tool_choice"];
  assert.deepEqual(choice([f]), f);
  assert.equal(
    choice([f, { type: "function", function: { name: "g" } }]),
    "required",
    "what cannot be said is refused there",
  );
  assert.equal(choice([f], { enable_thinking: true }), "required");
});
