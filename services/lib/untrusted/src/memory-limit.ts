import { totalmem } from "node:os";
import { ConfigError } from "@uag/runtime/config";
import type { Logger } from "@uag/runtime/log";
import { z } from "zod";
import { type BufferLimits, defaultBufferLimits } from "./buffer-budget.ts";

/** The memory of one process, MiB. */
export interface ProcessMemory {
  /** What its chart and the compose file allow it. */
  readonly limitMiB: number;
  /** Resident without requests, as measured for `infra/README.md`. */
  readonly restMiB: number;
}

/** The memory of every service's processes: the single table, by which charts are checked too. */
export const processMemory = {
  auditor: { limitMiB: 1_024, restMiB: 109 },
  billing: { limitMiB: 1_024, restMiB: 151 },
  chat: { limitMiB: 1_024, restMiB: 196 },
  console: { limitMiB: 1_024, restMiB: 133 },
  embedding: { limitMiB: 1_024, restMiB: 183 },
  mcp: { limitMiB: 1_024, restMiB: 108 },
  media: { limitMiB: 1_024, restMiB: 180 },
  metering: { limitMiB: 1_024, restMiB: 134 },
  notifications: { limitMiB: 1_024, restMiB: 123 },
  router: { limitMiB: 1_024, restMiB: 120 },
  speech: { limitMiB: 1_024, restMiB: 217 },
  video: { limitMiB: 1_024, restMiB: 172 },
} as const satisfies Record<string, ProcessMemory>;

const mebi = 1024 * 1024;
/**
 * Memory per byte that a budget counts: the byte itself, its text, which takes up two bytes per
 * character where one is beyond Latin-1, and what is encoded from it for an upstream.
 */
const memoryPerByte = 4;
/** What is neither at rest nor counted: garbage, the connections' own buffers, a growing heap. */
const uncountedBytes = 128 * mebi;
/** A budget below the largest JSON body would refuse some requests for ever. */
const leastBudgetBytes = 32 * mebi;
const { smallBytes } = defaultBufferLimits;

/** The setting of every service that has a buffer budget. */
export const bufferSettings = {
  BUFFER_MEMORY_BYTES: z.coerce
    .number()
    .int()
    .positive()
    .optional()
    .describe(
      "Maximum bytes of request bodies, files and responses in memory; further requests wait or get 503. Unset: what fits into the process's memory limit, at most 512 MiB; without a limit, what fits into the limit of its chart.",
    ),
} as const;

/** Inputs of {@link bufferLimitsOf}. */
export interface BufferSettings {
  readonly service: keyof typeof processMemory;
  /** The operator's own settings, bytes. */
  readonly totalBytes: number | undefined;
  readonly ownerBytes: number | undefined;
  /** What one owner must be able to hold at least, bytes. */
  readonly leastOwnerBytes: number;
  readonly log: Logger;
  /** Default: the limit of the process's cgroup. */
  readonly limitBytes?: number | undefined;
}

/**
 * The memory limit of the process's cgroup (`memory.max`, or `memory.limit_in_bytes` of version 1),
 * bytes; undefined when there is none.
 */
function cgroupLimit(): number | undefined {
  const limit = process.constrainedMemory();
  return limit > 0 && limit < totalmem() ? limit : undefined;
}

/**
 * The limits of a process's buffer budget: the operator's, or what fits into the process's memory
 * limit beside what it needs at rest. A process without a memory limit follows its chart's, so that
 * bursts cost the same wherever it runs. One owner may hold a quarter.
 * @throws {ConfigError} when the memory limit leaves no room for requests
 */
export function bufferLimitsOf(settings: BufferSettings): BufferLimits {
  const { service, log, limitBytes = cgroupLimit() } = settings;
  const fitting = fittingBytes(service, limitBytes ?? processMemory[service].limitMiB * mebi);
  const totalBytes = settings.totalBytes ?? Math.min(defaultBufferLimits.totalBytes, fitting);
  if (limitBytes !== undefined && totalBytes > fitting) {
    const text = `BUFFER_MEMORY_BYTES exceeds what fits into the process's memory limit, so the process may be killed. Set ${fitting} or less, or raise the limit.`;
    log.warn({ memory_limit: limitBytes, buffer_memory: totalBytes }, text);
  }
  const share = Math.max(Math.floor(totalBytes / 4), Math.min(settings.leastOwnerBytes, totalBytes));
  return { totalBytes, ownerBytes: settings.ownerBytes ?? share, smallBytes };
}

function fittingBytes(service: keyof typeof processMemory, limitBytes: number): number {
  const restBytes = Math.max(processMemory[service].restMiB * mebi, process.memoryUsage.rss());
  const needed = restBytes + uncountedBytes;
  const fitting = Math.floor((limitBytes - needed) / memoryPerByte) - smallBytes;
  if (fitting >= leastBudgetBytes) return fitting;
  const least = Math.ceil((needed + (leastBudgetBytes + smallBytes) * memoryPerByte) / mebi);
  throw new ConfigError(
    `The memory limit of ${Math.floor(limitBytes / mebi)} MiB leaves no room for requests: ${service} uses ${Math.ceil(restBytes / mebi)} MiB when idle. Set it to ${least} MiB or more.`,
  );
}
