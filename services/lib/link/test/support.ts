import assert from "node:assert/strict";
import type { Random } from "@uag/harness/testing/seeded-random";
import { LinkServiceService } from "@uag/proto/link/v1/link.ts";
import { insecure } from "@uag/runtime/rpc/identity";
import { inProcess } from "@uag/runtime/rpc/in-process";
import type { RpcService } from "@uag/runtime/rpc/server";
import { dialLocal } from "../src/in-process.ts";
import { maxBatchBytes, maxFrameBytes } from "../src/limits.ts";
import type { LinkServer } from "../src/server.ts";
import type { Dial, Transport, TransportEvents } from "../src/transport.ts";

/** Carries links between ends in this process, and breaks them. */
export interface Network {
  readonly dial: Dial;
  /** True when no link is open. */
  readonly closed: boolean;
  serve(address: string, server: LinkServer): void;
  /** Delivers some batches of one link, unless the network delivers them of its own accord. */
  deliverSome(random: Random): void;
  /** Breaks one link. */
  cutOne(random: Random): void;
  /** Delivers everything, until `done`. */
  settle(done: () => boolean): Promise<void>;
}

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

/** Calls `move` until `done`; pauses while it moves nothing, for a timer such as a reconnect. */
async function moveUntil(done: () => boolean, move: () => boolean, timeoutMs = 90_000): Promise<void> {
  const end = performance.now() + timeoutMs;
  while (!done()) {
    if (performance.now() > end) throw new Error("the link did not settle");
    const moved = move();
    await new Promise((resolve) => (moved ? setImmediate(resolve) : setTimeout(resolve, 1)));
  }
}

/** Dials in-memory servers by address. */
export class MemoryNetwork implements Network {
  readonly #servers = new Map<string, LinkServer>();
  readonly #pairs: MemoryPair[] = [];
  readonly #limit: number;

  constructor(options: { limit: number }) {
    this.#limit = options.limit;
  }

  readonly dial: Dial = (address, events) => {
    const pair = new MemoryPair(this.#limit);
    const transport = pair.clientEnd(events);
    const server = this.#servers.get(address);
    queueMicrotask(() => {
      if (server === undefined || server.status().draining) {
        pair.cut("refused");
        return;
      }
      server.accept((serverEvents) => pair.serverEnd(serverEvents));
      this.#pairs.push(pair);
      pair.ready();
    });
    return transport;
  };

  get closed(): boolean {
    return this.#pairs.every((pair) => pair.closed);
  }

  serve(address: string, server: LinkServer): void {
    this.#servers.set(address, server);
  }

  deliverSome(random: Random): void {
    const pair = this.#pairs.length > 0 ? random.pick(this.#pairs) : undefined;
    const to = random.pick(["server", "client"] as const);
    for (let left = 1 + random.int(3); left > 0; left--) pair?.deliver(to);
    for (const { toServer, toClient, closed } of this.#pairs) {
      if (closed) continue;
      for (const pipe of [toServer, toClient]) {
        assert.ok(
          pipe.queuedBytes <= this.#limit + maxBatchBytes + maxFrameBytes,
          "a full transport receives nothing more",
        );
      }
    }
  }

  cutOne(random: Random): void {
    if (this.#pairs.length > 0) random.pick(this.#pairs).cut("killed");
  }

  settle(done: () => boolean): Promise<void> {
    const move = (pair: MemoryPair): boolean => [pair.deliver("server"), pair.deliver("client")].includes(true);
    return moveUntil(done, () => this.#pairs.map(move).includes(true));
  }
}

/** The transport between services that share a process. */
export class LocalNetwork implements Network {
  readonly #links: { readonly transport: Transport; closed: boolean }[] = [];

  readonly dial: Dial = (address, events) => {
    const transport = dialLocal(insecure, "chat")(address, {
      onReady: () => events.onReady(),
      onBatch: (batch) => events.onBatch(batch),
      onDrained: () => events.onDrained(),
      onPeerEnd: () => events.onPeerEnd(),
      onClosed: (reason) => {
        assert.equal(link.closed, false, "a link closes once");
        link.closed = true;
        events.onClosed(reason);
      },
    });
    const link = { transport, closed: false };
    this.#links.push(link);
    return transport;
  };

  get closed(): boolean {
    return this.#links.every((link) => link.closed);
  }

  serve(address: string, server: LinkServer): void {
    serveLocally(address, server.rpc);
  }

  deliverSome(): void {}

  cutOne(random: Random): void {
    if (this.#links.length > 0) random.pick(this.#links).transport.destroy("killed");
  }

  settle(done: () => boolean): Promise<void> {
    return moveUntil(done, () => true);
  }
}

/** Makes a link service reachable in this process. */
export function serveLocally(address: string, { implementation }: Pick<RpcService, "implementation">): void {
  const { link } = implementation;
  assert.ok(link);
  inProcess.listen(address, { identity: insecure, handlers: new Map([[LinkServiceService.link.path, link]]) });
}
