import type { CommandPrefix } from "@uag/local/service-processes";
import { UserError } from "@uag/local/terminal/step";
import { type ProcessMemory, processMemory } from "@uag/untrusted/memory-limit";
import { MemoryCgroups } from "./cgroups.ts";

const mebi = 1024 * 1024;
const units: Readonly<Record<string, number>> = { MiB: 1, GiB: 1_024 };
const table: Readonly<Record<string, ProcessMemory>> = processMemory;

/** The limit of a service, MiB. @throws {UserError} for an invalid size */
function limitOf(service: string, size: string): number | undefined {
  const row = table[service];
  if (row === undefined || size === "chart") return row?.limitMiB;
  const [, count, unit = ""] = /^(\d+) ?(MiB|GiB)$/.exec(size) ?? [];
  if (count === undefined) throw new UserError(`--memory ${size}: must be a size such as 1GiB, or "chart"`);
  return Number(count) * (units[unit] as number);
}

/** Runs services within memory limits: in cgroups, or by comparing peaks if cgroups are unavailable. */
export class MemoryLimits implements Disposable {
  readonly #size: string;
  readonly #cgroups = MemoryCgroups.open();

  /** @param size of every service, such as `1GiB`, or `chart` */
  constructor(size: string) {
    limitOf("router", size);
    this.#size = size;
  }

  /** Whether a process beyond its limit is killed. */
  get enforced(): boolean {
    return this.#cgroups !== undefined;
  }

  /** The prefix of a service's command; undefined for other programs. */
  prefixOf(service: string): CommandPrefix | undefined {
    const limitMiB = limitOf(service, this.#size);
    return limitMiB === undefined ? undefined : this.#cgroups?.prefixOf(service, limitMiB * mebi);
  }

  /** A sentence for every process whose peak, MiB, exceeds its limit. */
  exceeded(peaks: Readonly<Record<string, number>>): string[] {
    return Object.entries(peaks).flatMap(([name, peakMiB]) => {
      const limitMiB = limitOf(name, this.#size);
      if (limitMiB === undefined || peakMiB <= limitMiB) return [];
      return [`${name} peaked at ${Math.round(peakMiB)} MiB, above its limit of ${limitMiB} MiB`];
    });
  }

  [Symbol.dispose](): void {
    this.#cgroups?.[Symbol.dispose]();
  }
}
