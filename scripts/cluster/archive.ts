import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdir, rename, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { runTool } from "@uag/local/engines/run-tool";

/** An image as it runs, in the terms of the OCI's image configuration. */
export interface ImageSpec {
  /** With registry and tag. */
  readonly name: string;
  /** Folders whose contents are its layers, the lowest first. */
  readonly layers: readonly Layer[];
  readonly config: {
    readonly Entrypoint?: readonly string[];
    readonly Env?: readonly string[];
    readonly WorkingDir?: string;
    readonly User?: string;
  };
}

export interface Layer {
  /** Absolute folder. */
  readonly dir: string;
  /** Where its contents are in the image, without a leading slash; `.` is the root. */
  readonly at: string;
}

async function run(command: string, args: readonly string[]): Promise<void> {
  const { code, output } = await runTool(command, args);
  if (code !== 0) throw new Error(`${command} ${args.join(" ")} failed:\n${output}`);
}

async function sha256(file: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
  return hash.digest("hex");
}

/** Writes a layer as a reproducible archive in `dir`, named by its digest. */
async function writeLayer({ dir: from, at }: Layer, dir: string): Promise<string> {
  const part = join(dir, "layer.part");
  const owned = ["--sort=name", "--owner=0", "--group=0", "--numeric-owner", "--mtime=@0"];
  const placed = at === "." ? [] : [`--transform=s,^\\.,${at},S`];
  await run("tar", [...owned, ...placed, "--create", "--file", part, "--directory", from, "."]);
  const digest = await sha256(part);
  await rename(part, join(dir, `${digest}.tar`));
  return digest;
}

/**
 * Writes images into one archive in the format of `docker save`, which every container engine
 * imports: https://github.com/moby/moby/blob/master/image/spec/spec.md
 */
export async function writeArchive(images: readonly ImageSpec[], file: string): Promise<void> {
  const dir = `${file}.parts`;
  await mkdir(dir, { recursive: true });
  const digests = new Map<string, Promise<string>>();
  const manifest: object[] = [];
  for (const { name, layers, config } of images) {
    const ids: string[] = [];
    for (const layer of layers) {
      const key = `${layer.dir} ${layer.at}`;
      const digest = digests.get(key) ?? writeLayer(layer, dir);
      digests.set(key, digest);
      ids.push(await digest);
    }
    const rootfs = { type: "layers", diff_ids: ids.map((id) => `sha256:${id}`) };
    const text = JSON.stringify({ architecture: "amd64", os: "linux", config, rootfs });
    const id = createHash("sha256").update(text).digest("hex");
    await writeFile(join(dir, `${id}.json`), text);
    manifest.push({ Config: `${id}.json`, RepoTags: [name], Layers: ids.map((one) => `${one}.tar`) });
  }
  await writeFile(join(dir, "manifest.json"), JSON.stringify(manifest));
  await run("tar", ["--create", "--file", file, "--directory", dir, "."]);
  await run("rm", ["-r", dir]);
  await stat(file);
}
