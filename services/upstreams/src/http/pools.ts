import { UpstreamFailure } from "../failure.ts";
import { Connection, type Endpoint } from "./connection.ts";

/** Connections to one origin: those at work, and those that wait for the next call. */
class Pool implements Endpoint {
  readonly url: URL;
  readonly connectMs: number;
  session: Buffer | undefined;
  readonly #all = new Set<Connection>();
  /** The last one used is used next, so that what is too many goes idle. */
  readonly #idle: Connection[] = [];

  constructor(origin: string, connectMs: number) {
    this.url = new URL(origin);
    this.connectMs = connectMs;
  }

  take(): Connection {
    const idle = this.#idle.pop();
    if (idle !== undefined) return idle;
    const connection = new Connection(this);
    this.#all.add(connection);
    return connection;
  }

  onIdle(connection: Connection): void {
    this.#idle.push(connection);
  }

  onClosed(connection: Connection): void {
    this.#all.delete(connection);
    const at = this.#idle.indexOf(connection);
    if (at >= 0) this.#idle.splice(at, 1);
  }

  close(): void {
    for (const connection of this.#all) connection.fail(new UpstreamFailure("cancelled", "the service stops"));
  }
}

/** Connections to upstreams, kept by origin. */
export class HttpPools implements AsyncDisposable {
  readonly #pools = new Map<string, Pool>();

  /**
   * A connection for one call, used before or new.
   * @param connectMs how long making a connection may take
   */
  take(origin: string, connectMs: number): Connection {
    const key = `${origin} ${connectMs}`;
    let pool = this.#pools.get(key);
    if (pool === undefined) {
      pool = new Pool(origin, connectMs);
      this.#pools.set(key, pool);
    }
    return pool.take();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const pool of this.#pools.values()) pool.close();
    this.#pools.clear();
  }
}
