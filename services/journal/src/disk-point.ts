import { readFileSync } from "node:fs";

/** What is done to files of the journal, by name. */
export const diskOperations = ["mkdir", "open", "write", "sync", "read", "list", "rename", "remove"] as const;

/** An operation on the disk that a test can make fail. */
export type DiskOperation = (typeof diskOperations)[number];

let path: string | undefined;

/**
 * Throws, as the disk might, before an operation that is named in the file of which `DISK_FAULTS`
 * has the path: a line `ENOSPC mkdir write` for as long as that file is there. For tests of what
 * survives a full disk. The variable is read once, at the first operation; without it this does
 * nothing.
 */
export function diskPoint(operation: DiskOperation): void {
  path ??= process.env["DISK_FAULTS"] ?? "";
  if (path === "") return;
  const [code = "", ...operations] = faultsIn(path);
  if (!operations.includes(operation)) return;
  throw Object.assign(new Error(`${code}: so the test wants it, ${operation}`), { code });
}

function faultsIn(file: string): string[] {
  try {
    return readFileSync(file, "utf8").trim().split(" ");
  } catch {
    // No file, no faults.
    return [];
  }
}
