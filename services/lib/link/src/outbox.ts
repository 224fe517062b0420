import type { BatchWriter } from "./batch-writer.ts";
import type { LinkError } from "./errors.ts";
import { highWaterBytes, lowWaterBytes, maxFrameBytes, windowBytes } from "./limits.ts";

const nothing = Buffer.alloc(0);
/** How many sent buffers may accumulate at the front of the queue before it is compacted. */
const compactAfter = 64;

interface Waiter {
  resolve: () => void;
  reject: (error: LinkError) => void;
}

/**
 * The bytes that one end of an exchange has yet to send, limited by its peer's credit. Until
 * `commit`, a replayable outbox keeps what it has sent, so that `rewind` can send it all again on
 * another link.
 */
export class Outbox {
  /**
   * `[#index, #count)` is still to be sent. The array is kept when empty: a stream would otherwise
   * allocate one for each chunk.
   */
  #queue: Buffer[] = [];
  #index = 0;
  #count = 0;
  #offset = 0;
  #total = 0;
  #unsent = 0;
  #credit = windowBytes;
  #replayable: boolean;
  #waiters: Waiter[] | undefined;
  #closed: LinkError | undefined;

  constructor(options: { replayable: boolean }) {
    this.#replayable = options.replayable;
  }

  get empty(): boolean {
    return this.#unsent === 0;
  }

  get sendable(): boolean {
    return this.#unsent > 0 && this.#credit > 0;
  }

  /** False once the peer has accepted the exchange. */
  get replayable(): boolean {
    return this.#replayable;
  }

  /** False when the caller should await `drained` before it writes more. */
  push(chunk: Buffer): boolean {
    if (chunk.length > 0) {
      this.#queue[this.#count++] = chunk;
      this.#unsent += chunk.length;
      this.#total += chunk.length;
    }
    return this.#unsent < highWaterBytes;
  }

  /** Writes one frame of as much as credit allows. Small pending chunks are sent together. */
  emit(writer: BatchWriter, kind: "body" | "chunk", exchange: number): void {
    const bytes = Math.min(this.#unsent, this.#credit, maxFrameBytes);
    writer.beginBytes(kind, exchange, bytes);
    let left = bytes;
    while (left > 0) {
      const chunk = this.#queue[this.#index] as Buffer;
      const piece = Math.min(left, chunk.length - this.#offset);
      writer.append(chunk, this.#offset, this.#offset + piece);
      left -= piece;
      this.#offset += piece;
      if (this.#offset === chunk.length) this.#next();
    }
    this.#credit -= bytes;
    this.#unsent -= bytes;
    if (this.#unsent < lowWaterBytes) this.#wake();
  }

  /** False when the peer grants more than it can have consumed. */
  addCredit(bytes: number): boolean {
    this.#credit += bytes;
    return this.#credit <= windowBytes;
  }

  /** The peer has accepted the exchange: sent bytes need no longer be kept. */
  commit(): void {
    if (!this.#replayable) return;
    this.#replayable = false;
    this.#cutSent();
  }

  /** Marks everything as unsent again. Only valid before `commit`. */
  rewind(): void {
    this.#index = 0;
    this.#offset = 0;
    this.#unsent = this.#total;
    this.#credit = windowBytes;
  }

  /** Rejects with the error the outbox was closed with; resolves when it was closed without one. */
  drained(): Promise<void> {
    if (this.#closed !== undefined) return Promise.reject(this.#closed);
    if (this.#unsent < highWaterBytes) return Promise.resolve();
    return new Promise((resolve, reject) => {
      this.#waiters ??= [];
      this.#waiters.push({ resolve, reject });
    });
  }

  /** Drops unsent bytes. */
  close(error: LinkError | undefined): void {
    this.#closed = error;
    this.#queue = [];
    this.#index = 0;
    this.#count = 0;
    this.#unsent = 0;
    if (error === undefined) {
      this.#wake();
      return;
    }
    const waiters = this.#waiters;
    this.#waiters = undefined;
    if (waiters !== undefined) for (const waiter of waiters) waiter.reject(error);
  }

  #next(): void {
    this.#offset = 0;
    if (this.#replayable) {
      this.#index++;
      return;
    }
    this.#queue[this.#index++] = nothing;
    if (this.#index === this.#count) {
      this.#index = 0;
      this.#count = 0;
    } else if (this.#index >= compactAfter) this.#cutSent();
  }

  #cutSent(): void {
    this.#queue = this.#queue.slice(this.#index, this.#count);
    this.#count = this.#queue.length;
    this.#index = 0;
  }

  #wake(): void {
    const waiters = this.#waiters;
    if (waiters === undefined) return;
    this.#waiters = undefined;
    for (const waiter of waiters) waiter.resolve();
  }
}
