import { setTimeout as sleep } from "node:timers/promises";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import { type Clock, type Moment, maxSkewMs, momentOf, msSince, systemClock } from "@uag/runtime/clock";
import type { HealthCheck } from "@uag/runtime/health";
import type { Logger } from "@uag/runtime/log";
import type { Metrics } from "@uag/runtime/metrics";
import type { Connection } from "mongoose";

const measureEveryMs = 5_000;
/** After this long without a measurement the time counts as unknown. */
const maxAgeMs = 60_000;
/** A slower response says too little about the time at which it was sent. */
const maxRoundTripMs = 2_000;

/** What a {@link DatabaseClock} is measured with, and what it reports. */
export interface DatabaseClockOptions {
  /** Reads the database's time, Unix milliseconds. */
  readonly read: () => Promise<number>;
  readonly clock?: Clock;
  /** This process's clock began or ceased to differ by more than {@link maxSkewMs}. */
  readonly changed: (skewMs: number, skewed: boolean) => void;
}

/**
 * The primary's time, measured by `hello` and carried on by the monotonic clock: reading it takes
 * no round trip, and setting this machine's clock does not move it. If the two clocks of this
 * machine disagree since the last measurement, it was set or suspended, and the time is measured
 * again first. https://www.mongodb.com/docs/manual/reference/command/hello/ (`localTime`)
 */
export class DatabaseClock implements Disposable {
  readonly #options: DatabaseClockOptions;
  readonly #clock: Clock;
  readonly #stop = new AbortController();
  #measured: { readonly at: Moment; readonly databaseMs: number } | undefined;
  #measuring: Promise<void> | undefined;
  #skewMs = 0;

  constructor(options: DatabaseClockOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
  }

  /** Keeps measuring until disposed. */
  start(): this {
    void this.#keepMeasuring();
    return this;
  }

  /** @throws {GatewayError} `service_unavailable` while the time is not known */
  now(): number {
    const now = this.#known();
    if (now === undefined) throw unknownTime(undefined);
    return now;
  }

  /**
   * Like {@link now}, but measures first if necessary. @throws {GatewayError} `service_unavailable`
   * when the database does not respond
   */
  async moment(): Promise<number> {
    const known = this.#known();
    if (known !== undefined) return known;
    await this.#measure().catch((error: unknown) => {
      throw unknownTime(error);
    });
    return this.now();
  }

  /** This process's clock minus the database's, milliseconds, at the last measurement. */
  get skewMs(): number {
    return this.#skewMs;
  }

  /** Whether this process's own clock is correct, and has not been set since that was measured. */
  get inStep(): boolean {
    return this.#known() !== undefined && Math.abs(this.#skewMs) <= maxSkewMs;
  }

  /** @throws {GatewayError} `service_unavailable` while this process's clock is wrong */
  requireInStep(): void {
    if (this.inStep) return;
    throw new GatewayError("service_unavailable", undefined, { cause: new Error(this.#reason), retryAfterMs: 1_000 });
  }

  readonly check: HealthCheck = async () => {
    await this.moment();
    return this.inStep ? { ok: true } : { ok: false, reason: this.#reason };
  };

  get #reason(): string {
    if (this.#known() === undefined) return "The database's time is unknown.";
    return `The clock differs from the database's by ${this.#skewMs} ms; at most ${maxSkewMs} ms are allowed.`;
  }

  #known(): number | undefined {
    if (this.#measured === undefined) return undefined;
    const elapsedMs = msSince(this.#clock, this.#measured.at);
    return elapsedMs > maxAgeMs ? undefined : Math.round(this.#measured.databaseMs + elapsedMs);
  }

  #measure(): Promise<void> {
    this.#measuring ??= this.#measureOnce().finally(() => {
      this.#measuring = undefined;
    });
    return this.#measuring;
  }

  async #measureOnce(): Promise<void> {
    const sentAt = this.#clock.monotonic();
    const readMs = await this.#options.read();
    const at = momentOf(this.#clock);
    const roundTripMs = at.monotonic - sentAt;
    if (roundTripMs > maxRoundTripMs)
      throw new Error(`the database took ${Math.round(roundTripMs)} ms to return its time`);
    const databaseMs = readMs + roundTripMs / 2;
    const wasSkewed = Math.abs(this.#skewMs) > maxSkewMs;
    this.#measured = { at, databaseMs };
    this.#skewMs = Math.round(at.wall - databaseMs);
    const skewed = Math.abs(this.#skewMs) > maxSkewMs;
    if (skewed !== wasSkewed) this.#options.changed(this.#skewMs, skewed);
  }

  async #keepMeasuring(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      // Without a response the last measurement counts until it is too old.
      await this.#measure().catch(() => undefined);
      await sleep(measureEveryMs, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  [Symbol.dispose](): void {
    this.#stop.abort();
  }
}

function unknownTime(cause: unknown): GatewayError {
  const reason = new Error("the database's time is unknown", { cause });
  return new GatewayError("service_unavailable", undefined, { cause: reason, retryAfterMs: 1_000 });
}

/** Reads the primary's time. */
async function readHello(connection: Connection): Promise<number> {
  const { localTime } = await connection.getClient().db("admin").command({ hello: 1 }, { readPreference: "primary" });
  return (localTime as Date).getTime();
}

/**
 * Opens the clock of a connection's database, and measures it once. Logs when this process's clock
 * begins or ceases to differ too much.
 * @throws {GatewayError} `service_unavailable` when the database does not respond
 */
export async function openDatabaseClock(
  connection: Connection,
  { log, metrics }: { readonly log: Logger; readonly metrics: Metrics },
): Promise<DatabaseClock> {
  const changed = (skewMs: number, skewed: boolean): void => {
    if (skewed) log.error({ skewMs, maxSkewMs }, "the clock differs from the database's; admitting no requests");
    else log.info({ skewMs }, "the clock matches the database's again");
  };
  const clock = new DatabaseClock({ read: () => readHello(connection), changed }).start();
  metrics.sampled("uag_clock_skew_seconds", () => clock.skewMs / 1_000);
  await clock.moment();
  return clock;
}
