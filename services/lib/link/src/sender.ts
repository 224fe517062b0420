import { BatchWriter } from "./batch-writer.ts";
import { maxBatchBytes } from "./limits.ts";
import type { Transport } from "./transport.ts";

/**
 * Something with frames to send. It is asked when its turn comes, so outdated state is never sent.
 */
export interface Emitter {
  /**
   * Owned by the senders: the one in whose ring it is queued. Moving an exchange to another link
   * thereby removes it from the old link's ring.
   */
  turnAt: Sender | undefined;
  /** Writes at most one frame of body bytes. True when it could send more immediately. */
  emit(writer: BatchWriter): boolean;
}

/**
 * Collects the frames of one turn of the event loop into as few batches as their size allows,
 * taking one frame from each exchange in turn.
 */
export class Sender {
  #ring: Emitter[] = [];
  readonly #writer = new BatchWriter();
  readonly #transport: Transport;
  #scheduled = false;
  #paused = false;
  #closed = false;
  readonly #flush = (): void => this.flush();

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** True when everything has been handed to the transport. */
  get idle(): boolean {
    return this.#ring.length === 0;
  }

  wake(emitter: Emitter): void {
    if (emitter.turnAt === this || this.#closed) return;
    emitter.turnAt = this;
    this.#ring.push(emitter);
    if (this.#scheduled || this.#paused) return;
    this.#scheduled = true;
    setImmediate(this.#flush);
  }

  flush(): void {
    this.#scheduled = false;
    let next = 0;
    while (next < this.#ring.length && !this.#paused && !this.#closed) {
      while (next < this.#ring.length && this.#writer.size < maxBatchBytes) {
        const emitter = this.#ring[next++] as Emitter;
        if (emitter.turnAt !== this) continue;
        emitter.turnAt = undefined;
        if (emitter.emit(this.#writer)) this.#again(emitter);
      }
      if (this.#writer.size > 0) this.#paused = !this.#transport.write(this.#writer.take());
    }
    if (next === this.#ring.length) this.#ring.length = 0;
    else this.#ring.splice(0, next);
  }

  #again(emitter: Emitter): void {
    if (emitter.turnAt !== undefined) return;
    emitter.turnAt = this;
    this.#ring.push(emitter);
  }

  resume(): void {
    if (!this.#paused) return;
    this.#paused = false;
    this.flush();
  }

  close(): void {
    this.#closed = true;
    this.#ring = [];
  }
}
