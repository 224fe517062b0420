import { z } from "zod";

const entrySchema = z.object({
  request_id: z.string().nullable(),
  at: z.string(),
  duration_ms: z.number(),
  provider: z.string(),
  status: z.number(),
  usage: z.record(z.string(), z.unknown()).nullable(),
  units: z.looseObject({ images: z.number().optional() }).nullish(),
  charged: z.object({ rule: z.enum(["whole", "made", "nothing"]), output_tokens: z.number().optional() }).nullish(),
  task: z.object({ id: z.string(), polls: z.number() }).nullish(),
  outcome: z.enum(["completed", "cut", "disconnected", "lost"]),
  faults: z.record(z.string(), z.unknown()),
});

const pageSchema = z.object({
  entries: z.array(entrySchema),
  next_since: z.number(),
  has_more: z.boolean(),
  dropped: z.number(),
});

/** One attempt as logged by the simulator. */
export interface Served {
  /** The gateway's request id; undefined for calls by others. */
  readonly requestId: string | undefined;
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  readonly status: number;
  /** As reported to the gateway; undefined when it was not. */
  readonly usage: Readonly<Record<string, unknown>> | undefined;
  /** Number of images made; undefined where images are not counted. */
  readonly images: number | undefined;
  /**
   * What the provider charges: the whole response, what it had made when the client disconnected, or
   * nothing; undefined for tasks.
   */
  readonly charged: "whole" | "made" | "nothing" | undefined;
  /** The task that the attempt created, or polled so many times; undefined for other calls. */
  readonly task?: { readonly id: string; readonly polls: number } | undefined;
  readonly outcome: "completed" | "cut" | "disconnected" | "lost";
  /** The faults of the attempt, by name. */
  readonly faults: Readonly<Record<string, unknown>>;
}

export interface ServedLog {
  readonly attempts: readonly Served[];
  /** False when the simulator has dropped its oldest entries. */
  readonly complete: boolean;
}

const pageSize = 10_000;

/** Reads the simulator's complete truth log. */
export async function readServed(simulatorUrl: string): Promise<ServedLog> {
  const attempts: Served[] = [];
  let since = 0;
  for (;;) {
    const response = await fetch(`${simulatorUrl}/sim/log?since=${since}&limit=${pageSize}`);
    if (!response.ok) throw new Error(`the simulator responded ${response.status} to a request for its log`);
    const page = pageSchema.parse(await response.json());
    for (const entry of page.entries) {
      const startedAtMs = Date.parse(entry.at);
      attempts.push({
        requestId: entry.request_id ?? undefined,
        startedAtMs,
        endedAtMs: startedAtMs + entry.duration_ms,
        status: entry.status,
        usage: entry.usage ?? undefined,
        images: entry.units?.images,
        charged: entry.charged?.rule,
        ...(entry.task && { task: entry.task }),
        outcome: entry.outcome,
        faults: entry.faults,
      });
    }
    if (!page.has_more) return { attempts, complete: page.dropped === 0 };
    since = page.next_since;
  }
}
