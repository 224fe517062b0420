import { crashPoint } from "@uag/kit/crash-point.ts";
import type { LinkExchange } from "@uag/link/server-exchange.ts";
import type { LiveStream, StreamConsumer } from "@uag/upstreams/live-stream.ts";

const checkpointBytes = 64 * 1024;
const checkpointMs = 5_000;
/** Anthropic's clients and the proxies on their way expect to hear of a stream now and then. */
const keepAliveMs = 10_000;
const keepAliveCheckMs = 2_500;

/** Whom a stream goes to, and what happens beside it. */
export interface RelayOptions {
  readonly exchange: LinkExchange;
  /**
   * Sent while the stream has nothing to say, so that nobody on the way takes it for dead; default:
   * nothing is.
   */
  readonly keepAlive?: Buffer | undefined;
  /**
   * Notes what was delivered, should this process die: called every 5 s, and every 64 KiB, while
   * bytes come.
   */
  checkpoint?(): void;
}

/**
 * Carries a stream's bytes to the client as they come, at the client's pace.
 * Resolves when the upstream's side is over, finished or broken.
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
    // A client that left is told by the exchange's signal, which ends the upstream call.
    this.#exchange.drained().then(goOn, goOn);
  }
}
