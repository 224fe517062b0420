import type { LogEntry } from "./entry.ts";

interface Gauge {
  now: number;
  max: number;
}

/** An attempt in flight and its progress. */
export interface OpenAttempt {
  readonly attempt: number;
  readonly model: string | null;
  readonly request_id: string | null;
  readonly chunks: number;
  readonly bytes: number;
}

export interface Stats {
  readonly in_flight: Gauge;
  /** The oldest 1,000 attempts in flight. */
  readonly open: readonly OpenAttempt[];
  readonly models: { readonly [model: string]: Gauge };
  readonly keys: { readonly [keyHash: string]: Gauge };
  readonly totals: {
    readonly attempts: number;
    readonly by_provider: { readonly [provider: string]: number };
    readonly by_status: { readonly [status: string]: number };
    readonly by_outcome: { readonly [outcome: string]: number };
    readonly content_tokens: number;
    readonly bytes: number;
  };
}

function enter(gauges: Map<string, Gauge>, name: string): number {
  const gauge = gauges.get(name) ?? { now: 0, max: 0 };
  gauge.now++;
  gauge.max = Math.max(gauge.max, gauge.now);
  gauges.set(name, gauge);
  return gauge.now;
}

function leave(gauges: Map<string, Gauge>, name: string): void {
  const gauge = gauges.get(name);
  if (gauge !== undefined) gauge.now--;
}

function count(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

/** Counts attempts in flight, and the totals since the simulator started. */
export class InFlight {
  readonly #all: Gauge = { now: 0, max: 0 };
  readonly #open = new Map<number, () => OpenAttempt>();
  readonly #models = new Map<string, Gauge>();
  readonly #keys = new Map<string, Gauge>();
  readonly #byProvider = new Map<string, number>();
  readonly #byStatus = new Map<string, number>();
  readonly #byOutcome = new Map<string, number>();
  #tokens = 0;
  #bytes = 0;

  /** Requests in flight now. */
  get now(): number {
    return this.#all.now;
  }

  /** Call `leave` with the same names when the attempt ends. */
  enter(model: string, keyHash: string): LogEntry["concurrency"] {
    this.#all.now++;
    this.#all.max = Math.max(this.#all.max, this.#all.now);
    return { total: this.#all.now, model: enter(this.#models, model), key: enter(this.#keys, keyHash) };
  }

  /** Makes the progress of an attempt visible until it leaves. */
  watch(attempt: number, look: () => OpenAttempt): void {
    this.#open.set(attempt, look);
  }

  leave(model: string, keyHash: string, entry: LogEntry): void {
    this.#open.delete(entry.attempt);
    this.#all.now--;
    leave(this.#models, model);
    leave(this.#keys, keyHash);
    count(this.#byProvider, entry.provider);
    count(this.#byStatus, String(entry.status));
    count(this.#byOutcome, entry.outcome);
    this.#tokens += entry.delivered.content_tokens;
    this.#bytes += entry.delivered.bytes;
  }

  stats(): Stats {
    let attempts = 0;
    for (const total of this.#byProvider.values()) attempts += total;
    return {
      in_flight: { ...this.#all },
      open: [...this.#open.values()].slice(0, 1000).map((look) => look()),
      models: Object.fromEntries(this.#models),
      keys: Object.fromEntries(this.#keys),
      totals: {
        attempts,
        by_provider: Object.fromEntries(this.#byProvider),
        by_status: Object.fromEntries(this.#byStatus),
        by_outcome: Object.fromEntries(this.#byOutcome),
        content_tokens: this.#tokens,
        bytes: this.#bytes,
      },
    };
  }
}
