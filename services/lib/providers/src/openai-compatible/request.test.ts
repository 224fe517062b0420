import assert from "node:assert/strict";
import { test } from "node:test";
import { firstUpstream, testCall, testModel } from "../../test/support.ts";
import { dashScopeVariant } from "../dashscope/variant.ts";
import { messagesFormat } from "../formats/messages/format.ts";
import { generationAdapter } from "../registry.ts";
import { encodeChat } from "./request.ts";
import { openAiVariant } from "./variant.ts";

const plain = testModel();
const encode = (body: string, model = plain, more = {}) =>
  encodeChat(testCall(body, model, more), firstUpstream(model), openAiVariant);
const sent = (body: string, model = plain, more = {}): string => encode(body, model, more).body.toString();

const cases: [what: string, body: string, sent: string, model?: typeof plain, more?: object][] = [
  ["the model's name at the upstream", '{"model":"m","x":9007199254740993}', '{"model":"real","x":9007199254740993}'],
  ["no other change without a stream", '{ "model" : "m" , "max_tokens": 5}', '{ "model" : "real" , "max_tokens": 5}'],
  [
    "usage requested for a stream",
    '{"model":"m","stream":true}',
    '{"model":"real","stream":true,"stream_options":{"include_usage":true}}',
  ],
  [
    "usage requested in addition to other stream options",
    '{"stream_options":{"a":1e2},"model":"m","stream":true}',
    '{"stream_options":{"a":1e2,"include_usage":true},"model":"real","stream":true}',
  ],
  [
    "usage requested although the client sent false",
    '{"stream_options":{"include_usage":false},"model":"m","stream":true}',
    '{"stream_options":{"include_usage":true},"model":"real","stream":true}',
  ],
  [
    "usage requested in place of null",
    '{"stream_options":null,"model":"m","stream":true}',
    '{"stream_options":{"include_usage":true},"model":"real","stream":true}',
  ],
  [
    "unchanged when the client requests usage itself",
    '{"stream_options":{"include_usage":true},"model":"m","stream":true}',
    '{"stream_options":{"include_usage":true},"model":"real","stream":true}',
  ],
];
const newCap = testModel("    output_cap_field: max_completion_tokens");
const oldCap = testModel("    output_cap_field: max_tokens");
cases.push(
  [
    "the output cap under its new name",
    '{"model":"m","max_tokens":5}',
    '{"model":"real","max_completion_tokens":5}',
    newCap,
  ],
  [
    "the output cap under its old name",
    '{"model":"m","max_completion_tokens":5}',
    '{"model":"real","max_tokens":5}',
    oldCap,
  ],
  [
    "the newer of two output caps",
    '{"max_tokens":7,"model":"m","max_completion_tokens":5}',
    '{"model":"real","max_tokens":5}'.replace('"model":"real","max_tokens":5', '"max_tokens":5,"model":"real"'),
    oldCap,
  ],
  [
    "null as no output cap",
    '{"model":"m","max_completion_tokens":null,"max_tokens":5}',
    '{"model":"real","max_completion_tokens":5}',
    newCap,
  ],
  ["no output cap added when the client sends none", '{"model":"m"}', '{"model":"real"}', newCap],
  [
    "an output cap that the balance covers",
    '{"model":"m"}',
    '{"model":"real","max_tokens":42}',
    plain,
    { outputCap: 42 },
  ],
  [
    "an output cap that the balance covers, under its new name",
    '{"model":"m"}',
    '{"model":"real","max_completion_tokens":42}',
    newCap,
    { outputCap: 42 },
  ],
  [
    "a stream requested from a model that only streams",
    '{"model":"m"}',
    '{"model":"real","stream":true,"stream_options":{"include_usage":true}}',
    testModel("    stream_only: true"),
  ],
);
for (const [what, body, expected, model, more] of cases) {
  test(`the upstream request has ${what}`, () => assert.equal(sent(body, model, more), expected));
}

test("sends the key, content type and request id to the variant's path", () => {
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

test("renames fields for DashScope", () => {
  const messages = [{ role: "developer", content: "x" }];
  assert.deepEqual(toQwen({ model: "m", messages })["messages"], [{ role: "system", content: "x" }]);
  const f = { type: "function", function: { name: "f" } };
  const choice = (tools: object[], more = {}) =>
    toQwen({ model: "m", messages, tools, tool_choice: "required", ...more })["tool_choice"];
  assert.deepEqual(choice([f]), f);
  assert.equal(
    choice([f, { type: "function", function: { name: "g" } }]),
    "required",
    "a choice that DashScope cannot express is passed on, for it to reject",
  );
  assert.equal(choice([f], { enable_thinking: true }), "required");
});

test("fields that the provider rejects are left out, and the cap is sent under its older name", async () => {
  const upstream = firstUpstream(plain);
  const unsupportedFields = new Set(["stream_options", "max_completion_tokens", "user"]);
  const strict = { ...upstream, provider: { ...upstream.provider, unsupportedFields } };
  const body =
    '{"model":"m","stream":true,"stream_options":{"include_usage":true},"max_completion_tokens":7,"user":"u"}';
  const call = testCall(body, plain);
  assert.equal(
    encodeChat(call, strict, openAiVariant).body.toString(),
    '{"model":"real","stream":true,"max_tokens":7}',
  );
  const lowered = encodeChat({ ...call, outputCap: 5 }, strict, openAiVariant).body.toString();
  assert.equal(JSON.parse(lowered).max_tokens, 5);
  const adapter = generationAdapter(messagesFormat, strict) ?? assert.fail();
  const message = '{"model":"m","max_tokens":7,"stream":true,"messages":[{"role":"user","content":"Hi"}]}';
  const translated = await adapter.encode(testCall(message, plain), strict, new AbortController().signal);
  const { stream_options: options, max_tokens: cap } = JSON.parse(translated.body.toString());
  assert.deepEqual([options, cap], [undefined, 7]);
});
