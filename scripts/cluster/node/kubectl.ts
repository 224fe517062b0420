import { setTimeout as sleep } from "node:timers/promises";
import { type Ran, ran, run } from "./run.ts";
import { proxyPort } from "./settings.ts";

/** A client of the API server, with an administrator's rights. */
export class Kubectl {
  readonly program: string;
  readonly kubeconfig: string;

  constructor(program: string, kubeconfig: string) {
    this.program = program;
    this.kubeconfig = kubeconfig;
  }

  /** Runs a command and returns its output. @throws {Error} with its errors if it fails */
  run(args: readonly string[], input?: string): Promise<string> {
    return run(this.program, [`--kubeconfig=${this.kubeconfig}`, ...args], input);
  }

  ran(args: readonly string[], input?: string): Promise<Ran> {
    return ran(this.program, [`--kubeconfig=${this.kubeconfig}`, ...args], input);
  }

  /** Creates or updates objects. */
  async apply(objects: readonly object[]): Promise<void> {
    await this.run(
      ["apply", "--server-side", "-f", "-"],
      JSON.stringify({ apiVersion: "v1", kind: "List", items: objects }),
    );
  }

  // biome-ignore lint/suspicious/noExplicitAny: each kind has its own shape.
  async get(...args: readonly string[]): Promise<any> {
    return JSON.parse(await this.run(["get", "--output=json", ...args]));
  }

  /** The objects of a collection, by the proxy: controllers ask often, and a process each time would be expensive. */
  async list<T>(path: string): Promise<T[]> {
    const response = await fetch(`http://127.0.0.1:${proxyPort}${path}`);
    const text = await response.text();
    if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
    return (JSON.parse(text) as { items: T[] }).items;
  }

  /** Repeats a command until it succeeds. @throws {Error} with the last failure */
  async until(args: readonly string[], { seconds }: { seconds: number }): Promise<string> {
    for (const deadline = performance.now() + seconds * 1_000; ; await sleep(1_000)) {
      const { code, out, err } = await this.ran(args);
      if (code === 0) return out;
      if (performance.now() > deadline) throw new Error(`kubectl ${args.join(" ")} failed:\n${err}${out}`);
    }
  }
}
