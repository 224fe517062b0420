import { execFile } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { hostname } from "node:os";
import { promisify } from "node:util";

/** Identifies the running kernel of a process. Both parts are 12 hexadecimal digits. */
export interface Kernel {
  /** The machine, or the container on it if it has a hostname of its own. */
  readonly node: string;
  /** This boot of its kernel; never repeats. */
  readonly boot: string;
}

/**
 * The result of testing a lock. `missing`: no lock file; a cleanup of old files may have removed a
 * living process's.
 */
export type Lock = "held" | "free" | "missing";

const digits = 12;
const digest = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, digits);
const textOf = (path: string): Promise<string> => readFile(path, "utf8").catch(() => "");

/** The system's name for the time since its last start; "" where it has none. */
async function bootId(): Promise<string> {
  if (process.platform !== "darwin") return await textOf("/proc/sys/kernel/random/boot_id");
  return (await promisify(execFile)("sysctl", ["-n", "kern.bootsessionuuid"])).stdout;
}

/**
 * Where a sandbox hides the boot id, each process counts as a kernel of its own, so no lock is
 * trusted.
 */
export async function thisKernel(): Promise<Kernel> {
  const machine = await textOf("/etc/machine-id");
  const boot = await bootId();
  // Container images are copied with their machine id, but their hostnames differ.
  return {
    node: digest(`${machine}\n${hostname()}`),
    boot: digest(boot === "" ? randomBytes(16).toString("hex") : boot),
  };
}

/**
 * Whether a journal's owner is dead. A free lock proves it only under the same kernel: under
 * another one, a living process's socket looks the same. A journal written before this machine's
 * last boot belongs to a dead process.
 * @param owner undefined when the journal does not record its kernel
 */
export function verdictOn(owner: Kernel | undefined, here: Kernel, lock: Lock): "alive" | "dead" | "unsure" {
  if (lock === "held") return "alive";
  if (owner === undefined) return "unsure";
  if (owner.boot === here.boot) return lock === "free" ? "dead" : "unsure";
  return owner.node === here.node ? "dead" : "unsure";
}
