import assert from "node:assert/strict";
import { test } from "node:test";
import { responseLine, unsentLine } from "./result-line.ts";

const batch = { secret: Buffer.alloc(32, 1), format: "openai" } as const;
const line = { customId: 'a"\n', number: 7 };
const json = ["content-type", "application/json"];
const response = (body: string, headers: readonly string[] = json) => ({
  status: 200,
  headers,
  requestId: "req_1",
  body: Buffer.from(body),
});

test("a response with line ends is one line of the result file, with the same values", () => {
  const { kind, bytes } = responseLine(batch, line, response('{\n  "text": "a\\nb",\r\n  "n": 1.0\n}'));
  assert.equal(kind, "output");
  assert.equal(bytes.indexOf("\n"), bytes.length - 1);
  const { id, ...rest } = JSON.parse(bytes.toString());
  assert.match(id, /^batch_req_[0-9a-f]{32}$/);
  assert.deepEqual(rest, {
    custom_id: line.customId,
    response: { status_code: 200, request_id: "req_1", body: { text: "a\nb", n: 1 } },
    error: null,
  });
});

test("a replayed response names the request that was billed", () => {
  const { bytes } = responseLine(batch, line, response("{}", [...json, "x-gateway-billed-request-id", "req_0"]));
  assert.equal(JSON.parse(bytes.toString()).response.request_id, "req_0");
});

test("a line has the same id in every attempt, also if it is not run", () => {
  const ending = { status: "expired", code: "batch_expired", message: "The batch expired." } as const;
  const unsent = unsentLine(batch, line, ending);
  assert.equal(unsent.kind, "errors");
  const { id, response: none, error } = JSON.parse(unsent.bytes.toString());
  assert.deepEqual([none, error], [null, { code: ending.code, message: ending.message }]);
  assert.equal(id, JSON.parse(responseLine(batch, line, response("{}")).bytes.toString()).id);
});
