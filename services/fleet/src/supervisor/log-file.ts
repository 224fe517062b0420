import { type FileHandle, mkdir, open, readFile, rename } from "node:fs/promises";
import { dirname } from "node:path";

/** Opens a process's log for appending; what an earlier run wrote is kept once as `<path>.1`. */
export async function openLog(path: string): Promise<FileHandle> {
  await mkdir(dirname(path), { recursive: true });
  await rename(path, `${path}.1`).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
  });
  return open(path, "a");
}

/** The last lines of a log, for a message to the user. */
export async function tailOf(path: string, lines: number): Promise<string> {
  const text = await readFile(path, "utf8").catch(() => "");
  return text.trimEnd().split("\n").slice(-lines).join("\n");
}
