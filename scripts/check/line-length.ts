import { glob, readFile } from "node:fs/promises";
import { join } from "node:path";
import { repoRoot as root } from "@uag/local/paths";
import type { Check } from "./check.ts";

/** Columns of a line of comment, and of one of prose in Markdown; code is Biome's to format. */
const maxComment = 100;
const maxProse = 120;

const sources = "{gateway,infra,proto,scripts,services}/**/*.{ts,tsx,mts,mjs,cjs,js,css,proto,yaml,yml,py,md}";
const isForeign = (name: string): boolean => /(?:^|\/)(?:node_modules|dist|gen)$/.test(name);

const slashes = /^\s*(?:\/\/|\/?\*)|[;,{}()[\]]\s+\/\/\s/;
const hash = /^\s*#|\s#\s/;

/** A line may be longer than `max` only if it has no blank at which it could be broken. */
function isTooLong(line: string, max: number): boolean {
  if (line.length <= max) return false;
  const words = line.replace(/^\s*(?:\/\/|\/?\*+|#+|[-*+]\s|\d+\.\s)?\s*/, "");
  return /\s/.test(words.replace(/\s*\*\/$/, ""));
}

function commentsIn(lines: readonly string[], file: string): number[] {
  const comment = /\.(?:ya?ml|py)$/.test(file) ? hash : slashes;
  return lines.flatMap((line, at) => (comment.test(line) && isTooLong(line, maxComment) ? at + 1 : []));
}

/** Lines of prose that are too long: not of tables, and not of code, be it fenced or indented. */
function proseIn(lines: readonly string[]): number[] {
  const found: number[] = [];
  let fenced = false;
  let indented = false;
  for (const [at, line] of lines.entries()) {
    const fence = /^\s*```/.test(line);
    if (fence) fenced = !fenced;
    indented = / {4}/.test(line.slice(0, 4)) && (indented || (lines[at - 1] ?? "") === "");
    if (fence || fenced || indented || line.startsWith("|")) continue;
    if (isTooLong(line, maxProse)) found.push(at + 1);
  }
  return found;
}

/** The lines of a file, from 1, in which a comment or prose is longer than it may be. */
export function longLines(text: string, file: string): number[] {
  const lines = text.split("\n");
  return file.endsWith(".md") ? proseIn(lines) : commentsIn(lines, file);
}

export const lineLength: Check = {
  name: "length of comments and prose",
  async run() {
    const problems: string[] = [];
    for await (const file of glob([sources, "*.{md,yaml,cjs}"], { cwd: root, exclude: isForeign })) {
      if (file === "pnpm-lock.yaml") continue;
      const max = file.endsWith(".md") ? maxProse : maxComment;
      for (const line of longLines(await readFile(join(root, file), "utf8"), file))
        problems.push(`${file}:${line} is longer than ${max} columns`);
    }
    return problems;
  },
};
