import assert from "node:assert/strict";
import { test } from "node:test";
import { currentName, formerName } from "./former-operations.ts";
import { routes } from "./routes.ts";

const operations = routes.flatMap((route) => ("operation" in route ? [route.operation] : []));

test("an operation's former name resolves to its current name, and no operation has it now", () => {
  const renamed = operations.filter((operation) => formerName(operation) !== operation);
  assert.deepEqual(renamed.toSorted(), ["messages", "responses", "videos.generations"]);
  for (const operation of renamed) {
    assert.equal(currentName(formerName(operation)), operation);
    assert.ok(!operations.includes(formerName(operation)), operation);
  }
});

test("an operation that was never renamed has one name", () => {
  for (const name of ["chat.completions", "videos.get"])
    assert.deepEqual([currentName(name), formerName(name)], [name, name]);
});
