import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { glob, readFile } from "node:fs/promises";
import { test } from "node:test";

const serviceFolders = readdirSync("services")
  .filter((name) => name !== "lib" && name !== "dev")
  .map((name) => `services/${name}`);

/** What runs in production, and the operator's commands. */
const sources = ["gateway/src/**/*.ts", "services/{*,lib/*}/src/**/*.ts", "services/dev/{cli,local}/src/**/*.ts"];
/** Writing the OpenAPI documents is part of development. */
const excluded = /\/src\/openapi\/|\.test\.ts$/;
/** Calls that read a whole body of any length. */
const unbounded = /\.(?:json|text|arrayBuffer|blob|bytes|formData)\(\)|"node:stream\/consumers"/;
/** Every service must be among the sources: a folder that moves would pass unseen. */
const covered = ["gateway", ...serviceFolders, "services/dev/cli"];

test("the check reads the sources of every service and of the operator's commands", async () => {
  const files: string[] = [];
  for await (const file of glob(sources)) files.push(file);
  for (const folder of covered)
    assert.ok(
      files.some((file) => file.startsWith(`${folder}/src/`)),
      folder,
    );
});

test("no service reads a whole response body without a limit", async () => {
  const found: string[] = [];
  for await (const file of glob(sources)) {
    if (excluded.test(file)) continue;
    for (const [index, line] of (await readFile(file, "utf8")).split("\n").entries())
      if (unbounded.test(line)) found.push(`${file}:${index + 1}: ${line.trim()}`);
  }
  assert.deepEqual(found, []);
});
