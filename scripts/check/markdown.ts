import { glob } from "node:fs/promises";
import { join } from "node:path";
import { repoRoot as root } from "@uag/local/paths";
import { lint } from "markdownlint/promise";
import type { Check } from "./check.ts";

/** Prose only: tables, blocks of code, and what cannot be broken, such as a link, may be longer. */
const config = { default: false, MD013: { line_length: 120, code_blocks: false, tables: false } } as const;

/** Lines of Markdown files are at most 120 columns wide. */
export const markdown: Check = {
  name: "widths of Markdown",
  async run() {
    const exclude = (name: string): boolean => name.endsWith("node_modules");
    const files: string[] = [];
    for await (const file of glob("{*,{gateway,infra,proto,scripts,services}/**/*}.md", { cwd: root, exclude }))
      files.push(file);
    const found = await lint({ config, files: files.map((file) => join(root, file)) });
    return files
      .sort()
      .flatMap((file) =>
        (found[join(root, file)] ?? []).map(({ lineNumber, errorDetail }) => `${file}:${lineNumber}: ${errorDetail}`),
      );
  },
};
