import assert from "node:assert/strict";
import { glob, readFile } from "node:fs/promises";
import { test } from "node:test";

/** Production code; other code communicates only with our own processes. */
const sources = ["gateway/src/**/*.ts", "services/{*,lib/*,dev/*}/src/**/*.ts"];
const excluded = /\/dev\/|^gateway\/src\/openapi\/|\.test\.ts$/;
/** Calls that read a whole body of any length. */
const unbounded = /\.(?:json|arrayBuffer|blob)\(\)/;

test("no service reads a whole response body without a limit", async () => {
  const found: string[] = [];
  for await (const file of glob(sources)) {
    if (excluded.test(file)) continue;
    for (const [index, line] of (await readFile(file, "utf8")).split("\n").entries())
      if (unbounded.test(line)) found.push(`${file}:${index + 1}: ${line.trim()}`);
  }
  assert.deepEqual(found, []);
});
