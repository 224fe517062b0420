import assert from "node:assert/strict";
import { glob, readFile } from "node:fs/promises";
import { test } from "node:test";

/** What runs in production; the rest communicates only with our own processes. */
const sources = ["router/src/**/*.ts", "services/{*,lib/*,dev/*}/src/**/*.ts"];
const excluded = /\/dev\/|^router\/src\/openapi\/|\.test\.ts$/;
/** Read a whole body, however long it is. */
const unbounded = /\.(?:json|arrayBuffer|blob)\(\)/;

test("no service reads a response's whole body without a bound", async () => {
  const found: string[] = [];
  for await (const file of glob(sources)) {
    if (excluded.test(file)) continue;
    for (const [index, line] of (await readFile(file, "utf8")).split("\n").entries())
      if (unbounded.test(line)) found.push(`${file}:${index + 1}: ${line.trim()}`);
  }
  assert.deepEqual(found, []);
});
