import assert from "node:assert/strict";
import { test } from "node:test";
import { doubled, undocumented } from "./docstrings.ts";

const namesIn = (text: string): string[] => undocumented(text).map(({ name }) => name);

test("every exported declaration needs a docstring; other declarations need none", () => {
  const text = [
    "export function one() {}",
    "export async function* two() {}",
    "export abstract class Three {}",
    "export interface Four {}",
    "export type Five = 1;",
    "export const six = 6;",
    "function seven() {}",
    'export { eight } from "./eight.ts";',
  ].join("\n");
  assert.deepEqual(namesIn(text), ["one", "two", "Three", "Four", "Five", "six"]);
});

test("a docstring is directly above its declaration, and other comments are not docstrings", () => {
  assert.deepEqual(namesIn("/** Says so. */\nexport const a = 1;"), []);
  assert.deepEqual(namesIn("/**\n * Says so,\n * and more.\n */\nexport const a = 1;"), []);
  assert.deepEqual(namesIn("/** Of the file. */\n\nexport const a = 1;"), ["a"]);
  assert.deepEqual(namesIn("// Why.\nexport const a = 1;"), ["a"]);
});

test("a problem is reported with its line, and overloads with the first one's line", () => {
  const text = "import x;\n\nexport function a(b: 1): 1;\nexport function a(b: 2): 2;";
  assert.deepEqual(undocumented(text), [{ line: 3, name: "a" }]);
});

test("a docstring directly below another is rejected, but not below other comments and text", () => {
  const text = [
    "/** One. */",
    "/** Two. */",
    "const a = 1;",
    "  /**",
    "   * Three.",
    "   */",
    "  /** Four. */",
    "  b(): void;",
  ];
  assert.deepEqual(doubled(text.join("\n")), [2, 7]);
  assert.deepEqual(doubled("/** Of the file. */\n\n/** Of a. */\nconst a = 1;"), []);
  assert.deepEqual(doubled("/* A note. */\n/** Of a. */\nconst a = 1;"), []);
  assert.deepEqual(doubled("f(/** Of b. */);\n/** Of a. */\nconst a = 1;"), []);
});
