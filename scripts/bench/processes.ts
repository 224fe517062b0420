import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import type { LoadMessage } from "./load.ts";

/** A program of this folder, run in its own process, which ends with this one. */
export class Process implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #name: string;
  readonly #stopMs: number;

  private constructor(options: { readonly child: ChildProcess; readonly name: string; readonly stopMs: number }) {
    this.#child = options.child;
    this.#name = options.name;
    this.#stopMs = options.stopMs;
  }

  /** Starts `<name>.ts`. `stopMs` is the maximum time for it to end before it is killed. */
  static start(options: {
    readonly name: string;
    readonly args?: readonly string[];
    readonly env?: Readonly<Record<string, string>>;
    readonly stopMs?: number;
  }): Process {
    const program = new URL(`./${options.name}.ts`, import.meta.url);
    // The parent pipe is this process's own; in a child the descriptor has another meaning.
    const { PARENT_PIPE_FD: _, ...env } = process.env;
    const child = fork(program, [...(options.args ?? [])], {
      env: { ...env, ...options.env },
      stdio: ["ignore", "inherit", "inherit", "ipc"],
      serialization: "advanced",
    });
    return new Process({ child, name: options.name, stopMs: options.stopMs ?? 2_000 });
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  send(message: object): void {
    this.#child.send(message);
  }

  /**
   * Waits for the first message for which `choose` does not return undefined. Rejects if the
   * process ends first, after `timeoutMs`, or when the signal is aborted.
   */
  async next<T>(options: {
    readonly choose: (message: unknown) => T | undefined;
    readonly timeoutMs: number;
    readonly signal: AbortSignal;
  }): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const onMessage = (message: unknown) => {
      try {
        const chosen = options.choose(message);
        if (chosen !== undefined) resolve(chosen);
      } catch (error) {
        reject(error);
      }
    };
    const onExit = () => reject(new Error(`the benchmark's ${this.#name} process ended unexpectedly`));
    const onAbort = () => reject(options.signal.reason);
    const late = () =>
      reject(new Error(`${this.#name}: no response within ${Math.round(options.timeoutMs / 1_000)} s`));
    const timer = setTimeout(late, options.timeoutMs);
    this.#child.on("message", onMessage).once("exit", onExit);
    options.signal.addEventListener("abort", onAbort, { once: true });
    if (options.signal.aborted) onAbort();
    return promise.finally(() => {
      clearTimeout(timer);
      this.#child.off("message", onMessage).off("exit", onExit);
      options.signal.removeEventListener("abort", onAbort);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, "exit");
    const timer = setTimeout(() => this.#child.kill("SIGKILL"), this.#stopMs);
    this.#child.kill("SIGTERM");
    await ended;
    clearTimeout(timer);
  }
}

/** Starts the load generator. */
export async function startLoad(stack: AsyncDisposableStack, signal: AbortSignal): Promise<Process> {
  const load = stack.use(Process.start({ name: "load" }));
  const choose = (message: unknown) => ((message as LoadMessage).kind === "ready" ? true : undefined);
  await load.next({ choose, timeoutMs: 10_000, signal });
  return load;
}
