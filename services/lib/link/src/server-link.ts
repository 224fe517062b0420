import type { Deadlines } from "@uag/runtime/deadlines";
import { BatchReader } from "./batch-reader.ts";
import type { BatchWriter } from "./batch-writer.ts";
import { LinkError } from "./errors.ts";
import type { FrameSink, OpenFrame } from "./frames.ts";
import { maxPendingCancels } from "./limits.ts";
import { type Emitter, Sender } from "./sender.ts";
import { type ExchangeHost, ServerExchange } from "./server-exchange.ts";
import type { Transport, TransportEvents } from "./transport.ts";

/** What a link needs from its server. */
export interface ServerLinkHost {
  readonly deadlines: Deadlines;
  /** Why exchanges are currently refused; undefined when they are accepted. */
  refusal(link: ServerLink): string | undefined;
  /** An operation's current name, from that or a former one. */
  currentName(operation: string): string;
  handle(exchange: ServerExchange): void;
  onLinkClosed(link: ServerLink, error: LinkError): void;
}

interface PendingCancel {
  id: number;
  reason: string;
  refused: boolean;
}

/** The serving end of one link. */
export class ServerLink implements FrameSink, TransportEvents, ExchangeHost, Emitter {
  turnAt: Sender | undefined;
  readonly #host: ServerLinkHost;
  readonly #transport: Transport;
  readonly #sender: Sender;
  readonly #reader = new BatchReader();
  readonly #exchanges = new Map<number, ServerExchange>();
  #lastId = 0;
  #cancels: PendingCancel[] = [];
  #drainOwed = false;
  #peerEnded = false;
  #closed = false;

  constructor(host: ServerLinkHost, attach: (events: TransportEvents) => Transport) {
    this.#host = host;
    this.#transport = attach(this);
    this.#sender = new Sender(this.#transport);
  }

  get deadlines(): Deadlines {
    return this.#host.deadlines;
  }

  get exchangeCount(): number {
    return this.#exchanges.size;
  }

  /** Asks the peer to open no more exchanges and to end the link when those in flight are over. */
  drain(): void {
    this.#drainOwed = true;
    this.#sender.wake(this);
  }

  /** Aborts all exchanges, notifies the peer, and ends the link. */
  shutdown(error: LinkError): void {
    for (const exchange of [...this.#exchanges.values()]) {
      this.sendCancel(exchange.id, error.reason);
      exchange.abort(error);
    }
    this.#sender.flush();
    this.#transport.end();
  }

  wake(exchange: ServerExchange): void {
    this.#sender.wake(exchange);
  }

  finished(exchange: ServerExchange): void {
    this.#exchanges.delete(exchange.id);
    if (this.#peerEnded && this.#exchanges.size === 0) setImmediate(() => this.#transport.end());
  }

  sendCancel(id: number, reason: string): void {
    this.#cancel({ id, reason, refused: false });
  }

  emit(writer: BatchWriter): boolean {
    const cancels = this.#cancels;
    this.#cancels = [];
    for (const { id, reason, refused } of cancels) writer.cancel(id, reason, refused);
    if (this.#drainOwed) writer.drain();
    this.#drainOwed = false;
    return false;
  }

  onReady(): void {}

  onBatch(batch: Buffer): void {
    if (this.#closed) return;
    try {
      this.#reader.read(batch, this);
    } catch (cause) {
      this.#kill(cause instanceof LinkError ? cause : new LinkError("protocol", "unreadable batch", { cause }));
    }
  }

  onDrained(): void {
    this.#sender.resume();
  }

  onPeerEnd(): void {
    this.#peerEnded = true;
    if (this.#exchanges.size === 0) this.#transport.end();
  }

  onClosed(reason: string): void {
    this.#break(new LinkError("broken", reason));
  }

  onOpen(id: number, open: OpenFrame): void {
    if (this.#closed) return;
    if (id <= this.#lastId) throw new LinkError("protocol", `exchange ${id} opened out of order`);
    this.#lastId = id;
    const refusal = this.#host.refusal(this);
    if (refusal !== undefined) {
      this.#cancel({ id, reason: refusal, refused: true });
      return;
    }
    const exchange = new ServerExchange(this, { id, operation: this.#host.currentName(open.operation), open });
    this.#exchanges.set(id, exchange);
    this.#host.handle(exchange);
  }

  onBody(id: number, bytes: Buffer): void {
    this.#find(id)?.onBody(bytes);
  }

  onEnd(id: number): void {
    this.#find(id)?.onBodyEnd();
  }

  onCancel(id: number, reason: string): void {
    this.#find(id)?.abort(new LinkError("cancelled", reason));
  }

  onCredit(id: number, bytes: number): void {
    this.#find(id)?.onCredit(bytes);
  }

  onHead(): void {
    throw new LinkError("protocol", "the router sent a response head");
  }
  onChunk(): void {
    throw new LinkError("protocol", "the router sent a response chunk");
  }
  onTrailer(): void {
    throw new LinkError("protocol", "the router sent a response trailer");
  }
  onDrain(): void {
    throw new LinkError("protocol", "the router sent a drain");
  }

  /** Undefined for an exchange that is over: its late frames are ignored. */
  #find(id: number): ServerExchange | undefined {
    if (id === 0 || id > this.#lastId) throw new LinkError("protocol", `exchange ${id} was never opened`);
    return this.#exchanges.get(id);
  }

  #cancel(cancel: PendingCancel): void {
    this.#cancels.push(cancel);
    this.#sender.wake(this);
    if (this.#cancels.length > maxPendingCancels) this.#kill(new LinkError("protocol", "the peer has stopped reading"));
  }

  #kill(error: LinkError): void {
    this.#break(error);
    this.#transport.destroy(error.message);
  }

  #break(error: LinkError): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#sender.close();
    for (const exchange of [...this.#exchanges.values()]) exchange.abort(error);
    this.#host.onLinkClosed(this, error);
  }
}
