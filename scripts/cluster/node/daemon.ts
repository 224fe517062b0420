import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, open } from "node:fs/promises";
import { basename, join } from "node:path";

/** Time until a program that ended is started again. */
const restartMs = 1_000;

/** The programs of the node, started one after another and stopped in reverse order. */
export class Daemons implements AsyncDisposable {
  readonly #logs: string;
  readonly #running = new Set<ChildProcess>();

  constructor(logs: string) {
    this.#logs = logs;
  }

  /**
   * Starts a program whose output goes to a file of its name. When it ends, it is started again, as
   * systemd does: a kubelet ends if its node is not registered within a second.
   */
  async start(program: string, args: readonly string[]): Promise<void> {
    await mkdir(this.#logs, { recursive: true });
    const name = basename(program);
    const log = await open(join(this.#logs, `${name}.log`), "a");
    const child = spawn(program, args, { stdio: ["ignore", log.fd, log.fd] });
    await once(child, "spawn");
    await log.close();
    this.#running.add(child);
    child.once("exit", (code, signal) => {
      if (!this.#running.delete(child)) return;
      process.stderr.write(`${name} ended with ${signal ?? code} and is started again\n`);
      setTimeout(() => void this.start(program, args), restartMs);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const running = [...this.#running].reverse();
    this.#running.clear();
    for (const child of running) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      child.kill("SIGKILL");
      await once(child, "exit");
    }
  }
}
