import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { en } from "./en/en.ts";
import { zh } from "./zh/zh.ts";

/** Texts by their path; the plural forms of one are one. */
function textsOf(texts: object, path = ""): [string, string][] {
  return Object.entries(texts).flatMap(([name, value]: [string, unknown]) => {
    const own = `${path}.${name}`;
    if (typeof value === "object" && value !== null) return textsOf(value, own);
    return [[own.replace(/_(one|other)$/, ""), String(value)] as [string, string]];
  });
}

const variablesOf = (text: string): string[] => [...text.matchAll(/\{\{\s*(\w+)/g)].map(([, name = ""]) => name).sort();

test("both languages have the same keys with the same variables", () => {
  const [english, chinese] = [new Map(textsOf(en)), new Map(textsOf(zh))];
  assert.deepEqual([...chinese.keys()].sort(), [...english.keys()].sort());
  for (const [path, text] of english) {
    assert.deepEqual(variablesOf(chinese.get(path) ?? ""), variablesOf(text), path);
    assert.notEqual(chinese.get(path)?.trim(), "", path);
  }
});

/** Names that are the same in every language, and examples of what is typed. */
const untranslated = new Set(["AI Gateway", "English", "中文", "https://llm.example.com/v1", "PROVIDER_SECRET_AWS"]);
/** What stands between tags, and what attributes say to people. */
const between = /(?<![=\s)])>\s*([^<>{}()=;&|]*\p{L}{2,}[^<>{}()=;&|]*?)\s*</gu;
const attributes = /\s(?:label|title|placeholder|description|aria-label|alt|about|hint)="([^"]*\p{L}{2,}[^"]*)"/gu;

test("no page contains untranslated text", () => {
  const folder = join(import.meta.dirname, "..");
  const files = globSync("**/*.tsx", { cwd: folder });
  assert.ok(files.length > 50, `${files.length} files`);
  const literals = files.flatMap((file) => {
    const source = readFileSync(join(folder, file), "utf8");
    return [...source.matchAll(between), ...source.matchAll(attributes)]
      .map(([, text = ""]) => text)
      .filter((text) => !untranslated.has(text))
      .map((text) => `${file}: ${text}`);
  });
  assert.deepEqual(literals, []);
});
