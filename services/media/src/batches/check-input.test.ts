import assert from "node:assert/strict";
import { test } from "node:test";
import { seededInt } from "@uag/harness/testing/seeded-random";
import { checkInput } from "./check-input.ts";
import { linesOf } from "./lines.ts";

const valid = (id: string, more: object = {}): object => ({
  custom_id: id,
  method: "POST",
  url: "/v1/chat/completions",
  body: { model: "m", messages: [] },
  ...more,
});

async function check(lines: readonly (object | string)[]) {
  const text = lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line))).join("\n");
  const options = { offset: 0, line: 1, maxBytes: 10_000 };
  return await checkInput(linesOf([Buffer.from(text)] as never, options), "/v1/chat/completions");
}

test("a valid file is counted without its blank lines, whatever its line ends", async () => {
  const { total, model, errors } = await check([valid("a"), " ", `${JSON.stringify(valid("b"))}\r`, "", ""]);
  assert.deepEqual([total, model, errors], [2, "m", []]);
});

test("each fault names its line and field", async () => {
  const { errors } = await check([
    valid("a"),
    "{",
    valid("a"),
    valid("b", { url: "/v1/embeddings" }),
    valid("c", { body: { model: "other" } }),
    valid("d", { body: { model: "m", stream: true } }),
    { method: "POST", url: "/v1/chat/completions", body: { model: "m" } },
    valid("e", { method: "GET" }),
    valid("f", { body: [] }),
    "x".repeat(10_001),
    valid("g", { body: { model: "m", background: true } }),
  ]);
  assert.deepEqual(
    errors.map(({ code, param, line }) => [line, code, param]),
    [
      [2, "invalid_json_line", null],
      [3, "duplicate_custom_id", "custom_id"],
      [4, "mismatched_endpoint", "url"],
      [5, "mismatched_model", "body.model"],
      [6, "invalid_request", "body.stream"],
      [7, "invalid_request", "custom_id"],
      [8, "invalid_request", "method"],
      [9, "invalid_request", "body"],
      [10, "request_too_large", null],
      [11, "invalid_request", "body.background"],
    ],
  );
});

test("a file without requests, and one with too many, have one fault", async () => {
  assert.deepEqual(
    (await check(["", " "])).errors.map(({ code }) => code),
    ["empty_file"],
  );
  const many = Array.from({ length: 50_001 }, (_, index) => valid(String(index)));
  const { errors } = await check(many);
  assert.deepEqual(
    errors.map(({ code, line }) => [code, line]),
    [["too_many_requests", 50_001]],
  );
});

test("no input makes the check itself fail, and at most 100 faults are listed", async () => {
  const random = seededInt(11);
  const text = JSON.stringify(valid("a"));
  const mutated = Array.from({ length: 500 }, () => {
    const at = random(text.length);
    return (
      text.slice(0, at) + ['"', "{", "\\ud800", "null", "", "\u0000", "[1e999]"][random(7)] + text.slice(at + random(4))
    );
  });
  const { errors } = await check(mutated);
  assert.equal(errors.length, 100);
  for (const { line, message } of errors) assert.ok(line !== null && message !== "");
});
