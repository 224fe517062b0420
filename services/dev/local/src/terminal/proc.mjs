// Data about running processes: from /proc on Linux, from ps(1) elsewhere.
import { existsSync, readFileSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { processesByPs, statByPs, variableByPs } from "./ps.mjs";

const hasFiles = existsSync("/proc/self/stat");

/** Undefined when there is no such process. */
export function statOf(pid) {
  if (!hasFiles) return statByPs(pid);
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // Field 2 is in parentheses and may hold spaces; what follows it starts with field 3.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return { isZombie: fields[0] === "Z", parent: Number(fields[1]), startTime: fields[19] };
  } catch {
    return undefined;
  }
}

/** True when the environment that the process was started with names this variable. */
export function hasVariable(pid, name) {
  if (!hasFiles) return variableByPs(pid, name);
  try {
    return readFileSync(`/proc/${pid}/environ`, "utf8")
      .split("\0")
      .some((entry) => entry.startsWith(`${name}=`));
  } catch {
    return false;
  }
}

/** Ids of the running processes that were started with `name=value` in their environment. */
export async function processesWith(name, value) {
  if (!hasFiles) return await processesByPs(name, value);
  const pids = (await readdir("/proc")).map(Number).filter((pid) => pid > 0);
  const found = await Promise.all(
    pids.map(async (pid) => {
      // Unreadable: another user's process, or one that just ended.
      const environment = await readFile(`/proc/${pid}/environ`, "utf8").catch(() => "");
      return environment.split("\0").includes(`${name}=${value}`) ? [pid] : [];
    }),
  );
  return found.flat();
}
