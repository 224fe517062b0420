import type { LinkServer } from "../src/server.ts";
import type { Dial, Transport, TransportEvents } from "../src/transport.ts";

/** One direction of a pair: holds batches until they are delivered. */
class Pipe {
  readonly queue: Buffer[] = [];
  queuedBytes = 0;
  ended = false;
  full = false;

  push(batch: Buffer, limit: number): boolean {
    // Copied, as a socket would, so that later changes by the sender have no effect.
    this.queue.push(Buffer.from(batch));
    this.queuedBytes += batch.length;
    this.full = this.queuedBytes >= limit;
    return !this.full;
  }
}

/**
 * Two ends of a link in memory. Nothing moves until `deliver`; either end may be full; both can be
 * cut at any time.
 */
export class MemoryPair {
  readonly toServer = new Pipe();
  readonly toClient = new Pipe();
  readonly #limit: number;
  #client: TransportEvents | undefined;
  #server: TransportEvents | undefined;
  closed = false;

  constructor(limit: number) {
    this.#limit = limit;
  }

  clientEnd(events: TransportEvents): Transport {
    this.#client = events;
    return this.#transport(this.toServer);
  }

  serverEnd(events: TransportEvents): Transport {
    this.#server = events;
    return this.#transport(this.toClient);
  }

  ready(): void {
    if (!this.closed) this.#client?.onReady();
  }

  get idle(): boolean {
    return this.closed || (this.toServer.queue.length === 0 && this.toClient.queue.length === 0);
  }

  /** Moves one batch in one direction, if any. */
  deliver(to: "server" | "client"): boolean {
    if (this.closed) return false;
    const pipe = to === "server" ? this.toServer : this.toClient;
    const [receiver, sender] = to === "server" ? [this.#server, this.#client] : [this.#client, this.#server];
    const batch = pipe.queue.shift();
    if (batch === undefined) {
      if (!pipe.ended) return false;
      pipe.ended = false;
      if (to === "server") receiver?.onPeerEnd();
      else this.cut("ended");
      return true;
    }
    pipe.queuedBytes -= batch.length;
    receiver?.onBatch(batch);
    if (pipe.full && pipe.queuedBytes < this.#limit / 2 && !this.closed) {
      pipe.full = false;
      sender?.onDrained();
    }
    return true;
  }

  /** Breaks the link; batches in flight are lost. */
  cut(reason: string): void {
    if (this.closed) return;
    this.closed = true;
    this.#client?.onClosed(reason);
    this.#server?.onClosed(reason);
  }

  #transport(pipe: Pipe): Transport {
    return {
      write: (batch) => this.closed || pipe.push(batch, this.#limit),
      end: () => {
        pipe.ended = true;
      },
      // Asynchronous, like a stream: never called back from within the call.
      destroy: (reason) => queueMicrotask(() => this.cut(reason)),
    };
  }
}

/** Dials in-memory servers by address. */
export class MemoryNetwork {
  readonly servers = new Map<string, LinkServer>();
  readonly pairs: MemoryPair[] = [];
  readonly #limit: number;

  constructor(options: { limit: number }) {
    this.#limit = options.limit;
  }

  readonly dial: Dial = (address, events) => {
    const pair = new MemoryPair(this.#limit);
    const transport = pair.clientEnd(events);
    const server = this.servers.get(address);
    queueMicrotask(() => {
      if (server === undefined || server.status().draining) {
        pair.cut("refused");
        return;
      }
      server.accept((serverEvents) => pair.serverEnd(serverEvents));
      this.pairs.push(pair);
      pair.ready();
    });
    return transport;
  };

  /** Delivers everything in turns, until `done`. */
  async settle(done: () => boolean, timeoutMs = 90_000): Promise<void> {
    const end = performance.now() + timeoutMs;
    while (!done()) {
      if (performance.now() > end) throw new Error("the link did not settle");
      let moved = false;
      for (const pair of this.pairs) moved = [pair.deliver("server"), pair.deliver("client")].includes(true) || moved;
      // If nothing moves, wait for a timer such as a reconnect.
      await new Promise((resolve) => (moved ? setImmediate(resolve) : setTimeout(resolve, 1)));
    }
  }
}
