import { setTimeout as sleep } from "node:timers/promises";
import { processesWith } from "../terminal/proc.mjs";

const pollMs = 50;

/**
 * Ids of the running processes whose environment contains `name=value`: a mark that children
 * inherit and cannot lose.
 */
export async function taggedProcesses(name: string, value: string): Promise<number[]> {
  return (await processesWith(name, value)).filter((pid) => pid !== process.pid);
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

/**
 * Ends all marked processes: SIGTERM, then SIGKILL for those left after `graceMs`. Returns how many
 * there were.
 */
export async function endTaggedProcesses(name: string, value: string, graceMs: number): Promise<number> {
  const first = await taggedProcesses(name, value);
  for (const pid of first) send(pid, "SIGTERM");
  const deadline = performance.now() + graceMs;
  for (;;) {
    const left = await taggedProcesses(name, value);
    if (left.length === 0) return first.length;
    if (performance.now() > deadline) for (const pid of left) send(pid, "SIGKILL");
    await sleep(pollMs);
  }
}
