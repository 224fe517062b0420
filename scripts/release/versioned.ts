import { glob, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { repoRoot } from "@uag/local/paths";

interface Place {
  /** Glob of files from the top of the checkout. */
  readonly files: string;
  /** What is before the version there, as part of a pattern. */
  readonly after: string;
}

/** Every place that states the version of this release: charts, their default image tags, and documents. */
const places: readonly Place[] = [
  { files: "package.json", after: '"version": "' },
  { files: "infra/helm/*/Chart.yaml", after: "version: " },
  { files: "infra/helm/*/Chart.yaml", after: "appVersion: " },
  { files: "infra/compose.yaml", after: "TAG:-" },
  { files: "infra/Dockerfile", after: "ARG VERSION=" },
  { files: "infra/Dockerfile", after: "uag/chat:" },
  { files: "infra/README.md", after: "" },
  { files: "infra/gitops/*.yaml", after: "v" },
  { files: "scripts/cluster/**/*.ts", after: ":" },
];

/** Returns `text` with `to` in place of `from` where it is a whole version after `before`. */
function replaced(text: string, before: string, from: string, to: string): string {
  const pattern = `${before}(?<![\\d.])${from.replaceAll(".", "\\.")}(?!\\.?\\d)`;
  return text.replaceAll(new RegExp(pattern, "g"), () => before + to);
}

/** Writes the new version in every place. @returns the changed files @param root the checkout */
export async function writeVersion(from: string, to: string, root = repoRoot): Promise<string[]> {
  const changed = new Set<string>();
  for (const { files, after: prefix } of places)
    for await (const file of glob(files, { cwd: root, exclude: (name) => name.endsWith("node_modules") })) {
      const before = await readFile(join(root, file), "utf8");
      const after = replaced(before, prefix, from, to);
      if (after === before) continue;
      await writeFile(join(root, file), after);
      changed.add(file);
    }
  return [...changed].sort();
}
