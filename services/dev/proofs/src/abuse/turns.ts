import { mkdir } from "node:fs/promises";
import { createConnection } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Run } from "@uag/local/run-file";
import type { TurnReport } from "./turn-probe.ts";

/** Queries the processes of a fleet for the length of their event loop turns. */
export class TurnProbes {
  readonly #dir: string;
  /** Environment that the fleet must be started with. */
  readonly env: Readonly<Record<string, string>>;

  private constructor(dir: string) {
    this.#dir = dir;
    const probe = fileURLToPath(import.meta.resolve("./turn-probe.ts"));
    this.env = { NODE_OPTIONS: `--import=${probe}`, TURN_PROBE_DIR: dir };
  }

  /** @param dir folder for their sockets; its path must be short */
  static async in(dir: string): Promise<TurnProbes> {
    await mkdir(dir, { recursive: true });
    return new TurnProbes(dir);
  }

  /** The figures since the last call, by process. */
  async read({ pids }: Pick<Run, "pids">, names: readonly string[]): Promise<Map<string, TurnReport>> {
    const running = names.flatMap((name): [string, number][] => (pids[name] ? [[name, pids[name]]] : []));
    return new Map(await Promise.all(running.map(async ([name, pid]) => [name, await this.#call(pid)] as const)));
  }

  async #call(pid: number): Promise<TurnReport> {
    const chunks: Buffer[] = [];
    for await (const chunk of createConnection(join(this.#dir, String(pid)))) chunks.push(chunk as Buffer);
    return JSON.parse(Buffer.concat(chunks).toString()) as TurnReport;
  }
}
