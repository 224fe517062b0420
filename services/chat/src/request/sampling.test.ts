import assert from "node:assert/strict";
import { test } from "node:test";
import { parseCatalog } from "@uag/catalog/parse";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import { readJsonObject } from "@uag/pipeline/request/body";
import { readChatRequest } from "./chat-request.ts";
import { opaque } from "./opaque.ts";
import { readResponsesRequest } from "./responses-request.ts";

const catalog = parseCatalog(
  `providers: { p: { protocol: openai, base_url: "http://127.0.0.1:1", api_key: k } }
models:
  - &m { id: on-request, owned_by: o, created: 0, operations: [chat.completions], context_tokens: 9, max_output_tokens: 9, price: { input_tokens: 1, output_tokens: 1 }, upstreams: [{ provider: p }], reasoning: { efforts: [none, low], default_effort: none } }
  - { <<: *m, id: by-default, reasoning: { efforts: [none, low] } }
  - { <<: *m, id: always, reasoning: { efforts: [low], sampling: [temperature] } }
  - { <<: *m, id: in-the-open, reasoning: { efforts: [low], shown: true, sampling: all } }`,
  {},
);

const sampling = { temperature: 0.5, logprobs: true, top_logprobs: 2, stop: ["x"], presence_penalty: 1 };
const taken = { temperature: 0.5, logprobs: true, top_logprobs: 2 };

function sentToChat(model: string, more: object): object {
  const request = { model, messages: [{ role: "user", content: "Hi" }], ...sampling, ...more };
  const json = readJsonObject(Buffer.from(JSON.stringify(request)), { opaque });
  const { body, fields } = readChatRequest(json, catalog.models.get(model) ?? assert.fail());
  assert.deepEqual(JSON.parse(body.toString()), fields, "the bytes match the fields");
  return Object.fromEntries(Object.entries(fields).filter(([name]) => name in sampling));
}

const chatCases: readonly [title: string, model: string, more: object, sent: object][] = [
  ["a model that reasons only on request", "on-request", {}, taken],
  ["a model asked not to reason", "by-default", { reasoning_effort: "none" }, taken],
  ["a model asked to reason", "on-request", { reasoning_effort: "low" }, {}],
  ["a model that reasons by default", "by-default", {}, {}],
  ["a model that cannot be asked not to reason", "always", { reasoning_effort: "none" }, {}],
  ["a model whose provider supports all parameters", "in-the-open", {}, sampling],
];

for (const [title, model, more, sent] of chatCases) {
  test(`chat passes ${Object.keys(sent).length} of 5 sampling parameters to ${title}`, () => {
    assert.deepEqual(sentToChat(model, more), sent);
  });
}

test("chat checks the sampling parameters that it passes, and no others", () => {
  assert.throws(() => sentToChat("on-request", { temperature: 3 }), GatewayError);
  assert.throws(() => sentToChat("on-request", { logprobs: null }), GatewayError, "top_logprobs requires logprobs");
  assert.deepEqual(sentToChat("by-default", { temperature: 3 }), {});
});

test("responses pass the sampling parameters that the model supports", () => {
  const sent = (model: string, reasoning?: object): object => {
    const request = { model, input: "Hi", temperature: 0.5, top_p: 0.9, reasoning };
    const json = readJsonObject(Buffer.from(JSON.stringify(request)), { opaque });
    const { temperature, top_p } = readResponsesRequest(json, catalog.models.get(model) ?? assert.fail()).fields;
    return { temperature, top_p };
  };
  assert.deepEqual(sent("on-request"), { temperature: 0.5, top_p: 0.9 });
  assert.deepEqual(sent("on-request", { effort: "low" }), { temperature: undefined, top_p: undefined });
  assert.deepEqual(sent("by-default", { effort: "none" }), { temperature: 0.5, top_p: 0.9 });
  assert.deepEqual(sent("always"), { temperature: 0.5, top_p: undefined });
});
