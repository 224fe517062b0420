import { glob, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { repoRoot as root } from "@uag/local/paths";

export interface Package {
  /** Without the scope, e.g. "kit". */
  readonly name: string;
  /** From the top of the checkout, e.g. "services/lib/runtime". */
  readonly dir: string;
  readonly dependencies: ReadonlySet<string>;
  readonly devDependencies: ReadonlySet<string>;
}

interface Manifest {
  name: string;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
}

export const scope = "@uag/";

/** All packages of the workspace. */
export async function readPackages(): Promise<Package[]> {
  const packages: Package[] = [];
  for await (const file of glob("{proto,gateway,services/*,services/console/web}/package.json", { cwd: root })) {
    const manifest = JSON.parse(await readFile(join(root, file), "utf8")) as Manifest;
    packages.push({
      name: manifest.name.slice(scope.length),
      dir: dirname(file),
      dependencies: new Set(Object.keys(manifest.dependencies ?? {})),
      devDependencies: new Set(Object.keys(manifest.devDependencies ?? {})),
    });
  }
  return packages.sort((a, b) => a.dir.localeCompare(b.dir));
}

export interface Import {
  /** From the top of the checkout. */
  readonly file: string;
  readonly specifier: string;
}

const importPattern = /(?:\bfrom |^import |\bimport\()"([\w@./-]+|node:[\w/]+)"/gm;
/**
 * Modules that are named by a path, to be started as a process or a thread or to be loaded later.
 */
const pathPattern = /(?:\bnew URL\(|\bimport\.meta\.resolve\(|\bjoin\(import\.meta\.dirname, )"([\w@./-]+\.m?ts)"/g;

/** What a module's text imports, in order, and then the modules that it names by a path. */
export function specifiersIn(text: string): string[] {
  const paths = [...text.matchAll(pathPattern)].flatMap(([, path = ""]) => (/^[.@]/.test(path) ? path : `./${path}`));
  return [...[...text.matchAll(importPattern)].flatMap((match) => match[1] ?? []), ...paths];
}

/** Every import in a package's sources and tests. */
export async function importsOf(dir: string): Promise<Import[]> {
  const imports: Import[] = [];
  // The pages are a package of their own within the console's.
  const exclude = (name: string): boolean =>
    name.endsWith("node_modules") || name.endsWith("/dist") || (name.endsWith("console/web") && name !== dir);
  for await (const file of glob(`${dir}/**/*.{ts,tsx}`, { cwd: root, exclude })) {
    const text = await readFile(join(root, file), "utf8");
    for (const specifier of specifiersIn(text)) imports.push({ file, specifier });
  }
  return imports;
}
