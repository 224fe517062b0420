import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { RestartBackoff } from "./backoff.ts";
import { hasStuck, type LivenessOptions } from "./liveness.ts";
import type { LogFile } from "./log-file.ts";

export interface ProcessSpec {
  readonly name: string;
  readonly command: readonly [string, ...string[]];
  /** The whole environment; nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** Checks once whether it is ready. Must not wait for long. */
  isReady(): Promise<boolean>;
  /** Detects that it is stuck, so that it is killed and restarted. Without it there is no check. */
  readonly liveness?: LivenessOptions;
  /** Maximum time to end after SIGTERM, milliseconds. Default 10,000. */
  readonly stopMs?: number;
}

export interface SupervisedOptions {
  spec: ProcessSpec;
  log: LogFile;
  /** Receives a one-line message about each unrequested event of the process. */
  report(line: string): void;
  /** Called when it ended unexpectedly, before `onRestart`. */
  onDeath(how: string): Promise<void>;
  onRestart(): void;
}

const firstPollMs = 25;
/** Growth of the interval between checks: a dozen processes that start together need the processor themselves. */
const pollGrowth = 1.2;
const maxPollMs = 150;
const usualStopMs = 10_000;

/** One process that is restarted, with backoff, whenever it ends unexpectedly. */
export class SupervisedProcess {
  readonly spec: ProcessSpec;
  readonly #options: SupervisedOptions;
  readonly #backoff = new RestartBackoff();
  readonly #stopping = new AbortController();
  #child: ChildProcess | undefined;
  /** The child process that is ready. */
  #readyChild: ChildProcess | undefined;
  #startedAt = 0;
  #restarts = 0;

  constructor(options: SupervisedOptions) {
    this.spec = options.spec;
    this.#options = options;
  }

  /** Undefined while it is down. */
  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** Number of restarts since the first start. */
  get restarts(): number {
    return this.#restarts;
  }

  /** @param once added to the environment of this start only */
  start(once: Readonly<Record<string, string>> = {}): void {
    const [file, ...args] = this.spec.command;
    this.#startedAt = performance.now();
    const log = this.#options.log.fd;
    // Its own process group: Ctrl-C in the terminal reaches only the supervisor, which stops
    // everything in order.
    const child = spawn(file, args, {
      cwd: this.spec.cwd,
      env: { ...this.spec.env, ...once },
      stdio: ["ignore", log, log],
      detached: true,
    });
    this.#child = child;
    let failure: Error | undefined;
    child.once("error", (error) => {
      failure = error;
      if (child.pid === undefined) void this.#ended(error.message);
    });
    const over = new AbortController();
    child.once("exit", (code, signal) => {
      over.abort();
      void this.#ended(failure?.message ?? signal ?? `exit code ${code}`);
    });
    void this.#watch(child, over.signal);
  }

  /**
   * Kills the process when it is stuck; it is restarted as after any death. A process that was
   * asked to stop may close its ports first; `stop` limits its time.
   */
  async #watch(child: ChildProcess, over: AbortSignal): Promise<void> {
    const { liveness, name } = this.spec;
    const signal = AbortSignal.any([over, this.#stopping.signal]);
    if (liveness === undefined || !(await hasStuck(liveness, () => this.#readyChild === child, signal))) return;
    this.#options.report(`${name} no longer responds and will be killed`);
    child.kill("SIGKILL");
  }

  async #ended(how: string): Promise<void> {
    this.#child = undefined;
    if (this.#stopping.signal.aborted) return;
    const delayMs = this.#backoff.next(performance.now() - this.#startedAt);
    await this.#options.onDeath(how);
    this.#options.report(`${this.spec.name} ended (${how}); restarting in ${delayMs} ms`);
    await sleep(delayMs, undefined, { signal: this.#stopping.signal }).catch(() => undefined);
    if (this.#stopping.signal.aborted) return;
    this.#restarts++;
    this.start();
    this.#options.onRestart();
  }

  /** Waits until it is ready; rejects when it keeps ending instead, or at `signal`. */
  async ready(signal: AbortSignal): Promise<void> {
    const failuresAllowed = this.#backoff.failures + 5;
    let pollMs = firstPollMs;
    let child = this.#child;
    while (child?.pid === undefined || !(await this.spec.isReady())) {
      if (this.#backoff.failures >= failuresAllowed) throw new Error(`${this.spec.name} keeps ending`);
      if (this.#stopping.signal.aborted) throw new Error(`${this.spec.name} is being stopped`);
      signal.throwIfAborted();
      await sleep(pollMs);
      pollMs = Math.min(maxPollMs, pollMs * pollGrowth);
      child = this.#child;
    }
    this.#readyChild = child;
  }

  /**
   * Sends a signal, if it is running. After SIGKILL it waits for the exit, so that later calls
   * apply to the next process.
   */
  async kill(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child;
    if (child?.pid === undefined) return;
    const gone = signal === "SIGKILL" ? once(child, "exit") : undefined;
    child.kill(signal);
    await gone;
  }

  /** Ends it permanently: SIGTERM, then SIGKILL if it has not ended in time. */
  async stop(signal: NodeJS.Signals = "SIGTERM"): Promise<void> {
    this.#stopping.abort();
    const child = this.#child;
    if (child === undefined || child.pid === undefined) return;
    const ended = once(child, "exit");
    child.kill(signal);
    const { name, stopMs = usualStopMs } = this.spec;
    const timer = setTimeout(() => {
      this.#options.report(`${name} did not stop within ${stopMs / 1000} s and will be killed`);
      child.kill("SIGKILL");
    }, stopMs);
    await ended;
    clearTimeout(timer);
  }
}
