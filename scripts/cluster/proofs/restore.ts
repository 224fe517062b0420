import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { follow } from "../fleet/handbook.ts";
import { namespace } from "../fleet/install.ts";
import { run } from "../node/run.ts";
import { Load, type Outcome } from "./load.ts";
import { type Around, type Finding, seconds } from "./under-load.ts";

const section = "Back up and restore";
const members = [0, 1, 2] as const;
const loadMs = 10_000;
const inNamespace = ["--namespace", namespace];

/** The folders of the volumes of MongoDB's members. */
async function memberDirs({ kubectl }: Around): Promise<string[]> {
  const dirs: string[] = [];
  for (const n of members) {
    const { spec } = await kubectl.get(...inNamespace, "persistentvolumeclaim", `data-uag-mongodb-${n}`);
    const volume = await kubectl.get("persistentvolume", spec.volumeName);
    dirs.push(volume.spec.local.path);
  }
  return dirs;
}

/** Copies all members' volumes at one moment, as a snapshot of the storage does: nothing is written meanwhile. */
async function backUp(dirs: readonly string[], to: string): Promise<void> {
  await run("pkill", ["-STOP", "-f", "/usr/local/lib/mongod/server"]);
  try {
    for (const [n, dir] of dirs.entries()) await run("cp", ["--archive", dir, join(to, String(n))]);
  } finally {
    await run("pkill", ["-CONT", "-f", "/usr/local/lib/mongod/server"]);
  }
}

async function replace(dirs: readonly string[], from: string): Promise<void> {
  for (const [n, dir] of dirs.entries()) {
    for (const name of await readdir(dir)) await rm(join(dir, name), { recursive: true });
    await run("cp", ["--archive", `${join(from, String(n))}/.`, dir]);
  }
}

async function stopDatabase({ kubectl }: Around): Promise<void> {
  await kubectl.run([...inNamespace, "scale", "statefulset", "uag-mongodb", "--replicas=0"]);
  const pods = members.map((n) => `pod/uag-mongodb-${n}`);
  await kubectl.run([...inNamespace, "wait", ...pods, "--for=delete", "--timeout=300s"]);
}

async function startDatabase({ kubectl }: Around): Promise<void> {
  await kubectl.run([...inNamespace, "scale", "statefulset", "uag-mongodb", `--replicas=${members.length}`]);
  await kubectl.run([...inNamespace, "rollout", "status", "statefulset/uag-mongodb", "--timeout=600s"]);
}

async function allReady({ kubectl }: Around): Promise<void> {
  const wait = [...inNamespace, "wait", "--for=condition=Ready", "pods", "--all", "--timeout=5s"];
  await kubectl.until(wait, { seconds: 600 });
}

async function loadFor(around: Around, ms: number): Promise<Outcome> {
  const load = new Load(around.gateway, 4);
  await sleep(ms);
  return load.stop();
}

/**
 * Restores MongoDB from a backup by the handbook's own commands. Requests billed after the backup are
 * only in the journals then, and must be billed again, each once.
 */
export async function restore(around: Around): Promise<Finding> {
  const { kubectl, gateway, volumeDir } = around;
  const backup = join(volumeDir, "../backup");
  await mkdir(backup, { recursive: true });
  const dirs = await memberDirs(around);
  const before = await gateway.ledger();
  await backUp(dirs, backup);
  const { completed, failed, failures } = await loadFor(around, loadMs);
  const expected = before.settledRequests + completed;
  await gateway.settledLedger(expected);

  const startedAt = performance.now();
  await follow(kubectl, section, 1);
  await stopDatabase(around);
  await replace(dirs, backup);
  await startDatabase(around);
  await follow(kubectl, section, 3);
  await allReady(around);
  const { text, settledRequests } = await gateway.settledLedger(expected);
  await follow(kubectl, section, 5);
  await allReady(around);
  const took = seconds(startedAt);

  const problems: string[] = [];
  if (failed > 0) problems.push(`${failed} requests failed before the restore`, ...failures);
  const recovered = settledRequests - before.settledRequests;
  if (recovered !== completed) problems.push(`${completed} billed after the backup, ${recovered} after the restore`);
  if (!/^exact$/m.test(text)) problems.push(text);
  const after = await gateway.send({ words: 8, stream: false });
  if (after.status !== 200) problems.push(`after the restore: ${after.status} ${after.text}`);
  const bills = `${before.settledRequests} bills from the backup, ${recovered} of ${completed} later ones from the journals`;
  return { figures: `the handbook's steps took ${took} s; ${bills}; books exact`, problems };
}
