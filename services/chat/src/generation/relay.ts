import { crashPoint } from "@uag/kit/crash-point.ts";
import type { LinkExchange } from "@uag/link/server-exchange.ts";
import type { LiveStream, StreamConsumer } from "@uag/upstreams/live-stream.ts";
import type { Bill } from "./bill.ts";

const checkpointBytes = 64 * 1024;
const checkpointMs = 5_000;
/** Anthropic's clients and the proxies on their way expect to hear of a stream now and then. */
const keepAliveMs = 10_000;
const lookMs = 2_500;

export interface RelayOptions {
  readonly exchange: LinkExchange;
  readonly bill: Bill;
  readonly keepAlive: Buffer | undefined;
}

/**
 * Carries a stream's bytes to the client as they come, at the client's pace, and notes now and then what was delivered.
 * Resolves when the upstream's side is over, finished or broken.
 */
export function relay(live: LiveStream, options: RelayOptions): Promise<void> {
  return new Promise((resolve) => live.attach(new Relay(live, options, resolve)));
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
  #saidAt = performance.now();
  #timer: NodeJS.Timeout | undefined;

  constructor(live: LiveStream, { exchange, bill, keepAlive }: RelayOptions, resolve: () => void) {
    this.#live = live;
    this.#exchange = exchange;
    this.#bill = bill;
    this.#resolve = resolve;
    if (keepAlive !== undefined) this.#timer = setInterval(() => this.#stayAlive(keepAlive), lookMs).unref();
  }

  output(bytes: Buffer): void {
    const more = this.#exchange.write(bytes);
    if (!more && !this.#paused) this.#wait();
    crashPoint("mid-stream");
    this.#bytes += bytes.length;
    const now = performance.now();
    this.#saidAt = now;
    if (this.#bytes - this.#notedBytes < checkpointBytes && now - this.#notedAt < checkpointMs) return;
    this.#notedBytes = this.#bytes;
    this.#notedAt = now;
    this.#bill.checkpoint(this.#live.stream.delivered.roughTokens);
  }

  over(): void {
    clearInterval(this.#timer);
    this.#resolve();
  }

  #stayAlive(keepAlive: Buffer): void {
    const now = performance.now();
    if (this.#paused || now - this.#saidAt < keepAliveMs) return;
    this.#saidAt = now;
    this.#exchange.write(keepAlive);
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
