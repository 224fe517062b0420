// What Linux says about a running process, from proc(5).
import { readFileSync } from "node:fs";

/** Undefined when there is no such process, or no such file system. */
export function statOf(pid) {
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
  try {
    return readFileSync(`/proc/${pid}/environ`, "utf8")
      .split("\0")
      .some((entry) => entry.startsWith(`${name}=`));
  } catch {
    return false;
  }
}
