import { join } from "node:path";
import { UserError } from "../terminal/step.mjs";
import { LogFile, tailOf } from "./log-file.ts";
import { type ProcessSpec, SupervisedProcess } from "./process.ts";
import { startWatchdog, type Watchdog } from "./watch.ts";

export interface SupervisorOptions {
  logDir: string;
  /** Added to the environment of every process. */
  mark?: Readonly<Record<string, string>>;
  report(line: string): void;
  /** Called for every process that ended unexpectedly. */
  onDeath?(death: { process: string; atMs: number; how: string }): void | Promise<void>;
}

export interface ReadyOptions {
  /** Default 60,000. */
  timeoutMs?: number;
  signal?: AbortSignal | undefined;
}

/** Operations on running processes for tests and commands, by name. */
export interface ProcessControl {
  names(): string[];
  /** Undefined while it is down. */
  pid(name: string): number | undefined;
  pids(): Record<string, number>;
  /** Its environment, without the variables that a restart added once. */
  environment(name: string): Readonly<Record<string, string>>;
  restarts(name: string): number;
  /**
   * Sends a signal (default SIGKILL, for which it waits until the process is gone); a process that
   * dies of it is restarted.
   */
  kill(name: string, signal?: NodeJS.Signals): Promise<void>;
  /** Waits until the process is running and ready. */
  ready(name: string, options?: ReadyOptions): Promise<void>;
  /**
   * Stops the process gracefully, starts it again and waits until it is ready. `once` is added to
   * its environment until it ends.
   */
  restart(name: string, once?: Readonly<Record<string, string>>): Promise<void>;
  /** Kills the process with SIGKILL and leaves it down; `restart` brings it back. */
  takeDown(name: string): Promise<void>;
  /** Stops the process gracefully and leaves it down; `restart` brings it back. */
  stop(name: string): Promise<void>;
}

const readyTimeoutMs = 60_000;
const logLines = 25;

/** Keeps a set of processes running, in the order they were added, and leaves none behind. */
export class Supervisor implements ProcessControl, AsyncDisposable {
  readonly #options: SupervisorOptions;
  readonly #watchdog: Watchdog;
  readonly #processes = new Map<string, SupervisedProcess>();
  readonly #logs = new Map<string, LogFile>();
  /** Called when a process was restarted. */
  onRestart: (() => void) | undefined;

  private constructor(options: SupervisorOptions, watchdog: Watchdog) {
    this.#options = options;
    this.#watchdog = watchdog;
  }

  static start(options: SupervisorOptions): Supervisor {
    return new Supervisor(options, startWatchdog());
  }

  /** Starts a process; `ready` waits for it. */
  async add(spec: ProcessSpec, once?: Readonly<Record<string, string>>): Promise<void> {
    const log = this.#logs.get(spec.name) ?? (await LogFile.open(this.#logPath(spec.name)));
    this.#logs.set(spec.name, log);
    const { mark, report } = this.#options;
    const marked = { ...spec, env: { ...spec.env, ...mark, ...this.#watchdog.mark } };
    const onRestart = (): void => this.onRestart?.();
    const onDeath = async (how: string): Promise<void> =>
      this.#options.onDeath?.({ process: spec.name, atMs: Date.now(), how });
    const supervised = new SupervisedProcess({ spec: marked, log, report, onRestart, onDeath });
    this.#processes.set(spec.name, supervised);
    supervised.start(once);
  }

  #logPath(name: string): string {
    return join(this.#options.logDir, `${name}.log`);
  }

  #get(name: string): SupervisedProcess {
    const found = this.#processes.get(name);
    if (found === undefined) throw new Error(`unknown process ${name}; the processes are ${this.names().join(", ")}`);
    return found;
  }

  names(): string[] {
    return [...this.#processes.keys()];
  }

  pid(name: string): number | undefined {
    return this.#get(name).pid;
  }

  pids(): Record<string, number> {
    return Object.fromEntries(
      [...this.#processes].flatMap(([name, { pid }]) => (pid === undefined ? [] : [[name, pid]])),
    );
  }

  environment(name: string): Readonly<Record<string, string>> {
    return this.#get(name).spec.env;
  }

  restarts(name: string): number {
    return this.#get(name).restarts;
  }

  async kill(name: string, signal: NodeJS.Signals = "SIGKILL"): Promise<void> {
    await this.#get(name).kill(signal);
  }

  async ready(name: string, options: ReadyOptions = {}): Promise<void> {
    const path = this.#logPath(name);
    const timeout = AbortSignal.timeout(options.timeoutMs ?? readyTimeoutMs);
    await this.#get(name)
      .ready(options.signal ? AbortSignal.any([timeout, options.signal]) : timeout)
      .catch(async (error: unknown) => {
        if (options.signal?.aborted) throw error;
        const why = error instanceof Error && error.name !== "TimeoutError" ? error.message : `${name} is not ready`;
        throw new UserError(`${why}. The end of ${path}:\n\n${await tailOf(path, logLines)}`);
      });
  }

  async takeDown(name: string): Promise<void> {
    const supervised = this.#get(name);
    await this.#options.onDeath?.({ process: name, atMs: Date.now(), how: "taken down" });
    await supervised.stop("SIGKILL");
  }

  async stop(name: string): Promise<void> {
    await this.#get(name).stop();
  }

  async restart(name: string, once?: Readonly<Record<string, string>>): Promise<void> {
    await this.replace(this.#get(name).spec, once);
  }

  /** Restarts it with another command or environment from now on. */
  async replace(spec: ProcessSpec, once?: Readonly<Record<string, string>>): Promise<void> {
    await this.#get(spec.name).stop();
    await this.add(spec, once);
    this.onRestart?.();
    await this.ready(spec.name);
  }

  /** Stops all processes in reverse order, each before the next. */
  async [Symbol.asyncDispose](): Promise<void> {
    for (const supervised of [...this.#processes.values()].reverse()) await supervised.stop();
    await Promise.all([...this.#logs.values()].map((log) => log[Symbol.asyncDispose]()));
    await this.#watchdog[Symbol.asyncDispose]();
  }
}
