import { UsageEvent } from "@uag/proto/metering/v1/usage.ts";
import { crashPoint } from "@uag/runtime/crash-point";
import type { TaskAdmission } from "@uag/usage/types";
import type { OutboxWorker } from "../context.ts";
import type { VideoEvents } from "../events.ts";
import type { PendingWebhook, TaskDocument } from "../store/task.ts";
import type { TaskStore } from "../store/tasks.ts";
import { maxSleepMs, Wakeup } from "../wakeup.ts";

const maxConcurrent = 32;
const afterFailureMs = 1_000;
const firstDelayMs = 1_000;
const maxDelayMs = 60_000;

export interface TaskOutboxOptions {
  readonly tasks: TaskStore;
  readonly admission: TaskAdmission;
  readonly video: VideoEvents;
  /** Queues a webhook for delivery; once per id, however often it is called. */
  readonly enqueue: (task: TaskDocument, webhook: PendingWebhook) => Promise<void>;
  /** How long one process has for what it claimed. */
  readonly leaseMs: number;
}

/**
 * Processes the outbox written at a task's end: its bill and its webhook. The process that ended
 * the task does so at once; whatever failed, or a dead process left behind, is claimed by any
 * replica until it is done. Both steps are idempotent.
 */
export class TaskOutbox implements OutboxWorker, AsyncDisposable {
  readonly #options: TaskOutboxOptions;
  readonly #stop = new AbortController();
  readonly #wakeup = new Wakeup();
  readonly #running = new Set<Promise<void>>();
  readonly #loop: Promise<void>;

  constructor(options: TaskOutboxOptions) {
    this.#options = options;
    this.#loop = this.#run();
  }

  process(task: TaskDocument): void {
    const work = this.#process(task).finally(() => this.#running.delete(work));
    this.#running.add(work);
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      const next = await this.#round().catch((error: unknown) => {
        this.#options.video.stumbled("outbox", error);
        return Date.now() + afterFailureMs;
      });
      await this.#wakeup.sleepUntil(next, signal);
    }
  }

  /** Claims pending outboxes. Returns when to do so again, Unix milliseconds. */
  async #round(): Promise<number> {
    const latest = Date.now() + maxSleepMs;
    const free = maxConcurrent - this.#running.size;
    if (free <= 0) return Date.now() + afterFailureMs;
    const { taken, nextAt } = await this.#options.tasks.claimOutbox(free, this.#options.leaseMs);
    for (const task of taken) this.process(task);
    return Math.min(nextAt?.getTime() ?? latest, latest);
  }

  async #process(task: TaskDocument): Promise<void> {
    const { tasks, video, enqueue, admission } = this.#options;
    const { settle, webhook } = task.outbox ?? {};
    try {
      crashPoint("task-ended");
      if (webhook !== undefined) await enqueue(task, webhook);
      if (settle !== undefined) await admission.settleTask(UsageEvent.decode(settle));
      crashPoint("task-billed");
      await tasks.outboxDone(task._id);
      video.settled(task);
    } catch (error) {
      video.settleFailed(task, error);
      const delayMs = Math.min(maxDelayMs, firstDelayMs * 2 ** (task.outboxTries ?? 0));
      // If even this fails, the claim expires on its own.
      await tasks.outboxLater(task, delayMs).catch((cause: unknown) => video.stumbled("outbox", cause));
      this.#wakeup.wakeAt(Date.now() + delayMs);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#loop;
    await Promise.all(this.#running);
  }
}
