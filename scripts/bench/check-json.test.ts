import assert from "node:assert/strict";
import { test } from "node:test";
import { jsonAnswer } from "./answers.ts";
import { checkJsonAnswer } from "./check-json.ts";

const nonce = "000000000042";
const right = { head: "HTTP/1.1 200 OK\r\n", body: jsonAnswer({ nonce, model: "m" }), nonce, model: "m" };

test("the upstream's own bytes pass, and so does the same meaning in other bytes", () => {
  checkJsonAnswer(right);
  checkJsonAnswer({ ...right, body: JSON.stringify({ ...JSON.parse(right.body), model: "renamed", added: 1 }) });
});

test("an answer with another status, text or usage is wrong, and the failure shows it", () => {
  assert.throws(() => checkJsonAnswer({ ...right, head: "HTTP/1.1 502 Bad Gateway\r\n" }), /502 Bad Gateway/);
  assert.throws(
    () => checkJsonAnswer({ ...right, body: jsonAnswer({ nonce: "000000000043", model: "m" }) }),
    /000000000043/,
  );
  assert.throws(() =>
    checkJsonAnswer({ ...right, body: right.body.replace('"total_tokens":33', '"total_tokens":34') }),
  );
  assert.throws(() => checkJsonAnswer({ ...right, body: right.body.slice(0, -1) }));
});
