import { glob } from "node:fs/promises";

export const testKinds = ["unit", "contract", "e2e", "long"] as const;
export type TestKind = (typeof testKinds)[number];

export function kindOf(file: string): TestKind {
  if (file.endsWith(".long.test.ts")) return "long";
  if (file.endsWith(".e2e.test.ts")) return "e2e";
  return file.endsWith(".contract.test.ts") ? "contract" : "unit";
}

export interface Selection {
  /** Empty means all, but long tests only with a pattern. */
  readonly kinds: ReadonlySet<TestKind>;
  /** Parts of paths; a file is selected if it contains one of them. Empty means all. */
  readonly patterns: readonly string[];
}

export function isSelected(file: string, { kinds, patterns }: Selection): boolean {
  const kind = kindOf(file);
  if (kinds.size > 0 ? !kinds.has(kind) : kind === "long" && patterns.length === 0) return false;
  return patterns.length === 0 || patterns.some((pattern) => file.includes(pattern));
}

/** Paths of the selected test files, from `root`. */
export async function findTests(root: string, selection: Selection): Promise<string[]> {
  const exclude = (name: string): boolean => /(^|\/)(node_modules|\.data)$/.test(name);
  const files: string[] = [];
  for await (const file of glob("{proto,gateway,services,scripts}/**/*.test.ts", { cwd: root, exclude })) {
    if (isSelected(file, selection)) files.push(file);
  }
  return files.sort();
}
