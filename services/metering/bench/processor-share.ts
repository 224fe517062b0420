import { access, mkdir, rmdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const root = "/sys/fs/cgroup";
/** Short, so that a process with a small share is not silent for long. */
const periodUs = 20_000;

/**
 * Keeps processes to so many per cent of one core each, by control groups of version 1 or 2, which
 * takes root. Disposing removes the groups, once their processes have ended.
 * https://docs.kernel.org/scheduler/sched-bwc.html
 */
export async function limitProcessors(pids: readonly number[], percent: number): Promise<AsyncDisposable> {
  const unified = await access(join(root, "cgroup.controllers")).then(
    () => true,
    () => false,
  );
  const quotaUs = Math.round((periodUs * percent) / 100);
  const groups = pids.map((pid) => join(root, unified ? "" : "cpu", `bench-${pid}`));
  for (const [n, group] of groups.entries()) {
    await mkdir(group);
    if (unified) await writeFile(join(group, "cpu.max"), `${quotaUs} ${periodUs}`);
    else {
      await writeFile(join(group, "cpu.cfs_period_us"), String(periodUs));
      await writeFile(join(group, "cpu.cfs_quota_us"), String(quotaUs));
    }
    await writeFile(join(group, "cgroup.procs"), String(pids[n]));
  }
  return { [Symbol.asyncDispose]: () => remove(groups) };
}

async function remove(groups: readonly string[]): Promise<void> {
  // A group is empty a moment after its process has ended.
  await sleep(500);
  for (const group of groups) await rmdir(group);
}
