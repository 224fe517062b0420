import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { repoRoot } from "@uag/local/paths";
import { type Release, releaseIn } from "@uag/local/release";
import { UserError } from "@uag/local/terminal/step";

const run = promisify(execFile);

/** The packages that a checkout installs; all releases have them. */
interface Installed {
  ensureInstalled(): Promise<void>;
}

interface Built {
  buildConsole(options: { report(line: string): void }): Promise<void>;
}

const git = async (...args: string[]): Promise<string> => (await run("git", args, { cwd: repoRoot })).stdout.trim();

/** Unpacks a commit of this repository into a folder, and installs and builds what it needs. */
export async function checkOut(ref: string, root: string, report: (line: string) => void): Promise<Release> {
  const commit = await git("rev-parse", "--verify", "--quiet", `${ref}^{commit}`).catch(() => {
    throw new UserError(`This clone has no commit ${ref}. If it is shallow, run: git fetch --unshallow`);
  });
  await mkdir(root, { recursive: true });
  const archive = spawn("git", ["archive", commit], { cwd: repoRoot, stdio: ["ignore", "pipe", "inherit"] });
  const unpack = spawn("tar", ["-x", "-C", root], { stdio: [archive.stdout, "inherit", "inherit"] });
  const codes = await Promise.all([archive, unpack].map(async (child) => (await once(child, "exit"))[0]));
  if (codes.some((code) => code !== 0)) throw new Error(`${ref} could not be unpacked into ${root}`);
  await ((await import(join(root, "scripts/lib/install.mjs"))) as Installed).ensureInstalled();
  const { buildConsole } = (await import(join(root, "services/dev/local/src/console-web.ts"))) as Built;
  await buildConsole({ report });
  return releaseIn(root);
}
