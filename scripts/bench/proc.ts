import { readdirSync, readFileSync } from "node:fs";

/** USER_HZ: the unit of processor time in /proc; 100 on every Linux that Node supports. */
const ticksPerSecond = 100;

export interface ProcessStat {
  readonly pid: number;
  readonly parent: number;
  /** Processor seconds, user and system, of all its threads and of the children it has reaped. */
  readonly cpuSeconds: number;
  /**
   * Its start time, in ticks since boot: distinguishes a process from a later one with the same
   * pid.
   */
  readonly startTick: number;
}

/**
 * Reads the text of /proc/<pid>/stat (proc_pid_stat(5)). The command name may hold spaces and
 * parentheses.
 */
export function parseStat(text: string): ProcessStat {
  const close = text.lastIndexOf(")");
  const fields = text.slice(close + 2).split(" ");
  // The first field after the name is number 3 of the manual page.
  const field = (number: number) => Number(fields[number - 3]);
  const ticks = field(14) + field(15) + field(16) + field(17);
  return {
    pid: Number.parseInt(text, 10),
    parent: field(4),
    cpuSeconds: ticks / ticksPerSecond,
    startTick: field(22),
  };
}

/**
 * Resident KiB from the text of /proc/<pid>/smaps_rollup, which is exact where other counters lag
 * behind by pages a thread.
 */
export function parseResidentKib(text: string): number {
  const kib = /^Rss:\s+(\d+) kB$/m.exec(text)?.[1];
  if (kib === undefined) throw new Error("no Rss in smaps_rollup");
  return Number(kib);
}

function readStat(pid: number): ProcessStat | undefined {
  try {
    return parseStat(readFileSync(`/proc/${pid}/stat`, "latin1"));
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
}

function isGone(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException).code;
  return code === "ENOENT" || code === "ESRCH";
}

/** Processes by their name in the report; the value is the pid of each one's root process. */
export type ProcessTable = ReadonlyMap<string, number>;

/** CPU and memory of every process of a table at one moment, its living descendants included. */
export interface Usage {
  readonly cpuSeconds: ReadonlyMap<string, number>;
  readonly startTicks: ReadonlyMap<string, number>;
}

/** Throws if a process of the table has ended, because its figures would be wrong. */
export function readUsage(table: ProcessTable): Usage {
  const children = childrenByParent();
  const named = new Set(table.values());
  const cpuSeconds = new Map<string, number>();
  const startTicks = new Map<string, number>();
  for (const [name, pid] of table) {
    const own = readStat(pid);
    if (own === undefined) throw new Error(`the process ${name} (${pid}) has ended`);
    startTicks.set(name, own.startTick);
    let total = 0;
    const open = [own];
    for (let stat = open.pop(); stat !== undefined; stat = open.pop()) {
      total += stat.cpuSeconds;
      for (const child of children.get(stat.pid) ?? []) if (!named.has(child.pid)) open.push(child);
    }
    cpuSeconds.set(name, total);
  }
  return { cpuSeconds, startTicks };
}

function childrenByParent(): Map<number, ProcessStat[]> {
  const children = new Map<number, ProcessStat[]>();
  for (const entry of readdirSync("/proc")) {
    const pid = Number(entry);
    const stat = Number.isInteger(pid) ? readStat(pid) : undefined;
    if (stat === undefined) continue;
    const siblings = children.get(stat.parent);
    if (siblings === undefined) children.set(stat.parent, [stat]);
    else siblings.push(stat);
  }
  return children;
}

/**
 * CPU seconds each process used between two readings. Throws when one was replaced by another in
 * between.
 */
export function cpuBetween(before: Usage, after: Usage): Map<string, number> {
  const used = new Map<string, number>();
  for (const [name, seconds] of after.cpuSeconds) {
    if (before.startTicks.get(name) !== after.startTicks.get(name)) throw new Error(`${name} was restarted meanwhile`);
    used.set(name, seconds - (before.cpuSeconds.get(name) ?? 0));
  }
  return used;
}

export function totalSeconds(used: ReadonlyMap<string, number>): number {
  let total = 0;
  for (const seconds of used.values()) total += seconds;
  return total;
}

/** Resident KiB of each process itself. */
export function readResident(table: ProcessTable): Map<string, number> {
  const resident = new Map<string, number>();
  for (const [name, pid] of table) {
    resident.set(name, parseResidentKib(readFileSync(`/proc/${pid}/smaps_rollup`, "latin1")));
  }
  return resident;
}

/**
 * Processor seconds the whole machine has spent since boot, on any program or in the hypervisor,
 * from /proc/stat's text.
 */
export function parseMachineBusy(text: string): number {
  const [user, nice, system, , , irq, softirq, steal] = text.split("\n", 1)[0]!.split(/\s+/).slice(1).map(Number);
  return (user! + nice! + system! + irq! + softirq! + steal!) / ticksPerSecond;
}

/** Measures how much of the machine was used by programs outside the benchmark. */
export class OtherPrograms {
  readonly #own: ProcessTable;
  readonly #cores: number;
  readonly #startedAt = performance.now();
  readonly #usage: Usage;
  readonly #busy = readMachineBusy();

  constructor(options: { readonly own: ProcessTable; readonly cores: number }) {
    this.#own = options.own;
    this.#cores = options.cores;
    this.#usage = readUsage(options.own);
  }

  /** Their share of all the machine's processor time since its creation, 0 to 1. */
  share(): number {
    const own = totalSeconds(cpuBetween(this.#usage, readUsage(this.#own)));
    const others = readMachineBusy() - this.#busy - own;
    return Math.max(0, others / this.#cores / ((performance.now() - this.#startedAt) / 1_000));
  }
}

function readMachineBusy(): number {
  return parseMachineBusy(readFileSync("/proc/stat", "latin1"));
}
