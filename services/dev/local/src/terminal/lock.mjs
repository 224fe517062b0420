// A lock file that names its owner, so that a killed process's lock counts as free.
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { statOf } from "./proc.mjs";

const pollMs = 200;

/**
 * Names a process beyond the reuse of its id: "<pid> <start time>", or undefined when it does not
 * run.
 */
function processToken(pid) {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (error.code === "ESRCH") return undefined;
  }
  const stat = statOf(pid);
  return stat?.isZombie ? undefined : `${pid} ${stat?.startTime ?? ""}`.trim();
}

/** The id of the running process that holds the lock, or undefined if none does. */
export async function lockOwner(path) {
  const token = (await readFile(path, "utf8").catch(() => "")).trim();
  const pid = Number.parseInt(token, 10);
  if (!(pid > 0)) return undefined;
  return processToken(pid) === token ? pid : undefined;
}

/**
 * Takes the lock if it is free. Returns a function that releases it, or undefined if another
 * process has it.
 */
export async function tryLock(path) {
  await mkdir(dirname(path), { recursive: true });
  const token = processToken(process.pid);
  for (let attempt = 0; attempt < 2; attempt++) {
    try {
      await writeFile(path, `${token}\n`, { flag: "wx" });
      return () => rm(path, { force: true });
    } catch (error) {
      if (error.code !== "EEXIST") throw error;
    }
    if ((await lockOwner(path)) !== undefined) return undefined;
    await rm(path, { force: true });
  }
  return undefined;
}

/** Runs `work` while holding the lock; waits as long as another process has it. */
export async function withLock(path, work) {
  let release = await tryLock(path);
  while (release === undefined) {
    await sleep(pollMs);
    release = await tryLock(path);
  }
  try {
    return await work();
  } finally {
    await release();
  }
}
