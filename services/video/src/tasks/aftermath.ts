import type { TaskAdmission } from "@uag/admission/types.ts";
import { UsageEvent } from "@uag/proto/metering/v1/usage.ts";
import { Alarm, longestRestMs } from "../alarm.ts";
import type { Aftermath } from "../context.ts";
import type { VideoEvents } from "../events.ts";
import type { PendingWebhook, TaskDocument } from "../store/task.ts";
import type { TaskStore } from "../store/tasks.ts";

const mostAtOnce = 32;
const afterFailureMs = 1_000;
const firstDelayMs = 1_000;
const longestDelayMs = 60_000;

export interface AftermathOptions {
  readonly tasks: TaskStore;
  readonly admission: TaskAdmission;
  readonly video: VideoEvents;
  /** Hands a webhook over to those who send it; once for each id, however often it is called. */
  readonly enqueue: (task: TaskDocument, webhook: PendingWebhook) => Promise<void>;
  /** How long one process has for what it took up. */
  readonly leaseMs: number;
}

/**
 * Brings about what the end of a task wrote down with it: its bill and its webhook. Whoever ended
 * it does so at once; what a dead process left undone, or what failed, is taken up by any replica
 * until it is done. Both can be repeated.
 */
export class TaskAftermath implements Aftermath, AsyncDisposable {
  readonly #options: AftermathOptions;
  readonly #stop = new AbortController();
  readonly #alarm = new Alarm();
  readonly #running = new Set<Promise<void>>();
  readonly #loop: Promise<void>;

  constructor(options: AftermathOptions) {
    this.#options = options;
    this.#loop = this.#run();
  }

  begin(task: TaskDocument): void {
    const work = this.#bringAbout(task).finally(() => this.#running.delete(work));
    this.#running.add(work);
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      const next = await this.#round().catch((error: unknown) => {
        this.#options.video.stumbled("outbox", error);
        return Date.now() + afterFailureMs;
      });
      await this.#alarm.rest(next, signal);
    }
  }

  /** Takes up what was left undone; answers when to look again, Unix milliseconds. */
  async #round(): Promise<number> {
    const latest = Date.now() + longestRestMs;
    const free = mostAtOnce - this.#running.size;
    if (free <= 0) return Date.now() + afterFailureMs;
    const { taken, nextAt } = await this.#options.tasks.claimOutbox(free, this.#options.leaseMs);
    for (const task of taken) this.begin(task);
    return Math.min(nextAt?.getTime() ?? latest, latest);
  }

  async #bringAbout(task: TaskDocument): Promise<void> {
    const { tasks, video, enqueue, admission } = this.#options;
    const { settle, webhook } = task.outbox ?? {};
    try {
      if (webhook !== undefined) await enqueue(task, webhook);
      if (settle !== undefined) await admission.settleTask(UsageEvent.decode(settle));
      await tasks.outboxDone(task._id);
      video.settled(task);
    } catch (error) {
      video.settleFailed(task, error);
      const delayMs = Math.min(longestDelayMs, firstDelayMs * 2 ** (task.outboxTries ?? 0));
      // When even this fails, the claim runs out by itself.
      await tasks.outboxLater(task, delayMs).catch((cause: unknown) => video.stumbled("outbox", cause));
      this.#alarm.ring(Date.now() + delayMs);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#loop;
    await Promise.all(this.#running);
  }
}
