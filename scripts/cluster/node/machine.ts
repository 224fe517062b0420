import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { run } from "./run.ts";
import { addresses } from "./settings.ts";

/** Controllers that kubelet and runc need, where a machine mounts none. */
const controllers = ["cpu", "cpuacct", "cpuset", "memory", "devices", "freezer", "blkio", "pids"];

const mount = (...args: readonly string[]): Promise<string> => run("mount", args);
const ip = (...args: readonly string[]): Promise<string> => run("ip", args);

async function mountCgroups(): Promise<void> {
  const root = "/sys/fs/cgroup";
  if ((await readdir(root)).length > 0) return;
  await mount("-t", "tmpfs", "cgroup", root);
  for (const name of controllers) {
    await mkdir(join(root, name));
    await mount("-t", "cgroup", "-o", name, "cgroup", join(root, name));
  }
}

async function bind(from: string, to: string): Promise<void> {
  await mkdir(from, { recursive: true });
  await mkdir(to, { recursive: true });
  await mount("--bind", from, to);
}

/**
 * Makes the namespaces of this process a node: its own `/run` and folders of state, one address, and
 * a default route, without which packets to Services would be dropped before they are rewritten.
 * Whatever is mounted or routed here ends with the namespaces.
 * @param state the folder of its state, on the machine's disk, which must be empty: a kubelet does not
 * register while it finds containers that another one left
 */
export async function prepareMachine(state: string): Promise<void> {
  await mount("--make-rshared", "/");
  await mount("-t", "tmpfs", "run", "/run");
  await mountCgroups();
  await bind(join(state, "containerd"), "/var/lib/containerd");
  await bind(join(state, "kubelet"), "/var/lib/kubelet");
  await bind(join(state, "cni"), "/var/lib/cni");
  await bind(join(state, "log"), "/var/log");
  await ip("link", "set", "lo", "up");
  await ip("link", "add", "node0", "type", "veth", "peer", "name", "node1");
  await ip("link", "set", "node1", "up");
  await ip("addr", "add", `${addresses.node}/24`, "dev", "node0");
  await ip("link", "set", "node0", "up");
  await ip("route", "add", "default", "dev", "node0");
  await writeFile("/proc/sys/net/ipv4/ip_forward", "1");
}
