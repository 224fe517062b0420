import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parse } from "yaml";
import type { Manifest } from "./packages.ts";

interface Component {
  readonly purl?: string;
  [field: string]: unknown;
}

interface Lockfile {
  readonly packages: Readonly<Record<string, { readonly resolution?: { readonly integrity?: string } }>>;
}

/** `pkg:npm/%40scope/name@1.0.0` as the lock file has it: `@scope/name@1.0.0`. */
const lockedName = (purl: string): string => decodeURIComponent(purl.replace(/^pkg:npm\//, "").replace(/[?#].*$/, ""));

/** The checksum of the package's archive by which it was installed. */
function hashesOf({ packages }: Lockfile, purl: string | undefined): object[] {
  const integrity = packages[lockedName(purl ?? "")]?.resolution?.integrity;
  if (integrity === undefined || !integrity.startsWith("sha512-")) return [];
  return [{ alg: "SHA-512", content: Buffer.from(integrity.slice("sha512-".length), "base64").toString("hex") }];
}

function componentOf({ name, version, license }: Manifest): Component {
  const purl = `pkg:npm/${name.replace("@", "%40")}@${version}`;
  const licenses = license === undefined ? [] : [{ expression: license }];
  return { type: "library", name, version, purl, "bom-ref": purl, licenses };
}

/**
 * Completes the bundler's bill of materials, which contains only bundled packages and no hashes.
 * @param copied the packages that are not bundled
 */
export async function completeBom(file: string, root: string, copied: readonly Manifest[]): Promise<void> {
  const bom = JSON.parse(await readFile(file, "utf8")) as { components: Component[] };
  const lockfile = parse(await readFile(join(root, "pnpm-lock.yaml"), "utf8")) as Lockfile;
  const components = [...bom.components, ...copied.map(componentOf)];
  bom.components = components.map((component) => {
    const hashes = hashesOf(lockfile, component.purl);
    return hashes.length === 0 ? component : { ...component, hashes };
  });
  await writeFile(file, `${JSON.stringify(bom, null, 2)}\n`);
}
