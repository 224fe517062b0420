import assert from "node:assert/strict";
import { test } from "node:test";
import { bareTitles } from "./titles.ts";

/** The text of a template literal with one variable. */
const template = (variable: string, before = "", after = ""): string => `\`${before}$\{${variable}}${after}\``;
const titlesIn = (text: string): string[] => bareTitles(text).map(({ title }) => title);

test("finds a title that is a variable, a name or a topic in each form of a test declaration", () => {
  const text = [
    "test(title, () => {});",
    "test(one.title as string, () => {});",
    `describe(${template("name")}, () => {});`,
    'it("settle", () => {});',
    'test.only("settle()", () => {});',
    'await t.test("webhooks", async () => {});',
  ].join("\n");
  assert.deepEqual(titlesIn(text), ["title", "one.title", template("name"), '"settle"', '"settle()"', '"webhooks"']);
});

test("accepts a title with words of its own, and ignores other calls", () => {
  const text = [
    'test("a bill is written once", () => {});',
    `test(${template("state", "a task that is ", " is billed once")}, () => {});`,
    'describe("grants that" + " expire", () => {});',
    "pattern.test(text);",
    "run(title);",
  ].join("\n");
  assert.deepEqual(titlesIn(text), []);
});
