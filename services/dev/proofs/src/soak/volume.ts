import { execFile } from "node:child_process";
import { mkdir, open, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const chunk = Buffer.alloc(1_024 * 1_024);

/** True if this process may mount a volume. */
export const mayMount = (): boolean => process.getuid?.() === 0;

/**
 * Mounts an in-memory volume of this size, bytes, at `path`. Disposing unmounts it; no process may
 * use it by then.
 * @throws when the system refuses, as it does without root
 */
export async function mountVolume(path: string, bytes: number): Promise<AsyncDisposable> {
  await mkdir(path, { recursive: true });
  await run("mount", ["-t", "tmpfs", "-o", `size=${bytes}`, "tmpfs", path]);
  return { [Symbol.asyncDispose]: async () => void (await run("umount", [path])) };
}

/** Runs `meanwhile` while the volume at `path` is full. */
export async function onFullVolume(path: string, meanwhile: () => Promise<void>): Promise<void> {
  const ballast = join(path, "ballast");
  try {
    await fill(ballast);
    await meanwhile();
  } finally {
    await rm(ballast, { force: true });
  }
}

async function fill(path: string): Promise<void> {
  await using file = await open(path, "w");
  for (let piece = chunk; piece.length > 0; ) {
    try {
      await file.write(piece);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
      piece = piece.subarray(0, piece.length >> 1);
    }
  }
}
