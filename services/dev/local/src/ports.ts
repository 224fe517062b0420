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

// The next port to try. Fleets started simultaneously in different processes try different ports;
// fleets in the same process continue after each other.
let next = (process.pid * step) % portCount;

/** True when nothing listens on this port and address. */
export function isFree(port: number, host = "127.0.0.1"): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(true)));
  });
}

/**
 * Reserves a port for a fleet for the lifetime of this process: since we do not use UDP, a UDP
 * socket of the same number shows other fleets that the port is taken while its process is down.
 * Undefined if it is already reserved.
 */
function reserve(port: number): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const mark = createSocket("udp4").unref();
    mark.once("error", () => mark.close(() => resolve(undefined)));
    mark.bind({ port, address: "127.0.0.1", exclusive: true }, () => resolve(mark));
  });
}

/**
 * A fleet's ports by name, chosen once and stored in a file, so that a restart uses the same ones.
 */
export class Ports implements Disposable {
  readonly #file: string;
  readonly #ports: Map<string, number>;
  /** Ports already assigned, by name; their own process may be listening. */
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
   * Returns the port of that name: the previous one, unless another program has taken it since. One
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

  /** Reserves the port for this name, if it is free. */
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

  /** Releases the ports; the file keeps them for the next start. */
  [Symbol.dispose](): void {
    for (const mark of this.#reserved.values()) mark.close();
    this.#reserved.clear();
  }
}
