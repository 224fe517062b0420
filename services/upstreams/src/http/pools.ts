import { Pool } from "undici";

/** Connections to upstreams, kept by origin. */
export class HttpPools implements AsyncDisposable {
  readonly #pools = new Map<string, Pool>();

  /** @param connectMs how long making a connection may take */
  get(origin: string, connectMs: number): Pool {
    const key = `${origin} ${connectMs}`;
    let pool = this.#pools.get(key);
    if (pool === undefined) {
      pool = new Pool(origin, { connect: { timeout: connectMs }, allowH2: false, pipelining: 1, clientTtl: null });
      this.#pools.set(key, pool);
    }
    return pool;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#pools.values()].map((pool) => pool.destroy()));
    this.#pools.clear();
  }
}
