import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, open } from "node:fs/promises";
import { basename, join } from "node:path";

/** The programs of the node, started one after another and stopped in reverse order. */
export class Daemons implements AsyncDisposable {
  readonly #logs: string;
  readonly #running: ChildProcess[] = [];

  constructor(logs: string) {
    this.#logs = logs;
  }

  /** Starts a program whose output goes to a file of its name. */
  async start(program: string, args: readonly string[]): Promise<void> {
    await mkdir(this.#logs, { recursive: true });
    const name = basename(program);
    const log = await open(join(this.#logs, `${name}.log`), "w");
    const child = spawn(program, args, { stdio: ["ignore", log.fd, log.fd] });
    await once(child, "spawn");
    await log.close();
    child.once("exit", (code, signal) => {
      if (this.#running.includes(child)) process.stderr.write(`${name} ended: ${signal ?? code}\n`);
    });
    this.#running.push(child);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const child of this.#running.splice(0).reverse()) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      child.kill("SIGKILL");
      await once(child, "exit");
    }
  }
}
