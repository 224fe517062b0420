import assert from "node:assert/strict";
import { test } from "node:test";
import { parseCatalog } from "@uag/catalog/parse";
import type { Upstream } from "@uag/catalog/types";
import { openAiModerations } from "./moderations.ts";

const catalog = parseCatalog(
  `providers: { openai: { protocol: openai, base_url: "http://127.0.0.1:9/v1", api_key: sk-secret } }
models: [{ id: public-name, owned_by: o, created: 0, operations: [moderations], price: {},
  upstreams: [{ provider: openai, model: omni-moderation-latest }] }]`,
  {},
);
const at = catalog.models.get("public-name")?.upstreams[0] as Upstream;
const call = { requestId: "req_1", body: Buffer.from('{"input": ["a", "b"]}'), model: "public-name", results: 2 };
const decode = (body: string) => String(openAiModerations.decode(Buffer.from(body), call, at, () => undefined));

test("a moderation request is sent as received, with the upstream's model", () => {
  const { path, body } = openAiModerations.encode(call, at);
  assert.deepEqual([path, String(body)], ["/moderations", '{"input": ["a", "b"],"model":"omni-moderation-latest"}']);
});

test("a moderation response is returned as received, with the public model", () => {
  const body = (model: string) => `{"id":"modr-1", "model": "${model}", "results": [{"score": 1.50e-7}, {}]}`;
  assert.equal(decode(body("omni-moderation-latest")), body("public-name"));
});

test("a moderation response without a result for each text is a temporary failure", () => {
  for (const body of ['{"results": [{}]}', '{"results": 2}', "[]"])
    assert.throws(() => decode(body), { name: "UpstreamFailure", kind: "transient" });
});

test("an error under status 200 is reported as the provider's error", () => {
  const body = '{"error": {"message": "bad image", "type": "invalid_request_error", "code": "image_parse_error"}}';
  assert.throws(() => decode(body), { name: "UpstreamFailure", kind: "client" });
});
