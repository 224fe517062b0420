import { spawn } from "node:child_process";
import { access, mkdir, readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { repoRoot } from "./paths.ts";

const webDir = join(repoRoot, "services/console/web");
const builtDir = join(webDir, "dist");
/** The sources of the pages. */
const sources = ["index.html", "package.json", "vite.config.ts", "compress.ts", "public", "src", "../../contract/src"];
const maxReported = 2_000;

export interface BuildOptions {
  /** Receives progress for people, line by line. */
  report(line: string): void;
  /** Aborts the build. */
  readonly signal?: AbortSignal;
}

/**
 * When a file, or anything in a folder, was last changed, Unix milliseconds; 0 if it does not
 * exist.
 */
async function changedAt(path: string): Promise<number> {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) return 0;
  if (!found.isDirectory()) return found.mtimeMs;
  const names = await readdir(path);
  return Math.max(0, ...(await Promise.all(names.map((name) => changedAt(join(path, name))))));
}

async function isBuilt(): Promise<boolean> {
  const builtAt = await changedAt(join(builtDir, "index.html"));
  const changes = await Promise.all(sources.map((name) => changedAt(join(webDir, name))));
  return builtAt > Math.max(...changes);
}

/** @throws {Error} with the end of the build's output */
async function runVite(outDir: string, signal: AbortSignal | undefined): Promise<void> {
  const vite = join(webDir, "node_modules/vite/bin/vite.js");
  const args = [vite, "build", "--outDir", outDir, "--emptyOutDir", "--logLevel", "warn"];
  const child = spawn(process.execPath, args, {
    cwd: webDir,
    stdio: ["ignore", "pipe", "pipe"],
    ...(signal && { signal }),
  });
  let reported = "";
  const keep = (chunk: Buffer): void => {
    reported = (reported + chunk).slice(-maxReported);
  };
  child.stdout.on("data", keep);
  child.stderr.on("data", keep);
  const code = await new Promise((resolve, reject) => child.once("error", reject).once("close", resolve));
  if (code !== 0) throw new Error(reported.trim() || `vite exited with ${code}`);
}

/**
 * Replaces the build being served, if any. When two builds finish at once, the first one stays:
 * both come from the same sources.
 */
async function replaceBuilt(made: string): Promise<void> {
  const old = `${made}-old`;
  await rename(builtDir, old).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
  });
  await rename(made, builtDir).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOTEMPTY" && error.code !== "EEXIST") throw error;
  });
  await rm(old, { recursive: true, force: true });
}

/**
 * Builds the console's pages if they are missing or older than their sources. The pages being
 * served are replaced only by a complete build.
 * @throws {Error} when the build fails
 */
export async function buildConsole({ report, signal }: BuildOptions): Promise<void> {
  const isThere = await access(join(webDir, "package.json")).then(
    () => true,
    () => false,
  );
  if (!isThere || (await isBuilt())) return;
  report("Building the console …");
  const startedAt = performance.now();
  const made = join(repoRoot, ".data", `console-web-${process.pid}`);
  await mkdir(made, { recursive: true });
  try {
    await runVite(made, signal);
    await replaceBuilt(made);
  } finally {
    await rm(made, { recursive: true, force: true });
  }
  report(`The console is built (${((performance.now() - startedAt) / 1_000).toFixed(1)} s).`);
}
