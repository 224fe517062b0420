import assert from "node:assert/strict";
import { test } from "node:test";
import { firstUpstream, testModel } from "../../test/support.ts";
import { anthropicErrorInside, anthropicFailure } from "../anthropic/errors.ts";
import type { FailureKind } from "../failure.ts";
import { geminiErrorInside, geminiFailure } from "../gemini/errors.ts";

const upstream = firstUpstream(testModel());
const respond = (status: number, body: unknown, headers: Record<string, string> = {}) => ({
  status,
  header: (name: string) => headers[name],
  body: Buffer.from(typeof body === "string" ? body : JSON.stringify(body)),
});
const anthropic = (type: string, message = "m") => ({ type: "error", error: { type, message }, request_id: "req_1" });
const gemini = (code: number, status: string, more: object = {}) => ({
  error: { code, message: "m", status, ...more },
});
const detail = (fields: object) => ({ details: [{ "@type": "x" }, fields] });

const ofAnthropic: [status: number, body: unknown, kind: FailureKind][] = [
  [400, anthropic("invalid_request_error"), "client"],
  [400, anthropic("invalid_request_error", "Your credit balance is too low to access the Anthropic API."), "quota"],
  [401, anthropic("authentication_error"), "operator"],
  [402, anthropic("billing_error"), "quota"],
  [403, anthropic("permission_error"), "operator"],
  [404, anthropic("not_found_error", "model: m"), "unknown_model"],
  [413, anthropic("request_too_large"), "client"],
  [429, anthropic("rate_limit_error"), "capacity"],
  [500, anthropic("api_error"), "transient"],
  [529, anthropic("overloaded_error"), "transient"],
  [502, "<html>Bad gateway</html>", "transient"],
  [302, "", "operator"],
];
for (const [status, body, kind] of ofAnthropic) {
  test(`Anthropic's ${status} ${JSON.stringify(body).slice(0, 90)} means ${kind}`, () => {
    assert.equal(anthropicFailure(respond(status, body), upstream).kind, kind);
  });
}

test("keeps Anthropic's error body byte for byte, except for our secrets", () => {
  const body = `{ "type":"error", "error":{"type":"invalid_request_error","message":"messages.0: no"},"request_id":"r"}`;
  assert.equal(anthropicFailure(respond(400, body), upstream).body?.toString("utf8"), body);
  const leaky = anthropicFailure(respond(400, anthropic("invalid_request_error", "bad key sk-secret-key")), upstream);
  assert.ok(!leaky.body?.includes("sk-secret-key") && leaky.body?.includes("[redacted]"));
  assert.ok(!leaky.reported?.message.includes("sk-secret-key"));
});

test("keeps Anthropic's retry delay and detects an error under status 200", () => {
  const limited = anthropicFailure(respond(429, anthropic("rate_limit_error"), { "retry-after": "12" }), upstream);
  assert.equal(limited.retryAfterMs, 12_000);
  assert.equal(anthropicErrorInside(JSON.stringify(anthropic("overloaded_error")), upstream)?.kind, "transient");
  assert.equal(anthropicErrorInside('{"type":"message","content":[]}', upstream), undefined);
});

const ofGemini: [status: number, body: unknown, kind: FailureKind][] = [
  [400, gemini(400, "INVALID_ARGUMENT"), "client"],
  [400, gemini(400, "INVALID_ARGUMENT", detail({ reason: "API_KEY_INVALID" })), "operator"],
  [400, { error: { code: 400, message: "API key expired. Please renew the API key." } }, "operator"],
  [400, gemini(400, "FAILED_PRECONDITION"), "operator"],
  [403, gemini(403, "PERMISSION_DENIED"), "operator"],
  [404, gemini(404, "NOT_FOUND"), "unknown_model"],
  [429, gemini(429, "RESOURCE_EXHAUSTED"), "capacity"],
  [429, gemini(429, "RESOURCE_EXHAUSTED", detail({ violations: [{ quotaId: "RequestsPerDayPerProject" }] })), "quota"],
  [499, gemini(499, "CANCELLED"), "transient"],
  [503, [gemini(503, "UNAVAILABLE")], "transient"],
  [502, "<html>", "transient"],
];
for (const [status, body, kind] of ofGemini) {
  test(`Gemini's ${status} ${JSON.stringify(body).slice(0, 110)} means ${kind}`, () => {
    assert.equal(geminiFailure(respond(status, body), upstream).kind, kind);
  });
}

test("reads Gemini's retry delay from the body and detects an error within a stream", () => {
  const body = gemini(429, "RESOURCE_EXHAUSTED", detail({ retryDelay: "22.5s" }));
  assert.equal(geminiFailure(respond(429, body), upstream).retryAfterMs, 22_500);
  assert.equal(geminiErrorInside(gemini(429, "RESOURCE_EXHAUSTED"), upstream)?.kind, "capacity");
  assert.equal(geminiErrorInside({ candidates: [] }, upstream), undefined);
});
