import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { configSchema } from "../src/config.ts";
import { faultTable } from "../src/faults/catalogue.ts";

const readme = await readFile(new URL("../README.md", import.meta.url), "utf8");

test("the README lists every environment variable with its default", () => {
  const defaults: Record<string, unknown> = { ...configSchema.parse({}), SIM_FAULTS: "" };
  for (const [name, field] of Object.entries(configSchema.shape)) {
    const value = defaults[name] ? ` \`${defaults[name]}\`` : "";
    assert.ok(readme.includes(`| \`${name}\` |${value} | ${field.description} |`), name);
  }
});

test("the README lists every fault with its default and meaning", () => {
  for (const [name, { value, otherwise, about }] of Object.entries(faultTable)) {
    assert.ok(readme.includes(`| \`${name}\` | ${value === "flag" ? "" : otherwise} | ${about} |`), name);
  }
});
