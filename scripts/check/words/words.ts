import { createHash } from "node:crypto";
import { glob, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { repoRoot as root } from "@uag/local/paths";
import type { Check } from "../check.ts";
import { withWordList, wordList } from "./list.ts";
import { proseIn } from "./prose.ts";
import { type WordRule, wordRules } from "./rules.ts";

/** A phrase of the word list in a file. */
export interface Finding {
  readonly line: number;
  readonly phrase: string;
  readonly rule: WordRule;
  /** The prose around it, by which an old finding is known wherever its file is moved. */
  readonly text: string;
}

const sources = "{gateway,infra,proto,scripts,services}/**/*.{ts,tsx,mts,mjs,cjs,js,css,proto,yaml,yml,py,md}";
const isForeign = (name: string): boolean =>
  /(?:^|\/)(?:node_modules|dist|gen|released)$|^scripts\/check\/words$/.test(name);
const guide = "CONTRIBUTING.md";
const remainingFile = "scripts/check/words/remaining.txt";

/** A whole word, and no part of a path, a flag, an identifier or a call. */
const compiled = wordRules.map((rule) => ({
  rule,
  pattern: new RegExp(`(?<![\\w./@$-])(?:${rule.pattern})(?![\\w/(-]|\\.\\w)`, "gi"),
}));

/** The phrases of the word list in a file's prose, by line. */
export function findingsIn(file: string, text: string): Finding[] {
  return proseIn(file, text).flatMap(({ line, text: words }) =>
    compiled.flatMap(({ rule, pattern }) =>
      [...words.matchAll(pattern)].map(([phrase]) => ({ line, phrase, rule, text: words.trim() })),
    ),
  );
}

/** What a finding is known by in the list of those that remain. */
export const digest = ({ rule, text }: Finding): string =>
  createHash("sha256").update(`${rule.avoid}\n${text}`).digest("hex").slice(0, 12);

async function* findings(): AsyncGenerator<{ file: string; finding: Finding }> {
  for await (const file of glob([sources, "*.{md,yaml,cjs}"], { cwd: root, exclude: isForeign })) {
    // The changelog quotes commits as they were written.
    if (file === "pnpm-lock.yaml" || file === "CHANGELOG.md") continue;
    let text = await readFile(join(root, file), "utf8");
    if (file === guide) text = withWordList(text, "");
    for (const finding of findingsIn(file, text)) yield { file, finding };
  }
}

async function checkList(fix: boolean): Promise<string[]> {
  const text = await readFile(join(root, guide), "utf8");
  const wanted = withWordList(text, wordList(wordRules));
  if (text === wanted) return [];
  if (!fix) return [`${guide}: the word list differs from scripts/check/words/rules.ts; run: npm run check -- --fix`];
  await writeFile(join(root, guide), wanted);
  return [];
}

export const words: Check = {
  name: "words",
  async run({ fix }) {
    const problems = await checkList(fix);
    const remaining = new Set((await readFile(join(root, remainingFile), "utf8")).split("\n"));
    const seen = new Set<string>();
    for await (const { file, finding } of findings()) {
      const known = digest(finding);
      if (remaining.has(known)) seen.add(known);
      else problems.push(`${file}:${finding.line}: "${finding.phrase}": write ${finding.rule.use}`);
    }
    if (fix)
      await writeFile(
        join(root, remainingFile),
        [...seen]
          .sort()
          .map((line) => `${line}\n`)
          .join(""),
      );
    return problems.sort();
  },
};
