import assert from "node:assert/strict";
import { test } from "node:test";
import { filesToRunAgain } from "./second-run.ts";

const timeout = {
  file: "a.test.ts",
  message: "gave up after 1000 ms waiting for: every bill",
  text: "one bill (a.test.ts:1)",
};

test("a file whose tests failed runs a second time once", () => {
  assert.deepEqual(filesToRunAgain([timeout, timeout, { ...timeout, file: "b.test.ts" }]), ["a.test.ts", "b.test.ts"]);
});

test("no file runs a second time after a failure about the ledger, one without a test file, or many", () => {
  const violation = { ...timeout, message: "+ [ 'req_1 was served but is not in the ledger.' ]" };
  assert.deepEqual(filesToRunAgain([timeout, violation]), []);
  assert.deepEqual(filesToRunAgain([timeout, { message: "the runner failed", text: "" }]), []);
  assert.deepEqual(filesToRunAgain([timeout, { ...timeout, file: "imported.ts" }]), []);
  const many = Array.from({ length: 7 }, (_, index) => ({ ...timeout, file: `${index}.test.ts` }));
  assert.deepEqual(filesToRunAgain(many), []);
});
