import type { LinkExchange } from "@uag/kit/link/server-exchange.ts";
import type { LiveStream, StreamConsumer } from "@uag/upstreams/live-stream.ts";
import type { Bill } from "./bill.ts";

const checkpointBytes = 64 * 1024;
const checkpointMs = 5_000;

/**
 * Carries a stream's bytes to the client as they come, at the client's pace, and notes now and then what was delivered.
 * Resolves when the upstream's side is over, finished or broken.
 */
export function relay(live: LiveStream, exchange: LinkExchange, bill: Bill): Promise<void> {
  return new Promise((resolve) => live.attach(new Relay(live, exchange, bill, resolve)));
}

class Relay implements StreamConsumer {
  readonly #live: LiveStream;
  readonly #exchange: LinkExchange;
  readonly #bill: Bill;
  readonly #resolve: () => void;
  #paused = false;
  #bytes = 0;
  #notedBytes = 0;
  #notedAt = performance.now();

  constructor(live: LiveStream, exchange: LinkExchange, bill: Bill, resolve: () => void) {
    this.#live = live;
    this.#exchange = exchange;
    this.#bill = bill;
    this.#resolve = resolve;
  }

  output(bytes: Buffer): void {
    const more = this.#exchange.write(bytes);
    if (!more && !this.#paused) this.#wait();
    this.#bytes += bytes.length;
    const now = performance.now();
    if (this.#bytes - this.#notedBytes < checkpointBytes && now - this.#notedAt < checkpointMs) return;
    this.#notedBytes = this.#bytes;
    this.#notedAt = now;
    this.#bill.checkpoint(this.#live.stream.delivered.roughTokens);
  }

  over(): void {
    this.#resolve();
  }

  #wait(): void {
    this.#paused = true;
    this.#live.pause();
    const goOn = (): void => {
      this.#paused = false;
      this.#live.resume();
    };
    // A client that left is told by the exchange's signal, which ends the upstream call.
    this.#exchange.drained().then(goOn, goOn);
  }
}
