import { glob, readFile } from "node:fs/promises";
import { join } from "node:path";
import { repoRoot as root } from "@uag/local/paths";
import type { Check } from "./check.ts";

/** The packages that every service uses, whose docstrings are read before their code. */
const packages = "catalog,contract,link,mongo,pipeline,runtime,untrusted,usage";
const sources = `services/lib/{${packages}}/src/**/*.ts`;
const written = "{gateway,services,scripts}/**/*.{ts,tsx}";

// Biome formats every export at the first column, on one line with its name.
const exported = /^export (?:abstract |async |declare )*(?:class|const|function\*?|interface|let|type) (?<name>[\w$]+)/;

/**
 * The exported declarations of a source without a docstring right above them: line from 1, and
 * name. Further overloads of a function need none.
 */
export function undocumented(text: string): { readonly line: number; readonly name: string }[] {
  const lines = text.split("\n");
  const named = lines.map((line) => exported.exec(line)?.groups?.["name"]);
  return named.flatMap((name, at) => {
    const isFirst = named.indexOf(name) === at;
    return name === undefined || !isFirst || lines[at - 1]?.endsWith("*/") ? [] : [{ line: at + 1, name }];
  });
}

/** The lines, from 1, of docstrings directly below another docstring: editors show the last one only. */
export function doubled(text: string): number[] {
  const lines = text.split("\n");
  return lines.flatMap((line, at) => {
    const below = line.trimStart().startsWith("/**") && lines[at - 1]?.endsWith("*/");
    return below && isDocstring(lines, at - 1) ? [at + 1] : [];
  });
}

/** True if the comment that ends in a line is a docstring. */
function isDocstring(lines: readonly string[], end: number): boolean {
  const start = lines.findLastIndex((line, at) => at <= end && line.includes("/*"));
  return lines[start]?.trimStart().startsWith("/**") ?? false;
}

export const docstrings: Check = {
  name: "docstrings",
  async run() {
    const problems: string[] = [];
    for await (const file of glob(sources, { cwd: root })) {
      if (file.endsWith(".test.ts")) continue;
      for (const { line, name } of undocumented(await readFile(join(root, file), "utf8")))
        problems.push(`${file}:${line}: ${name} is exported and has no docstring`);
    }
    for await (const file of glob(written, { cwd: root, exclude: ["**/node_modules/**"] }))
      for (const line of doubled(await readFile(join(root, file), "utf8")))
        problems.push(`${file}:${line}: two docstrings in a row; merge them, or move one to what it describes`);
    return problems.sort();
  },
};
