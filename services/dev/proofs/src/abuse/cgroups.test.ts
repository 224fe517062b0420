import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { type CgroupTree, MemoryCgroups } from "./cgroups.ts";

const limitBytes = 1024 * 1024 * 1024;

interface Host {
  /** Content of `/proc/self/cgroup`. */
  readonly own: string;
  /** The own cgroup's folder. */
  readonly parent: string;
  /** Files that the kernel creates in every cgroup. */
  readonly files: readonly string[];
}

const hosts = {
  "version 1": {
    own: "12:cpu,cpuacct:/pods/a\n7:memory:/pods/a\n0::/pods/a\n",
    parent: "/sys/fs/cgroup/memory/pods/a",
    files: ["cgroup.procs", "memory.limit_in_bytes", "memory.memsw.limit_in_bytes"],
  },
  "version 2": {
    own: "0::/user.slice/a.scope\n",
    parent: "/sys/fs/cgroup/user.slice/a.scope",
    files: ["cgroup.procs", "cgroup.subtree_control", "memory.max", "memory.swap.max"],
  },
} as const satisfies Record<string, Host>;

/** A file tree that behaves as the kernel's: cgroups have files from the start. */
function treeOf({ own, parent, files }: Host): CgroupTree & Disposable {
  const root = mkdtempSync(join(tmpdir(), "cgroups-"));
  const make = (folder: string): void => {
    mkdirSync(folder, { recursive: true });
    for (const file of files) writeFileSync(join(folder, file), "");
  };
  mkdirSync(join(root, "/proc/self"), { recursive: true });
  writeFileSync(join(root, "/proc/self/cgroup"), own);
  make(join(root, parent));
  return {
    root,
    make,
    remove: (folder) => rmSync(folder, { recursive: true }),
    [Symbol.dispose]: () => rmSync(root, { recursive: true }),
  };
}

const limits: Readonly<Record<keyof typeof hosts, Readonly<Record<string, string>>>> = {
  "version 1": {
    "memory.limit_in_bytes": String(limitBytes),
    "memory.memsw.limit_in_bytes": String(limitBytes),
  },
  "version 2": { "memory.max": String(limitBytes), "memory.swap.max": "0" },
};
for (const [version, host] of Object.entries(hosts)) {
  test(`${version}: a service's cgroup limits its memory, with swap, and is removed at the end`, () => {
    using tree = treeOf(host);
    const own = join(tree.root, host.parent, `uag-abuse-${process.pid}`);
    {
      using cgroups = MemoryCgroups.open(tree) ?? assert.fail("no cgroup was made");
      const prefix = cgroups.prefixOf("chat", limitBytes);
      assert.deepEqual(prefix.slice(-1), [join(own, "chat", "cgroup.procs")]);
      for (const [file, value] of Object.entries(limits[version as keyof typeof hosts]))
        assert.equal(readFileSync(join(own, "chat", file), "utf8"), value, file);
    }
    assert.throws(() => readFileSync(join(own, "cgroup.procs")), { code: "ENOENT" });
  });
}

test("version 2: the controller is delegated to the services' cgroups", () => {
  using tree = treeOf(hosts["version 2"]);
  using _cgroups = MemoryCgroups.open(tree) ?? assert.fail("no cgroup was made");
  const control = join(tree.root, hosts["version 2"].parent, `uag-abuse-${process.pid}`, "cgroup.subtree_control");
  assert.equal(readFileSync(control, "utf8"), "+memory");
});

test("no cgroup is made, and none is left, where the memory controller is not available", () => {
  const { own, parent } = hosts["version 2"];
  using tree = treeOf({ own, parent, files: ["cgroup.procs", "cgroup.subtree_control"] });
  assert.equal(MemoryCgroups.open(tree), undefined);
  assert.throws(() => readFileSync(join(tree.root, parent, `uag-abuse-${process.pid}`, "cgroup.procs")), {
    code: "ENOENT",
  });
});

test("no cgroup is made by a user who may not", () => {
  using tree = treeOf(hosts["version 1"]);
  const refusing: CgroupTree = {
    ...tree,
    make() {
      throw Object.assign(new Error("permission denied"), { code: "EACCES" });
    },
  };
  assert.equal(MemoryCgroups.open(refusing), undefined);
});
