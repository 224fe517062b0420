import { setTimeout as sleep } from "node:timers/promises";
import { adapterFor } from "@uag/providers/registry";
import { maxSleepMs, type Wakeup } from "@uag/runtime/wakeup";
import type { VideoContext } from "../context.ts";
import type { Reschedule } from "../store/changes.ts";
import type { RateGate } from "../store/rate-gate.ts";
import type { TaskDocument } from "../store/task.ts";
import { expireOverdue, pollTask } from "./poll.ts";
import { leaseMs } from "./poll-schedule.ts";

/** Tasks of one provider that this process polls concurrently. */
const maxConcurrent = 64;
const minGapMs = 10;
/** Maximum gap between rounds, so that one round's database calls cover many tasks. */
const maxGapMs = 500;
/** How often to look for providers that still have tasks but have left the catalogue. */
const removedProvidersMs = 30_000;
/** Rescheduled tasks are written in one batch, this long after the first of them. */
const batchDelayMs = 20;
const afterFailureMs = 1_000;
/** How long to wait while this process's clock is wrong. */
const outOfStepMs = 1_000;

/** Polls the tasks of one provider, which all replicas share by claims in the database. */
class ProviderPoller {
  readonly #context: VideoContext;
  readonly #gate: RateGate;
  readonly #provider: string;
  readonly #wakeup: Wakeup;
  readonly #running = new Set<Promise<void>>();
  readonly #rescheduled: Reschedule[] = [];
  #flushing: Promise<void> | undefined;

  constructor(context: VideoContext, gate: RateGate, provider: string) {
    this.#context = context;
    this.#gate = gate;
    this.#provider = provider;
    this.#wakeup = context.wakeups.of(provider);
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const next = await this.#round().catch((error: unknown) => {
        this.#context.video.stumbled("poller", error);
        return Date.now() + afterFailureMs;
      });
      await sleep(this.#gapMs, undefined, { signal, ref: false }).catch(() => undefined);
      await this.#wakeup.sleepUntil(next, signal);
    }
    await Promise.all(this.#running);
    await this.#flush();
  }

  /** Claims and polls what is due. Returns when to do so again, Unix milliseconds. */
  async #round(): Promise<number> {
    // By a wrong clock tasks would expire before their time, or never.
    if (!this.#context.clock.inStep) return Date.now() + outOfStepMs;
    const free = maxConcurrent - this.#running.size;
    // The first poll to finish wakes this loop.
    if (free === 0) return Date.now() + maxSleepMs;
    const soonest = await this.#context.tasks.soonest(this.#provider, free);
    const now = Date.now();
    const due = soonest.filter(({ dueAt }) => dueAt.getTime() <= now);
    const [first] = soonest;
    if (due.length === 0) return Math.min(first?.dueAt.getTime() ?? Number.POSITIVE_INFINITY, now + maxSleepMs);
    const allowed = await this.#gate.take(this.#provider, due.length);
    const ids = due.slice(0, allowed).map(({ _id }) => _id);
    if (allowed > 0) {
      for (const task of await this.#context.tasks.claimDue(ids, leaseMs(this.#context.settings))) this.#poll(task);
    }
    return now;
  }

  get #gapMs(): number {
    return Math.min(maxGapMs, Math.max(minGapMs, 500 * this.#context.settings.POLL_SCALE));
  }

  #poll(task: TaskDocument): void {
    const polling = pollTask(this.#context, task)
      .then((change) => {
        if (change !== undefined) this.#reschedule(change);
      })
      .catch((error: unknown) => {
        this.#context.video.stumbled("poll", error);
        return expireOverdue(this.#context, task);
      })
      .catch((error: unknown) => this.#context.video.stumbled("expire", error))
      .finally(() => {
        if (this.#running.size === maxConcurrent) this.#wakeup.wakeAt();
        this.#running.delete(polling);
      });
    this.#running.add(polling);
  }

  #reschedule(change: Reschedule): void {
    this.#rescheduled.push(change);
    this.#flushing ??= sleep(batchDelayMs, undefined, { ref: false }).then(() => this.#flush());
  }

  async #flush(): Promise<void> {
    this.#flushing = undefined;
    const changes = this.#rescheduled.splice(0);
    // A task not rescheduled falls due again when its claim expires.
    await this.#context.tasks
      .reschedule(changes)
      .catch((error: unknown) => this.#context.video.stumbled("reschedule", error));
    for (const { dueAt } of changes) this.#wakeup.wakeAt(dueAt.getTime());
  }
}

/** Polls all unfinished tasks until disposed; then finishes the polls in flight. */
export function pollTasks(context: VideoContext, gate: RateGate): AsyncDisposable {
  const stop = new AbortController();
  const pollers = new Map<string, Promise<void>>();
  const startPoller = (name: string): void => {
    if (!pollers.has(name)) pollers.set(name, new ProviderPoller(context, gate, name).run(stop.signal));
  };
  const followCatalog = (): void => {
    for (const { name, protocol } of context.catalog.current.providers.values())
      if (adapterFor("video", protocol) !== undefined) startPoller(name);
  };
  const followTasks = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      followCatalog();
      await context.tasks.liveProviders().then(
        (names) => names.forEach(startPoller),
        (error: unknown) => context.video.stumbled("poller", error),
      );
      await sleep(removedProvidersMs, undefined, { signal: stop.signal, ref: false }).catch(() => undefined);
    }
  };
  const following = followTasks();
  return {
    async [Symbol.asyncDispose]() {
      stop.abort();
      await following;
      await Promise.all(pollers.values());
    },
  };
}
