import assert from "node:assert/strict";
import { test } from "node:test";
import { specifiersIn } from "./packages.ts";

test("every form of import is seen, and text that only looks like one is not", () => {
  const text = `import { a } from "./a.ts";
import type { B } from "@uag/kit/b.ts";
import "node:fs";
export { c } from "c-package";
const d = await import("../d.ts");
const child = fork(new URL("./child.ts", import.meta.url));
const worker = join(import.meta.dirname, "worker.ts");
const told = "taken from " + name + " and more";
const label = metrics.labels("from memory");
`;
  assert.deepEqual(specifiersIn(text), [
    "./a.ts",
    "@uag/kit/b.ts",
    "node:fs",
    "c-package",
    "../d.ts",
    "./child.ts",
    "./worker.ts",
  ]);
});
