import { AsyncLocalStorage } from "node:async_hooks";
import type { handleBidiStreamingCall } from "@grpc/grpc-js";
import type { AuthContext } from "@grpc/grpc-js/build/src/auth-context.js";
import type { Peer } from "@uag/contract/access/rpc";
import { LinkServiceService } from "@uag/proto/link/v1/link.ts";
import type { Identity } from "@uag/runtime/rpc/identity";
import { inProcess } from "@uag/runtime/rpc/in-process";
import { maxInFlightBytes } from "./limits.ts";
import type { Dial, Transport, TransportEvents } from "./transport.ts";

/** One end of a link within this process: hands its batches to the other end in later microtasks. */
class LocalEnd implements Transport {
  readonly #events: TransportEvents;
  readonly #onEnd: () => void;
  readonly #stream: LocalStream;
  /** Without the context of the request that happens to write: a batch has frames of many. */
  readonly #outsideRequests = AsyncLocalStorage.snapshot();
  readonly #deliverNow = (): void => this.#deliver();
  #receiver: TransportEvents | undefined;
  #queue: Buffer[] = [];
  #bytes = 0;
  #full = false;
  #ended = false;
  #scheduled = false;

  /** @param onEnd called when this end has sent its last batch */
  constructor(stream: LocalStream, events: TransportEvents, onEnd: () => void) {
    this.#stream = stream;
    this.#events = events;
    this.#onEnd = onEnd;
  }

  connect(receiver: TransportEvents): void {
    this.#receiver = receiver;
    this.#schedule();
  }

  write(batch: Buffer): boolean {
    this.#queue.push(batch);
    this.#bytes += batch.length;
    this.#full = this.#bytes >= maxInFlightBytes;
    this.#schedule();
    return !this.#full;
  }

  end(): void {
    this.#ended = true;
    this.#schedule();
  }

  destroy(reason: string): void {
    queueMicrotask(() => this.#stream.close(reason));
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    queueMicrotask(() => this.#outsideRequests(this.#deliverNow));
  }

  #deliver(): void {
    this.#scheduled = false;
    if (this.#receiver === undefined) return;
    const batches = this.#queue;
    this.#queue = [];
    for (const batch of batches) {
      if (this.#stream.closed) return;
      this.#bytes -= batch.length;
      this.#receiver.onBatch(batch);
    }
    if (this.#full && this.#bytes <= maxInFlightBytes / 2 && !this.#stream.closed) {
      this.#full = false;
      this.#events.onDrained();
    }
    if (this.#ended && this.#queue.length === 0 && !this.#stream.closed) {
      this.#ended = false;
      this.#onEnd();
    }
  }
}

/** A call of the link's RPC within this process: what its handler needs of a gRPC stream. */
export class LocalStream {
  readonly client: Transport;
  readonly #clientEvents: TransportEvents;
  readonly #clientEnd: LocalEnd;
  #serverEvents: TransportEvents | undefined;
  #auth: AuthContext = {};
  #closed = false;

  constructor(events: TransportEvents) {
    this.#clientEvents = events;
    this.#clientEnd = new LocalEnd(this, events, () => this.#serverEvents?.onPeerEnd());
    this.client = this.#clientEnd;
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** @throws {Error} when the address does not serve links, or one end does not accept the other */
  open(address: string, caller: { readonly identity: Identity; readonly servers: readonly Peer[] }): void {
    if (this.#closed) return;
    const connection = inProcess.connect(address, caller);
    const { path } = LinkServiceService.link;
    const handler = connection.handler(path) as handleBidiStreamingCall<Buffer, Buffer> | undefined;
    if (handler === undefined) throw new Error(`${address} does not serve ${path}`);
    this.#auth = connection.auth;
    handler(this as unknown as Parameters<typeof handler>[0]);
  }

  getAuthContext(): AuthContext {
    return this.#auth;
  }

  /** Reports to the calling end that the link is accepted. */
  sendMetadata(): void {
    queueMicrotask(() => {
      if (!this.#closed) this.#clientEvents.onReady();
    });
  }

  /** The serving end. */
  serve(events: TransportEvents): Transport {
    const end = new LocalEnd(this, events, () => this.close("ended"));
    this.#serverEvents = events;
    this.#clientEnd.connect(events);
    end.connect(this.#clientEvents);
    return end;
  }

  /** Refuses the call. */
  emit(_event: "error", error: Error): void {
    queueMicrotask(() => this.close(error.message));
  }

  /** Ends both directions; batches that are still queued are lost. */
  close(reason: string): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#clientEvents.onClosed(reason);
    this.#serverEvents?.onClosed(reason);
  }
}

/** Opens links to a service in this process, at the addresses that the process shares. */
export function dialLocal(identity: Identity, service: Peer): Dial {
  return (address, events) => {
    const stream = new LocalStream(events);
    queueMicrotask(() => {
      try {
        stream.open(address, { identity, servers: [service] });
      } catch (error) {
        stream.close((error as Error).message);
      }
    });
    return stream.client;
  };
}
