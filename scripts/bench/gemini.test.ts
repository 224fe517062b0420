import assert from "node:assert/strict";
import { test } from "node:test";
import { checkGeminiResponse, geminiBody, geminiResponse } from "./gemini.ts";

const nonce = "000000000042";
const right = { head: "HTTP/1.1 200 OK\r\n", body: geminiResponse(nonce), nonce };

test("the upstream's bytes are accepted, and a response to another request or with another status is not", () => {
  assert.ok(geminiBody(nonce).includes(`nonce=${nonce}`));
  checkGeminiResponse(right);
  assert.throws(() => checkGeminiResponse({ ...right, body: geminiResponse("000000000043") }), /000000000043/);
  assert.throws(() => checkGeminiResponse({ ...right, head: "HTTP/1.1 502 Bad Gateway\r\n" }), /502 Bad Gateway/);
});
