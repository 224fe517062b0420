import assert from "node:assert/strict";
import { test } from "node:test";
import type { Upstream } from "@uag/catalog/types";
import { firstUpstream, testCall, testModel } from "../../test/support.ts";
import { chatFormat } from "../formats/chat/format.ts";
import { geminiFormat } from "../formats/gemini/format.ts";
import { messagesFormat } from "../formats/messages/format.ts";
import { responsesFormat } from "../formats/responses/format.ts";
import { generationAdapter } from "../registry.ts";
import { vertex } from "./provider.ts";

const formats = [chatFormat, messagesFormat, responsesFormat, geminiFormat];
const model = testModel("", "vertex");
const upstreamOf = (name: string): Upstream => ({ ...firstUpstream(model), model: name });
const gemini = upstreamOf("gemini-2.5-flash");
const claude = upstreamOf("claude-haiku-4-5@20251001");
const { signal } = new AbortController();
const body = {
  model: "m",
  max_tokens: 10,
  messages: [{ role: "user", content: "Hi" }],
  input: "Hi",
  contents: [{ role: "user", parts: [{ text: "Hi" }] }],
};
const encoded = async (format: (typeof formats)[number], upstream: Upstream, more: object = {}) => {
  const call = testCall(JSON.stringify({ ...body, ...more }), model, { headers: ["anthropic-beta", "b-1"] });
  return await (generationAdapter(format, upstream) ?? assert.fail()).encode(call, upstream, signal);
};
const named = (headers: readonly string[], name: string) => headers[headers.indexOf(name) + 1];

test("a Gemini model is called below publishers/google, from every client format", async () => {
  for (const format of formats) {
    const path = "/publishers/google/models/gemini-2.5-flash";
    const call = await encoded(format, gemini);
    assert.equal(call.path, `${path}:generateContent`);
    assert.equal(named(call.headers, "x-goog-api-key"), "sk-secret-key");
    assert.equal((await encoded(format, gemini, { stream: true })).path, `${path}:streamGenerateContent?alt=sse`);
  }
});

test("a Claude model is called below publishers/anthropic, with the version in the body and the model in the path", async () => {
  for (const format of formats) {
    const path = "/publishers/anthropic/models/claude-haiku-4-5%4020251001";
    const call = await encoded(format, claude);
    assert.equal(call.path, `${path}:rawPredict`);
    const sent = JSON.parse(call.body.toString()) as Record<string, unknown>;
    assert.deepEqual([sent["anthropic_version"], "model" in sent], ["vertex-2023-10-16", false]);
    assert.equal(named(call.headers, "x-goog-api-key"), "sk-secret-key");
    assert.ok(!call.headers.includes("x-api-key") && !call.headers.includes("anthropic-version"));
    assert.equal((await encoded(format, claude, { stream: true })).path, `${path}:streamRawPredict`);
  }
});

test("a messages request passes to Claude as it is, with its beta features", async () => {
  const call = await encoded(messagesFormat, claude, { metadata: { user_id: "u" }, top_k: 3 });
  const { model: _, ...rest } = body;
  assert.deepEqual(JSON.parse(call.body.toString()), {
    ...rest,
    metadata: { user_id: "u" },
    top_k: 3,
    anthropic_version: "vertex-2023-10-16",
  });
  assert.equal(named(call.headers, "anthropic-beta"), "b-1");
});

test("a client's own anthropic_version does not replace the version of this adapter", async () => {
  const call = await encoded(messagesFormat, claude, { anthropic_version: "bedrock-2023-05-31" });
  assert.equal(JSON.parse(call.body.toString()).anthropic_version, "vertex-2023-10-16");
});

test("errors of the platform and of the model are classified, each in its own form", () => {
  const kindOf = (status: number, error: unknown, upstream: Upstream) =>
    generationAdapter(chatFormat, upstream)?.failureOf(
      { status, header: () => undefined, body: Buffer.from(JSON.stringify(error)) },
      upstream,
    );
  const platform = (code: number, status: string, message: string) => ({ error: { code, status, message } });
  for (const upstream of [gemini, claude]) {
    const denied = kindOf(403, platform(403, "PERMISSION_DENIED", "Permission denied on resource"), upstream);
    assert.deepEqual([denied?.kind, denied?.reported?.message], ["operator", "Permission denied on resource"]);
    assert.equal(kindOf(401, platform(401, "UNAUTHENTICATED", "invalid credentials"), upstream)?.kind, "operator");
    assert.equal(kindOf(404, platform(404, "NOT_FOUND", "Publisher Model not found"), upstream)?.kind, "unknown_model");
    assert.equal(kindOf(429, platform(429, "RESOURCE_EXHAUSTED", "Quota exceeded"), upstream)?.kind, "capacity");
    assert.equal(kindOf(502, "<html>", upstream)?.kind, "transient");
  }
  const own = { type: "error", error: { type: "invalid_request_error", message: "max_tokens: too large" } };
  const invalid = kindOf(400, own, claude);
  assert.deepEqual([invalid?.kind, invalid?.reported?.message], ["client", "max_tokens: too large"]);
});

test("only a Claude model thinks without showing it", () => {
  const thinking = { thinking: { type: "enabled", budget_tokens: 1024 } };
  assert.equal(vertex.thinksUnseen?.(thinking, claude), true);
  assert.equal(vertex.thinksUnseen?.({}, claude), false);
  assert.equal(vertex.thinksUnseen?.(thinking, gemini), false);
});
