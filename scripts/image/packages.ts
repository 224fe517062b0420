import { cp, mkdir, readdir, readFile, realpath } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** The folder of a package as resolved from another; undefined if it is not for this machine. */
function folderOf(name: string, from: string): Promise<string | undefined> {
  const candidates = createRequire(join(from, "package.json")).resolve.paths(name) ?? [];
  return candidates.reduce<Promise<string | undefined>>(
    async (found, dir) => (await found) ?? realpath(join(dir, name)).catch(() => undefined),
    Promise.resolve(undefined),
  );
}

async function copyFiles(from: string, to: string, files: readonly string[]): Promise<void> {
  const wanted = files.length === 0 ? await readdir(from) : ["package.json", ...files];
  for (const file of wanted) {
    if (file === "node_modules") continue;
    await cp(join(from, file), join(to, file), { recursive: true, dereference: true });
  }
}

/**
 * Copies a package, as resolved from `from`, and all its dependencies into `target/node_modules`,
 * flat.
 * @param files the required files; if empty, all files and its dependencies
 * @returns the manifests of all copied packages
 * @throws when it is not installed
 */
export async function copyPackage(
  name: string,
  from: string,
  target: string,
  files: readonly string[],
): Promise<Manifest[]> {
  const folder = await folderOf(name, from);
  if (folder === undefined) throw new Error(`${name} is not installed for ${from}`);
  const to = join(target, "node_modules", name);
  await mkdir(dirname(to), { recursive: true });
  await copyFiles(folder, to, files);
  const manifest = JSON.parse(await readFile(join(folder, "package.json"), "utf8")) as Manifest;
  if (files.length > 0) return [manifest];
  const copied = [manifest];
  for (const dependency of Object.keys(manifest.dependencies ?? {}))
    copied.push(...(await copyPackage(dependency, folder, target, [])));
  for (const dependency of Object.keys(manifest.optionalDependencies ?? {}))
    if ((await folderOf(dependency, folder)) !== undefined)
      copied.push(...(await copyPackage(dependency, folder, target, [])));
  return copied;
}
