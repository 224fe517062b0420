import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, copyFile, mkdir, mkdtemp, readdir, rename, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { runTool } from "@uag/local/engines/run-tool";
import { repoRoot } from "@uag/local/paths";
import { withLock } from "@uag/local/terminal/lock";
import { step, UserError } from "@uag/local/terminal/step";
import { installPackage } from "./apt.ts";
import { type Docker, hasImage } from "./engine.ts";

/** The release that the pinned image of Node has. */
const suite = "bookworm";
/** Node's own images have it; the package of Node at npm does not. */
const npm = "npm@11.21.2";
/** Changes when the recipe below does, so that an image of an earlier one is not used. */
const recipe = 1;

export const localBase = `uag-local/node:${process.versions.node}-${suite}-${recipe}`;

/** Node and npm as in the official image, in a folder that becomes `/usr/local`. */
async function makeLocalTree(dir: string): Promise<void> {
  // A temporary folder is private.
  await chmod(dir, 0o755);
  await mkdir(join(dir, "bin"), { recursive: true });
  await mkdir(join(dir, "lib/node_modules"), { recursive: true });
  await copyFile(process.execPath, join(dir, "bin/node"));
  const packed = await runTool("npm", ["pack", npm, "--silent", "--pack-destination", dir], { cwd: dir });
  const archive = (await readdir(dir)).find((name) => name.endsWith(".tgz"));
  if (packed.code !== 0 || archive === undefined) throw new UserError(`npm pack ${npm} failed:\n${packed.output}`);
  const { code, output } = await runTool("tar", ["-xzf", join(dir, archive), "-C", dir]);
  if (code !== 0) throw new Error(`tar could not unpack ${archive}:\n${output}`);
  await rename(join(dir, "package"), join(dir, "lib/node_modules/npm"));
  await rm(join(dir, archive));
  for (const name of ["npm", "npx"])
    await symlink(`../lib/node_modules/npm/bin/${name}-cli.js`, join(dir, "bin", name));
}

/** Pipes a Debian system into `docker import`. */
async function importDebian(docker: Docker, tree: string): Promise<void> {
  const args = [
    "--quiet",
    "--variant=minbase",
    "--include=ca-certificates",
    `--customize-hook=sync-in ${tree} /usr/local`,
  ];
  const made = spawn("mmdebstrap", [...args, suite, "-"], { stdio: ["ignore", "pipe", "pipe"] });
  let errors = "";
  made.stderr.on("data", (chunk: Buffer) => {
    errors += chunk;
  });
  const ended = once(made, "close");
  await docker.run(["import", "--change", "ENV PATH=/usr/local/bin:/usr/bin:/bin", "-", localBase], {
    input: made.stdout,
  });
  const [code] = await ended;
  if (code !== 0) throw new UserError(`mmdebstrap could not make a Debian system:\n${errors}`);
}

/**
 * An image of Node on Debian like the pinned one, from the packages of Debian and npm, for machines
 * that reach no image registry. It is made once per engine; delete the image to have security
 * updates.
 * @returns its name
 * @throws {UserError} on a machine whose Debian packages cannot be installed
 */
export async function makeLocalBase(docker: Docker): Promise<string> {
  const work = join(repoRoot, ".data/image-base");
  await mkdir(work, { recursive: true });
  await withLock(join(work, "lock"), async () => {
    if (await hasImage(docker, localBase)) return;
    await installPackage("mmdebstrap", "mmdebstrap");
    await step(`Making ${localBase} from the packages of Debian and npm`, async () => {
      const tree = await mkdtemp(join(work, "tree-"));
      try {
        await makeLocalTree(tree);
        await importDebian(docker, tree);
      } catch (error) {
        await runTool(docker.program, ["image", "rm", localBase]);
        throw error;
      } finally {
        await rm(tree, { recursive: true, force: true });
      }
    });
  });
  return localBase;
}
