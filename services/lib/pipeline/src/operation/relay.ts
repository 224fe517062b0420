import type { LinkExchange } from "@uag/link/server-exchange";
import type { LiveStream, StreamConsumer } from "@uag/providers/live-stream";
import { crashPoint } from "@uag/runtime/crash-point";
import type { Checkpoints } from "./checkpoints.ts";

/** Anthropic's clients and intermediate proxies expect regular traffic on a stream. */
const keepAliveMs = 10_000;
const keepAliveCheckMs = 2_500;

/** Where a stream is sent, and what happens alongside. */
export interface RelayOptions {
  readonly exchange: LinkExchange;
  /**
   * Sent while the stream is idle, so that no intermediary considers it dead; default: nothing is
   * sent.
   */
  readonly keepAlive?: Buffer | undefined;
  /** Written while bytes are delivered. */
  readonly checkpoints: Checkpoints;
  /**
   * What the stream costs so far, nano-USD, where it rises in large steps, such as images: a
   * checkpoint is written at each. Cheap, and bounded.
   */
  cost?(): bigint;
  /** Changes what is sent, such as the opening of a stream; default: nothing. Cheap for what it does not change. */
  edit?: ((bytes: Buffer) => Buffer) | undefined;
}

/**
 * Relays a stream to the client as it arrives, with backpressure. Resolves when the upstream's side
 * is over, finished or broken.
 */
export function relay(live: LiveStream, options: RelayOptions): Promise<void> {
  return new Promise((resolve) => live.attach(new Relay(live, options, resolve)));
}

class Relay implements StreamConsumer {
  readonly #live: LiveStream;
  readonly #exchange: LinkExchange;
  readonly #options: RelayOptions;
  readonly #resolve: () => void;
  #paused = false;
  #cost: bigint;
  #sentAt = performance.now();
  readonly #timer: NodeJS.Timeout | undefined;

  constructor(live: LiveStream, options: RelayOptions, resolve: () => void) {
    const { exchange, keepAlive } = options;
    this.#live = live;
    this.#exchange = exchange;
    this.#options = options;
    this.#resolve = resolve;
    this.#cost = options.cost?.() ?? 0n;
    if (keepAlive !== undefined) this.#timer = setInterval(() => this.#stayAlive(keepAlive), keepAliveCheckMs).unref();
  }

  output(received: Buffer): void {
    const bytes = this.#options.edit?.(received) ?? received;
    const more = this.#exchange.write(bytes);
    if (!more && !this.#paused) this.#wait();
    crashPoint("mid-stream");
    this.#sentAt = performance.now();
    this.#checkpoint(bytes.length);
  }

  #checkpoint(bytes: number): void {
    const { checkpoints, cost } = this.#options;
    const now = cost?.() ?? 0n;
    if (now > this.#cost) checkpoints.write();
    else checkpoints.delivered(bytes);
    this.#cost = now;
  }

  over(): void {
    clearInterval(this.#timer);
    this.#resolve();
  }

  #stayAlive(keepAlive: Buffer): void {
    const now = performance.now();
    if (this.#paused || now - this.#sentAt < keepAliveMs) return;
    this.#sentAt = now;
    this.#exchange.write(keepAlive);
  }

  #wait(): void {
    this.#paused = true;
    this.#live.pause();
    const goOn = (): void => {
      this.#paused = false;
      this.#live.resume();
    };
    // A client's disconnect is reported by the exchange's signal, which ends the upstream call.
    this.#exchange.drained().then(goOn, goOn);
  }
}
