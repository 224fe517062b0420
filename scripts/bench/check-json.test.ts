import assert from "node:assert/strict";
import { test } from "node:test";
import { checkJsonResponse } from "./check-json.ts";
import { jsonResponse } from "./responses.ts";

const nonce = "000000000042";
const right = { head: "HTTP/1.1 200 OK\r\n", body: jsonResponse({ nonce, model: "m" }), nonce, model: "m" };

test("the upstream's bytes are accepted, and so are other bytes of the same meaning", () => {
  checkJsonResponse(right);
  checkJsonResponse({ ...right, body: JSON.stringify({ ...JSON.parse(right.body), model: "renamed", added: 1 }) });
});

test("a response with another status, text or usage is rejected with an error that shows it", () => {
  assert.throws(() => checkJsonResponse({ ...right, head: "HTTP/1.1 502 Bad Gateway\r\n" }), /502 Bad Gateway/);
  assert.throws(
    () => checkJsonResponse({ ...right, body: jsonResponse({ nonce: "000000000043", model: "m" }) }),
    /000000000043/,
  );
  assert.throws(() =>
    checkJsonResponse({ ...right, body: right.body.replace('"total_tokens":33', '"total_tokens":34') }),
  );
  assert.throws(() => checkJsonResponse({ ...right, body: right.body.slice(0, -1) }));
});
