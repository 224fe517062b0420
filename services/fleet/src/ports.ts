import { createSocket, type Socket } from "node:dgram";
import { readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { z } from "zod";

// Below Linux's ephemeral range (32768 and up), so that no outgoing connection takes one while its
// process is down.
const firstPort = 20_000;
const portCount = 12_000;
const step = 64;

const savedPorts = z.record(z.string(), z.number().int().min(1).max(65_535));

// Where to look next. Fleets that start at the same moment in different processes look in different
// places; those in the same process go on where the other is.
let next = (process.pid * step) % portCount;

/** True when nothing listens on this port of this address. */
export function isFree(port: number, host = "127.0.0.1"): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(true)));
  });
}

/**
 * Marks a port as some fleet's own, for as long as this process lives: nothing of ours uses UDP, so
 * a UDP socket of the same number says to other fleets that the port is taken while its process is
 * down. Undefined when it has such a mark already.
 */
function reserve(port: number): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const mark = createSocket("udp4").unref();
    mark.once("error", () => mark.close(() => resolve(undefined)));
    mark.bind({ port, address: "127.0.0.1", exclusive: true }, () => resolve(mark));
  });
}

/** Ports of a fleet by name, chosen once and kept in a file, so that a restart finds the same. */
export class Ports implements Disposable {
  readonly #file: string;
  readonly #ports: Map<string, number>;
  /** By name, those that were answered already: by now their own process may be listening. */
  readonly #reserved = new Map<string, Socket>();

  private constructor(file: string, ports: Map<string, number>) {
    this.#file = file;
    this.#ports = ports;
  }

  static async load(file: string): Promise<Ports> {
    const text = await readFile(file, "utf8").catch(() => "{}");
    return new Ports(file, new Map(Object.entries(savedPorts.parse(JSON.parse(text)))));
  }

  /**
   * The port of that name: the one it had before unless another program has taken it since. One
   * call at a time.
   */
  async get(name: string): Promise<number> {
    const known = this.#ports.get(name);
    if (known !== undefined && (this.#reserved.has(name) || (await this.#take(name, known)))) return known;
    const port = await this.#free(name);
    this.#ports.set(name, port);
    await writeFile(this.#file, `${JSON.stringify(Object.fromEntries(this.#ports), null, 2)}\n`);
    return port;
  }

  /** Makes it this name's, if nobody else has it. */
  async #take(name: string, port: number): Promise<boolean> {
    const mark = await reserve(port);
    if (mark === undefined) return false;
    if (await isFree(port)) {
      this.#reserved.set(name, mark);
      return true;
    }
    mark.close();
    return false;
  }

  async #free(name: string): Promise<number> {
    const taken = new Set(this.#ports.values());
    for (let tried = 0; tried < portCount; tried++) {
      const port = firstPort + next;
      next = (next + 1) % portCount;
      if (!taken.has(port) && (await this.#take(name, port))) return port;
    }
    throw new Error(`no port between ${firstPort} and ${firstPort + portCount - 1} is free`);
  }

  /** Gives the ports up; the file keeps them for the next start. */
  [Symbol.dispose](): void {
    for (const mark of this.#reserved.values()) mark.close();
    this.#reserved.clear();
  }
}
