import assert from "node:assert/strict";
import { test } from "node:test";
import { parseCatalog } from "@uag/catalog/parse";
import type { Upstream } from "@uag/catalog/types";
import { testCall } from "../../test/support.ts";
import { chatFormat } from "../formats/chat/format.ts";
import { geminiFormat } from "../formats/gemini/format.ts";
import { messagesFormat } from "../formats/messages/format.ts";
import { responsesFormat } from "../formats/responses/format.ts";
import { generationAdapter } from "../registry.ts";
import { azure } from "./provider.ts";

function upstreamOf(fields: string): Upstream {
  const yaml = `
providers: { az: { protocol: azure, base_url: "https://r.openai.azure.com/openai", api_key: azure-key, ${fields} } }
models:
  - id: m
    owned_by: o
    created: 0
    operations: [chat.completions]
    context_tokens: 1000
    max_output_tokens: 100
    price: { input_tokens: 1, output_tokens: 2 }
    upstreams: [{ provider: az, model: my deployment }]`;
  const model = parseCatalog(yaml, {}).models.get("m");
  return model?.upstreams[0] ?? assert.fail();
}

const model = parseCatalog(
  `providers: { p: { protocol: openai, base_url: "http://p.test", api_key: k } }
models:
  - { id: m, owned_by: o, created: 0, operations: [chat.completions], context_tokens: 1000, max_output_tokens: 100, price: { input_tokens: 1, output_tokens: 2 }, upstreams: [{ provider: p }] }`,
  {},
).models.get("m");
const chat = testCall('{"model":"m","messages":[{"role":"user","content":"Hi"}]}', model ?? assert.fail());
const signal = new AbortController().signal;
const headerIn = (headers: readonly string[], name: string) => headers[headers.indexOf(name) + 1];

test("the v1 API gets the deployment as the model, and the key in the header api-key", async () => {
  for (const format of [chatFormat, messagesFormat, responsesFormat, geminiFormat]) {
    const call = await generationAdapter(format, upstreamOf(""))?.encode(chat, upstreamOf(""), signal);
    assert.equal(call?.path, "/chat/completions");
    assert.equal(JSON.parse(String(call?.body)).model, "my deployment");
    assert.equal(headerIn(call?.headers ?? [], "api-key"), "azure-key");
    assert.ok(!call?.headers.includes("authorization"));
  }
});

test("with an api-version the deployment is in the path", async () => {
  const dated = upstreamOf("api_version: 2024-10-21");
  const call = await generationAdapter(chatFormat, dated)?.encode(chat, dated, signal);
  assert.equal(call?.path, "/deployments/my%20deployment/chat/completions?api-version=2024-10-21");
  const traits = { dimensions: 3, sizes: undefined, tokenInput: false };
  const embedded = azure.embeddings?.encode(
    { requestId: "r", inputs: ["a"], dimensions: undefined, traits } as never,
    dated,
  );
  assert.equal(embedded?.path, "/deployments/my%20deployment/embeddings?api-version=2024-10-21");
  assert.equal(azure.ownModels?.pathOf(dated.provider), "/models?api-version=2024-10-21");
});

test("Azure's errors are classified by whose fault they are", () => {
  const failure = (status: number, error: object) =>
    generationAdapter(chatFormat, upstreamOf(""))?.failureOf(
      { status, header: () => undefined, body: Buffer.from(JSON.stringify({ error })) },
      upstreamOf(""),
    );
  const filtered = { code: "content_filter", message: "The response was filtered", innererror: {}, status: 400 };
  assert.equal(failure(400, filtered)?.kind, "client");
  assert.equal(failure(401, { code: "401", message: "Access denied" })?.kind, "operator");
  assert.equal(failure(401, { code: "PermissionDenied", message: "lacks the data action" })?.kind, "operator");
  assert.equal(failure(404, { code: "DeploymentNotFound", message: "No deployment" })?.kind, "unknown_model");
  assert.equal(failure(429, { code: "429", message: "Requests have exceeded" })?.kind, "capacity");
});
