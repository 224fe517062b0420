import { setTimeout as sleep } from "node:timers/promises";
import type { Gateway } from "../fleet/gateway.ts";

const pauseMs = 100;
/** A stream of about three seconds, so that every action cuts into some. */
const words = { whole: 8, stream: 30 };

export interface Outcome {
  readonly completed: number;
  readonly failed: number;
  /** Nano-dollars of the responses whose headers had their costs. */
  readonly cost: bigint;
  readonly withCost: number;
  readonly failures: readonly string[];
}

/** Sends requests, streams and others in turn, until it is stopped. */
export class Load {
  #completed = 0;
  #withCost = 0;
  #cost = 0n;
  readonly #failures: string[] = [];
  readonly #over = new AbortController();
  readonly #working: Promise<unknown>;

  constructor(gateway: Gateway, concurrency: number) {
    this.#working = Promise.all(Array.from({ length: concurrency }, (_, n) => this.#work(gateway, n)));
  }

  async #work(gateway: Gateway, worker: number): Promise<void> {
    for (let n = worker; !this.#over.signal.aborted; n++) {
      const stream = n % 2 === 0;
      const startedAt = new Date().toISOString().slice(11, 23);
      try {
        const { status, text, cost } = await gateway.send({ words: stream ? words.stream : words.whole, stream });
        if (status !== 200) this.#failures.push(`${startedAt} ${status} ${text}`);
        else this.#completed++;
        if (status === 200 && cost !== undefined) {
          this.#withCost++;
          this.#cost += cost;
        }
      } catch (error) {
        const cause = error instanceof Error && error.cause !== undefined ? ` (${String(error.cause)})` : "";
        this.#failures.push(`${startedAt} ${String(error)}${cause}`);
      }
      await sleep(pauseMs);
    }
  }

  async stop(): Promise<Outcome> {
    this.#over.abort();
    await this.#working;
    const { length: failed } = this.#failures;
    return {
      completed: this.#completed,
      failed,
      cost: this.#cost,
      withCost: this.#withCost,
      failures: this.#failures.slice(0, 5),
    };
  }
}
