import { UsageEvent } from "@uag/proto/metering/v1/usage.ts";
import type { NotificationServiceServer } from "@uag/proto/notifications/v1/notifications.ts";
import { crashPoint } from "@uag/runtime/crash-point";
import type { RpcClient } from "@uag/runtime/rpc/client";
import { maxSleepMs, Wakeup } from "@uag/runtime/wakeup";
import type { TaskAdmission } from "@uag/usage/types";
import type { OutboxWorker } from "../context.ts";
import type { VideoEvents } from "../events.ts";
import type { Outbox, TaskDocument } from "../store/task.ts";
import type { TaskStore } from "../store/tasks.ts";

const maxConcurrent = 32;
const afterFailureMs = 1_000;
const firstDelayMs = 1_000;
const maxDelayMs = 60_000;

export interface TaskOutboxOptions {
  readonly tasks: TaskStore;
  readonly admission: TaskAdmission;
  readonly video: VideoEvents;
  readonly notifications: Pick<RpcClient<NotificationServiceServer>, "sendWebhook">;
  /** How long one process has for what it claimed. */
  readonly leaseMs: number;
}

/**
 * Processes the outbox written at a task's end: its bill and its webhook. The process that ended
 * the task does so at once; whatever failed, or a dead process left behind, is claimed by any
 * replica until it is done. Both steps are idempotent, and neither waits for the other.
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
    const { tasks, video } = this.#options;
    crashPoint("task-ended");
    const [settled, sent] = await Promise.allSettled([this.#settle(task), this.#sendWebhook(task)]);
    crashPoint("task-billed");
    if (settled.status === "rejected") video.settleFailed(task, settled.reason);
    if (sent.status === "rejected") video.stumbled("webhook", sent.reason);
    try {
      if (settled.status === "rejected") return await this.#postpone(task);
      if (sent.status === "rejected") return await this.#postpone(task, "settle");
      await tasks.outboxDone(task._id);
      video.settled(task);
    } catch (error) {
      // The claim expires on its own.
      video.stumbled("outbox", error);
    }
  }

  /** @param done the step that need not be repeated */
  async #postpone(task: TaskDocument, done?: keyof Outbox): Promise<void> {
    const delayMs = Math.min(maxDelayMs, firstDelayMs * 2 ** (task.outboxTries ?? 0));
    await this.#options.tasks.outboxLater(task, { delayMs, done });
    this.#wakeup.wakeAt(Date.now() + delayMs);
  }

  async #settle({ outbox: { settle } = {} }: TaskDocument): Promise<void> {
    if (settle !== undefined) await this.#options.admission.settleTask(UsageEvent.decode(settle));
  }

  async #sendWebhook({ accountId, ids, outbox: { webhook } = {} }: TaskDocument): Promise<void> {
    if (webhook !== undefined) await this.#options.notifications.sendWebhook({ accountId, taskIds: ids, ...webhook });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#loop;
    await Promise.all(this.#running);
  }
}
