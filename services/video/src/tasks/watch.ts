import { setTimeout as sleep } from "node:timers/promises";
import { videoAdapter } from "@uag/upstreams/registry.ts";
import { type Alarm, longestRestMs } from "../alarm.ts";
import type { VideoContext } from "../context.ts";
import type { GoOn } from "../store/changes.ts";
import type { RateGate } from "../store/rate-gate.ts";
import type { TaskDocument } from "../store/task.ts";
import { attend } from "./attend.ts";
import { leaseMs } from "./pace.ts";

/** Tasks that this process looks at at once, of one provider. */
const mostAtOnce = 64;
const shortestRestMs = 10;
/** Rounds are apart by up to this, so that one round's calls to the database are for many tasks. */
const mostApartMs = 500;
/** How often providers are looked for that have tasks and are in the catalogue no more. */
const strangersMs = 30_000;
/** Tasks that go on are noted together, this long after the first of them. */
const gatherMs = 20;
const afterFailureMs = 1_000;

/**
 * Looks after the tasks of one provider, sharing them with all other replicas by claims in the
 * database.
 */
class ProviderWatch {
  readonly #context: VideoContext;
  readonly #gate: RateGate;
  readonly #provider: string;
  readonly #alarm: Alarm;
  readonly #running = new Set<Promise<void>>();
  readonly #goingOn: GoOn[] = [];
  #flushing: Promise<void> | undefined;

  constructor(context: VideoContext, gate: RateGate, provider: string) {
    this.#context = context;
    this.#gate = gate;
    this.#provider = provider;
    this.#alarm = context.alarms.of(provider);
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const next = await this.#round().catch((error: unknown) => {
        this.#context.video.stumbled("watch", error);
        return Date.now() + afterFailureMs;
      });
      await sleep(this.#apartMs, undefined, { signal, ref: false }).catch(() => undefined);
      await this.#alarm.rest(next, signal);
    }
    await Promise.all(this.#running);
    await this.#flush();
  }

  /** Takes what is due and sets off looking; answers when to do so again, Unix milliseconds. */
  async #round(): Promise<number> {
    const free = mostAtOnce - this.#running.size;
    // The first look to end rings.
    if (free === 0) return Date.now() + longestRestMs;
    const soonest = await this.#context.tasks.soonest(this.#provider, free);
    const now = Date.now();
    const due = soonest.filter(({ dueAt }) => dueAt.getTime() <= now);
    const [first] = soonest;
    if (due.length === 0) return Math.min(first?.dueAt.getTime() ?? Number.POSITIVE_INFINITY, now + longestRestMs);
    const allowed = await this.#gate.take(this.#provider, due.length);
    const ids = due.slice(0, allowed).map(({ _id }) => _id);
    if (allowed > 0) {
      for (const task of await this.#context.tasks.claimDue(ids, leaseMs(this.#context.settings))) this.#look(task);
    }
    return now;
  }

  get #apartMs(): number {
    return Math.min(mostApartMs, Math.max(shortestRestMs, 500 * this.#context.settings.POLL_SCALE));
  }

  #look(task: TaskDocument): void {
    const looking = attend(this.#context, task)
      .then((change) => {
        if (change !== undefined) this.#note(change);
      })
      .catch((error: unknown) => this.#context.video.stumbled("look", error))
      .finally(() => {
        if (this.#running.size === mostAtOnce) this.#alarm.ring();
        this.#running.delete(looking);
      });
    this.#running.add(looking);
  }

  #note(change: GoOn): void {
    this.#goingOn.push(change);
    this.#flushing ??= sleep(gatherMs, undefined, { ref: false }).then(() => this.#flush());
  }

  async #flush(): Promise<void> {
    this.#flushing = undefined;
    const changes = this.#goingOn.splice(0);
    // What is not noted falls due again when its claim runs out.
    await this.#context.tasks.goOn(changes).catch((error: unknown) => this.#context.video.stumbled("note", error));
    for (const { dueAt } of changes) this.#alarm.ring(dueAt.getTime());
  }
}

/** Looks after all unfinished tasks until disposed; then finishes the looks under way. */
export function watchTasks(context: VideoContext, gate: RateGate): AsyncDisposable {
  const stop = new AbortController();
  const watches = new Map<string, Promise<void>>();
  const follow = (name: string): void => {
    if (!watches.has(name)) watches.set(name, new ProviderWatch(context, gate, name).run(stop.signal));
  };
  const followCatalog = (): void => {
    for (const { name, protocol } of context.catalog.current.providers.values())
      if (videoAdapter(protocol) !== undefined) follow(name);
  };
  const followTasks = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      followCatalog();
      await context.tasks.liveProviders().then(
        (names) => names.forEach(follow),
        (error: unknown) => context.video.stumbled("watch", error),
      );
      await sleep(strangersMs, undefined, { signal: stop.signal, ref: false }).catch(() => undefined);
    }
  };
  const following = followTasks();
  return {
    async [Symbol.asyncDispose]() {
      stop.abort();
      await following;
      await Promise.all(watches.values());
    },
  };
}
