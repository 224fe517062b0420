import { readFile } from "node:fs/promises";

const tickMs = 10;

/**
 * CPU time used by a process so far, user and system, milliseconds; Linux only, in ticks of 10 ms.
 */
async function cpuMsOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8");
  // The name in parentheses may contain anything, including spaces.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * tickMs;
}

/**
 * CPU time of processes while `work` runs, milliseconds by name. None of them may restart
 * meanwhile.
 */
export async function cpuWhile(
  pids: Readonly<Record<string, number>>,
  work: () => Promise<void>,
): Promise<Record<string, number>> {
  const all = Object.entries(pids);
  const before = await Promise.all(all.map(([, pid]) => cpuMsOf(pid)));
  await work();
  const after = await Promise.all(all.map(([, pid]) => cpuMsOf(pid)));
  return Object.fromEntries(all.map(([name], n) => [name, (after[n] ?? 0) - (before[n] ?? 0)]));
}
