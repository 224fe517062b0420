import { setTimeout as wait } from "node:timers/promises";
import { endOf, type Phase, phaseAt, startOf, type Task } from "./task.ts";

const replyWithinMs = 5000;
const attemptsAtEnd = 3;
// setTimeout supports no longer delays.
const maxWaitMs = 2_147_483_647;

export interface CallbackOptions {
  /** The callback body for a task in a phase. */
  readonly bodyOf: (task: Task, phase: Phase) => unknown;
}

/** Posts the callbacks of tasks that requested them: one per phase, none for a cancelled task. */
export class CallbackPlanner {
  readonly #closed = new AbortController();
  readonly #bodyOf: CallbackOptions["bodyOf"];

  constructor(options: CallbackOptions) {
    this.#bodyOf = options.bodyOf;
  }

  /** Plans the remaining callbacks of a task. */
  plan(task: Task): void {
    if (task.callback === undefined) return;
    this.#run(task).catch((cause: unknown) => {
      if (!this.#closed.signal.aborted) process.stderr.write(`simulator: callback of ${task.id}: ${cause}\n`);
    });
  }

  close(): void {
    this.#closed.abort();
  }

  async #run(task: Task): Promise<void> {
    const { reverse = false } = task.callback ?? {};
    const started = Date.now();
    if (started <= task.createdAt + 1000 && !reverse) await this.#post(task, "queued", 1);
    if (started <= startOf(task) && !reverse) {
      await this.#until(startOf(task));
      if (phaseAt(task, Date.now()) === "running") await this.#post(task, "running", 1);
    }
    if (started > endOf(task) || !Number.isFinite(endOf(task))) return;
    await this.#until(endOf(task));
    const last = phaseAt(task, Date.now());
    if (last !== "succeeded" && last !== "failed" && last !== "expired") return;
    await this.#post(task, last, last === "expired" ? 1 : attemptsAtEnd);
    if (!reverse) return;
    await this.#post(task, "running", 1);
    await this.#post(task, "queued", 1);
  }

  /**
   * Uses the clock that determines a task's phase: a timer uses another one, and may be a
   * millisecond early.
   */
  async #until(time: number): Promise<void> {
    for (let left = time - Date.now(); left > 0; left = time - Date.now()) {
      await wait(Math.min(maxWaitMs, left), undefined, { signal: this.#closed.signal, ref: false });
    }
  }

  async #post(task: Task, phase: Phase, attempts: number): Promise<void> {
    const { url, repeat } = task.callback ?? { url: "", repeat: 0 };
    const body = JSON.stringify(this.#bodyOf(task, phase));
    for (let i = 0; i < repeat; i++) {
      for (let attempt = 0; attempt < attempts; attempt++) {
        if (await this.#send(url, body)) break;
      }
    }
  }

  async #send(url: string, body: string): Promise<boolean> {
    const signal = AbortSignal.any([this.#closed.signal, AbortSignal.timeout(replyWithinMs)]);
    const headers = { "content-type": "application/json" };
    try {
      const reply = await fetch(url, { method: "POST", headers, body, signal, redirect: "manual" });
      await reply.body?.cancel();
      return reply.ok;
    } catch {
      // Callbacks are best effort, so a failure is not reported; the receiver may still poll the
      // task.
      this.#closed.signal.throwIfAborted();
      return false;
    }
  }
}
