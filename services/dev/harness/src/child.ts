import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";

const services = join(import.meta.dirname, "../../..");

/** A service's own main.ts as a process that can be killed and restarted on the same port. */
export class Child implements AsyncDisposable {
  readonly #path: string;
  readonly #env: Record<string, string>;
  #process: ChildProcess | undefined;
  port = 0;
  adminPort = 0;

  constructor(service: string, env: Record<string, string>) {
    this.#path = join(services, service, "src/main.ts");
    this.#env = env;
  }

  async start(): Promise<this> {
    const env = { ...process.env, TLS: "off", LOG_LEVEL: "info", ...this.#env, GRPC_PORT: String(this.port) };
    const child = spawn(process.execPath, [this.#path], { env, stdio: ["ignore", "pipe", "inherit"] });
    this.#process = child;
    const up = Promise.withResolvers<number>();
    createInterface({ input: child.stdout as NodeJS.ReadableStream }).on("line", (line) => {
      const entry = JSON.parse(line) as { grpcPort?: number; adminPort?: number; level: number };
      if (entry.adminPort) this.adminPort = entry.adminPort;
      if (entry.grpcPort) up.resolve(entry.grpcPort);
      if (process.env["TEST_VERBOSE"]) process.stderr.write(`${line}\n`);
    });
    child.once("exit", (code) => up.reject(new Error(`${this.#path} ended with ${code}`)));
    this.port = await up.promise;
    return this;
  }

  async kill(signal: NodeJS.Signals = "SIGKILL"): Promise<void> {
    const child = this.#process;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, "exit");
    child.kill(signal);
    await gone;
  }

  [Symbol.asyncDispose](): Promise<void> {
    // Stops as an operator would: a killed process would leave its transactions' locks for a
    // minute.
    return this.kill("SIGTERM");
  }
}
