import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { CommandPrefix } from "@uag/local/service-processes";

/**
 * The two versions of cgroups: their location, and the file with the limit. With version 2's memory
 * controller enabled, a process has no memory cgroup of version 1.
 */
const versions = [
  { root: "/sys/fs/cgroup/memory", pattern: /^\d+:memory:(.*)$/m, limitFile: "memory.limit_in_bytes" },
  { root: "/sys/fs/cgroup", pattern: /^0::(.*)$/m, limitFile: "memory.max" },
] as const;

/** Enters a cgroup, then becomes the program. */
const enter = 'echo $$ > "$1" && shift && exec "$@"';

/** Memory cgroups, one for each service, as a container has one. Disposing removes them. */
export class MemoryCgroups implements Disposable {
  readonly #folder: string;
  readonly #limitFile: string;

  private constructor(folder: string, limitFile: string) {
    this.#folder = folder;
    this.#limitFile = limitFile;
  }

  /** Undefined if this user cannot create cgroups that limit memory. */
  static open(): MemoryCgroups | undefined {
    const own = readFileSync("/proc/self/cgroup", "utf8");
    for (const { root, pattern, limitFile } of versions) {
      const path = pattern.exec(own)?.[1];
      if (path === undefined) continue;
      const parent = join(root, path);
      if (!existsSync(join(parent, "cgroup.procs"))) continue;
      const folder = join(parent, `uag-abuse-${process.pid}`);
      try {
        mkdirSync(folder);
        if (limitFile === "memory.max") writeFileSync(join(folder, "cgroup.subtree_control"), "+memory");
        if (existsSync(join(folder, limitFile))) return new MemoryCgroups(folder, limitFile);
        rmdirSync(folder);
      } catch {
        // Not root, or a version without the memory controller: tries the next version.
        if (existsSync(folder)) rmdirSync(folder);
      }
    }
    return undefined;
  }

  /** The prefix of a command that runs within a memory limit, in bytes. */
  prefixOf(service: string, limitBytes: number): CommandPrefix {
    const folder = join(this.#folder, service);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, this.#limitFile), String(limitBytes));
    return ["/bin/sh", "-c", enter, "sh", join(folder, "cgroup.procs")];
  }

  [Symbol.dispose](): void {
    for (const entry of readdirSync(this.#folder, { withFileTypes: true }))
      if (entry.isDirectory()) rmdirSync(join(this.#folder, entry.name));
    rmdirSync(this.#folder);
  }
}
