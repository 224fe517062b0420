import type { LinkExchange } from "@uag/link/server-exchange";
import type { LiveStream, StreamConsumer } from "@uag/providers/live-stream";
import { crashPoint } from "@uag/runtime/crash-point";

const checkpointBytes = 64 * 1024;
const checkpointMs = 5_000;
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
  /**
   * Records what was delivered in case this process dies: called every 5 s and every 64 KiB while
   * bytes arrive.
   */
  checkpoint?(): void;
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
  #bytes = 0;
  #notedBytes = 0;
  #notedAt = performance.now();
  #sentAt = performance.now();
  readonly #timer: NodeJS.Timeout | undefined;

  constructor(live: LiveStream, options: RelayOptions, resolve: () => void) {
    const { exchange, keepAlive } = options;
    this.#live = live;
    this.#exchange = exchange;
    this.#options = options;
    this.#resolve = resolve;
    if (keepAlive !== undefined) this.#timer = setInterval(() => this.#stayAlive(keepAlive), keepAliveCheckMs).unref();
  }

  output(bytes: Buffer): void {
    const more = this.#exchange.write(bytes);
    if (!more && !this.#paused) this.#wait();
    crashPoint("mid-stream");
    this.#bytes += bytes.length;
    const now = performance.now();
    this.#sentAt = now;
    if (this.#bytes - this.#notedBytes < checkpointBytes && now - this.#notedAt < checkpointMs) return;
    this.#notedBytes = this.#bytes;
    this.#notedAt = now;
    this.#options.checkpoint?.();
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
