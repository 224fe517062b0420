import { BatchReader } from "./batch-reader.ts";
import type { BatchWriter } from "./batch-writer.ts";
import type { CallLink, ClientExchange } from "./client-exchange.ts";
import { LinkError } from "./errors.ts";
import type { FrameSink } from "./frames.ts";
import { maxExchangesPerLink, maxPendingCancels } from "./limits.ts";
import { type Emitter, Sender } from "./sender.ts";
import type { Dial, Transport, TransportEvents } from "./transport.ts";

/** What a link needs from its replica. */
export interface ClientLinkHost {
  onLinkReady(link: ClientLink): void;
  /** Accepts no more exchanges; the link closes when those in flight have ended. */
  onLinkDraining(link: ClientLink): void;
  /** Called once, last. `error.code` is `protocol` when the peer violated the protocol. */
  onLinkClosed(link: ClientLink, error: LinkError): void;
}

/** Configuration of one link at the calling end. */
export interface ClientLinkOptions {
  address: string;
  dial: Dial;
  host: ClientLinkHost;
  maxExchanges?: number;
}

/** Milliseconds a closed link has to end gracefully. */
const closeGraceMs = 1_000;

interface PendingCancel {
  id: number;
  reason: string;
}

/** The calling end of one link. */
export class ClientLink implements FrameSink, TransportEvents, CallLink, Emitter {
  turnAt: Sender | undefined;
  readonly address: string;
  readonly #host: ClientLinkHost;
  readonly #transport: Transport;
  readonly #sender: Sender;
  readonly #reader = new BatchReader();
  readonly #exchanges = new Map<number, ClientExchange>();
  /** Exchanges whose open has not been sent yet. */
  readonly #unsent = new Set<ClientExchange>();
  readonly #maxExchanges: number;
  #lastId = 0;
  #cancels: PendingCancel[] = [];
  #state: "connecting" | "ready" | "draining" | "closed" = "connecting";

  constructor(options: ClientLinkOptions) {
    this.address = options.address;
    this.#host = options.host;
    this.#maxExchanges = options.maxExchanges ?? maxExchangesPerLink;
    this.#transport = options.dial(options.address, this);
    this.#sender = new Sender(this.#transport);
  }

  get ready(): boolean {
    return this.#state === "ready";
  }

  get outstanding(): number {
    return this.#unsent.size + this.#exchanges.size;
  }

  /** Call only while `ready`. */
  open(call: ClientExchange): void {
    this.#unsent.add(call);
    call.attach(this);
    if (this.#lastId + this.#unsent.size >= this.#maxExchanges) this.drain();
  }

  assignId(call: ClientExchange): number {
    const id = ++this.#lastId;
    this.#unsent.delete(call);
    this.#exchanges.set(id, call);
    return id;
  }

  /** Opens no more exchanges, and ends the link when those in flight are over. */
  drain(): void {
    if (this.#state === "closed" || this.#state === "draining") return;
    this.#state = "draining";
    this.#host.onLinkDraining(this);
    this.#endWhenIdle();
  }

  /** Fails its exchanges immediately, requests the peer to drop them, and ends the link. */
  close(error: LinkError): void {
    for (const call of this.#calls()) call.finish(error, error.reason);
    this.#sender.flush();
    this.#transport.end();
    this.#break(error);
    // A peer that does not end its side must not keep the connection open.
    setTimeout(() => this.#transport.destroy(error.message), closeGraceMs).unref();
  }

  /** Drops a link that failed to become ready. */
  giveUp(reason: string): void {
    this.#kill(new LinkError("broken", reason));
  }

  wake(call: ClientExchange): void {
    this.#sender.wake(call);
  }

  release(call: ClientExchange, resetCode: string | undefined): void {
    if (call.id === 0) this.#unsent.delete(call);
    else this.#exchanges.delete(call.id);
    if (resetCode !== undefined && this.#state !== "closed") this.#cancel(call.id, resetCode);
    this.#endWhenIdle();
  }

  emit(writer: BatchWriter): boolean {
    const cancels = this.#cancels;
    this.#cancels = [];
    for (const { id, reason } of cancels) writer.cancel(id, reason, false);
    return false;
  }

  onReady(): void {
    if (this.#state !== "connecting") return;
    this.#state = "ready";
    this.#host.onLinkReady(this);
  }

  onBatch(batch: Buffer): void {
    if (this.#state === "closed") return;
    try {
      this.#reader.read(batch, this);
    } catch (cause) {
      this.#kill(cause instanceof LinkError ? cause : new LinkError("protocol", "unreadable batch", { cause }));
    }
  }

  onDrained(): void {
    this.#sender.resume();
    this.#endWhenIdle();
  }

  onPeerEnd(): void {
    this.#break(new LinkError("broken", "the serving end closed the link"));
  }

  onClosed(reason: string): void {
    this.#break(new LinkError("broken", reason));
  }

  onHead(id: number, status: number, headers: string[]): void {
    this.#find(id)?.onHead(status, headers);
  }

  onChunk(id: number, bytes: Buffer): void {
    this.#find(id)?.onChunk(bytes);
  }

  onTrailer(id: number, errorCode: string): void {
    this.#find(id)?.onTrailer(errorCode);
  }

  onCancel(id: number, reason: string, refused: boolean): void {
    this.#find(id)?.onCancel(reason, refused);
  }

  onCredit(id: number, bytes: number): void {
    this.#find(id)?.onCredit(bytes);
  }

  onDrain(id: number): void {
    if (id !== 0) throw new LinkError("protocol", "drain of an exchange");
    this.drain();
  }

  onOpen(): void {
    throw new LinkError("protocol", "open from the serving end");
  }
  onBody(): void {
    throw new LinkError("protocol", "body from the serving end");
  }
  onEnd(): void {
    throw new LinkError("protocol", "end from the serving end");
  }

  /** Undefined for an exchange that is over: its late frames are ignored. */
  #find(id: number): ClientExchange | undefined {
    if (id === 0 || id > this.#lastId) throw new LinkError("protocol", `exchange ${id} was never opened`);
    return this.#exchanges.get(id);
  }

  #calls(): ClientExchange[] {
    return [...this.#exchanges.values(), ...this.#unsent];
  }

  #cancel(id: number, reason: string): void {
    this.#cancels.push({ id, reason });
    this.#sender.wake(this);
    if (this.#cancels.length > maxPendingCancels) this.#kill(new LinkError("broken", "the peer has stopped reading"));
  }

  #endWhenIdle(): void {
    if (this.#state !== "draining" || this.outstanding > 0) return;
    this.#sender.flush();
    // A pending cancel must not be lost: retried when the peer accepts more.
    if (this.#sender.idle) this.#transport.end();
  }

  #kill(error: LinkError): void {
    this.#break(error);
    this.#transport.destroy(error.message);
  }

  #break(error: LinkError): void {
    if (this.#state === "closed") return;
    this.#state = "closed";
    this.#sender.close();
    // The replica is notified first: an exchange that is reopened must not get the same link.
    this.#host.onLinkClosed(this, error);
    for (const call of this.#calls()) call.onBroken(error);
  }
}
