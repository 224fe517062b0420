import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { CommandPrefix } from "@uag/local/service-processes";

/** The files of one version of cgroups. */
interface Version {
  /** Where its memory cgroups are. */
  readonly root: string;
  /** Finds the own cgroup's path in `/proc/self/cgroup`. */
  readonly pattern: RegExp;
  readonly limitFile: string;
  /** Limits swap, and its value for a limit of memory; absent without swap accounting. */
  readonly swapFile: string;
  readonly swapLimit: (limitBytes: number) => number;
  /** What must be written to a cgroup before its children have the controller. */
  readonly delegation?: { readonly file: string; readonly value: string };
}

/**
 * Kernel documentation, admin-guide/cgroup-v1/memory and admin-guide/cgroup-v2. With
 * version 2's memory controller enabled, a process has no memory cgroup of version 1.
 */
const versions: readonly Version[] = [
  {
    root: "/sys/fs/cgroup/memory",
    pattern: /^\d+:memory:(.*)$/m,
    limitFile: "memory.limit_in_bytes",
    swapFile: "memory.memsw.limit_in_bytes",
    swapLimit: (limitBytes) => limitBytes,
  },
  {
    root: "/sys/fs/cgroup",
    pattern: /^0::(.*)$/m,
    limitFile: "memory.max",
    swapFile: "memory.swap.max",
    swapLimit: () => 0,
    delegation: { file: "cgroup.subtree_control", value: "+memory" },
  },
];

/** Enters a cgroup, then becomes the program. */
const enter = 'echo $$ > "$1" && shift && exec "$@"';

/** The kernel's file tree; in a cgroup, the kernel creates and removes the files. */
export interface CgroupTree {
  /** Prefix of every path. */
  readonly root: string;
  make(folder: string): void;
  remove(folder: string): void;
}

const kernel: CgroupTree = {
  root: "",
  make: (folder) => void mkdirSync(folder, { recursive: true }),
  remove: rmdirSync,
};

/** Memory cgroups, one for each service, as a container has one. Disposing removes them. */
export class MemoryCgroups implements Disposable {
  readonly #folder: string;
  readonly #version: Version;
  readonly #tree: CgroupTree;

  private constructor(folder: string, version: Version, tree: CgroupTree) {
    this.#folder = folder;
    this.#version = version;
    this.#tree = tree;
  }

  /** Undefined if this user cannot create cgroups that limit memory. */
  static open(tree: CgroupTree = kernel): MemoryCgroups | undefined {
    const own = readFileSync(join(tree.root, "/proc/self/cgroup"), "utf8");
    for (const version of versions) {
      const path = version.pattern.exec(own)?.[1];
      if (path === undefined) continue;
      const parent = join(tree.root, version.root, path);
      if (!existsSync(join(parent, "cgroup.procs"))) continue;
      const folder = join(parent, `uag-abuse-${process.pid}`);
      try {
        tree.make(folder);
        const { delegation } = version;
        if (delegation !== undefined) writeFileSync(join(folder, delegation.file), delegation.value);
        if (existsSync(join(folder, version.limitFile))) return new MemoryCgroups(folder, version, tree);
        tree.remove(folder);
      } catch {
        // Not root, or a version without the memory controller: tries the next version.
        if (existsSync(folder)) tree.remove(folder);
      }
    }
    return undefined;
  }

  /** The prefix of a command that runs within a memory limit, in bytes. */
  prefixOf(service: string, limitBytes: number): CommandPrefix {
    const { limitFile, swapFile, swapLimit } = this.#version;
    const folder = join(this.#folder, service);
    this.#tree.make(folder);
    writeFileSync(join(folder, limitFile), String(limitBytes));
    if (existsSync(join(folder, swapFile))) writeFileSync(join(folder, swapFile), String(swapLimit(limitBytes)));
    return ["/bin/sh", "-c", enter, "sh", join(folder, "cgroup.procs")];
  }

  [Symbol.dispose](): void {
    for (const entry of readdirSync(this.#folder, { withFileTypes: true }))
      if (entry.isDirectory()) this.#tree.remove(join(this.#folder, entry.name));
    this.#tree.remove(this.#folder);
  }
}
