import { createHash, randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { hostname } from "node:os";

/** Which running kernel a process lives under. Both parts are 12 hexadecimal digits. */
export interface Kernel {
  /** The machine, or the container on it, as far as it has a name of its own. */
  readonly node: string;
  /** This start of its kernel: no two are ever the same. */
  readonly boot: string;
}

/**
 * What became of asking a lock. `missing`: there is none, which a cleaner of old files may have
 * done to a living process.
 */
export type Lock = "held" | "free" | "missing";

const digits = 12;
const digest = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, digits);
const textOf = (path: string): Promise<string> => readFile(path, "utf8").catch(() => "");

/**
 * Where a sandbox does not tell its boot, each process counts as a kernel of its own: no lock is
 * then believed.
 */
export async function thisKernel(): Promise<Kernel> {
  const machine = await textOf("/etc/machine-id");
  const boot = await textOf("/proc/sys/kernel/random/boot_id");
  // Images of containers are copied with their machine id; their host names then differ.
  return {
    node: digest(`${machine}\n${hostname()}`),
    boot: digest(boot === "" ? randomBytes(16).toString("hex") : boot),
  };
}

/**
 * Whether the owner of a journal is dead. A free lock proves it only under the same kernel: to
 * another one a living process's socket looks just so. What was written before the last start of
 * this very machine is a dead process's.
 * @param owner undefined when the journal does not say under which kernel it was written
 */
export function verdictOn(owner: Kernel | undefined, here: Kernel, lock: Lock): "alive" | "dead" | "unsure" {
  if (lock === "held") return "alive";
  if (owner === undefined) return "unsure";
  if (owner.boot === here.boot) return lock === "free" ? "dead" : "unsure";
  return owner.node === here.node ? "dead" : "unsure";
}
