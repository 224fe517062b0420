import { readFileSync } from "node:fs";

/** The file operations of the journal, by name. */
const diskOperations = ["mkdir", "open", "write", "sync", "read", "list", "rename", "remove"] as const;

/** A disk operation that a test can make fail. */
export type DiskOperation = (typeof diskOperations)[number];

let path: string | undefined;

/**
 * Throws, as the disk might, before any operation listed in the file that `DISK_FAULTS` points to:
 * a line such as `ENOSPC mkdir write`, effective as long as the file exists. For tests of what
 * survives a full disk. The variable is read once, at the first operation; without it this does
 * nothing.
 */
export function diskPoint(operation: DiskOperation): void {
  path ??= process.env["DISK_FAULTS"] ?? "";
  if (path === "") return;
  const [code = "", ...operations] = faultsIn(path);
  if (!operations.includes(operation)) return;
  throw Object.assign(new Error(`${code}: injected by a test, ${operation}`), { code });
}

function faultsIn(file: string): string[] {
  try {
    return readFileSync(file, "utf8").trim().split(" ");
  } catch {
    // Without the file there are no faults.
    return [];
  }
}
