import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { faultTable } from "../src/faults/catalogue.ts";

const readme = await readFile(new URL("../README.md", import.meta.url), "utf8");

test("the README lists every fault with its default and meaning", () => {
  for (const [name, { value, otherwise, about }] of Object.entries(faultTable)) {
    assert.ok(readme.includes(`| \`${name}\` | ${value === "flag" ? "" : otherwise} | ${about} |`), name);
  }
});
