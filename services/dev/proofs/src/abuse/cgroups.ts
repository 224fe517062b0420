import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { CommandPrefix } from "@uag/local/service-processes";

/**
 * The two versions of cgroups: where they are, and the file with the limit. A process has no memory
 * cgroup of version 1 where that controller belongs to version 2.
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

  /** Undefined where this user cannot make cgroups that limit memory. */
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
        // Not root, or a version without the memory controller: the next may do.
        if (existsSync(folder)) rmdirSync(folder);
      }
    }
    return undefined;
  }

  /** The beginning of a command that runs within a limit, bytes. */
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
