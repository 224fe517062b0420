import type { Position } from "../journal/journal.ts";

/** One partition's finals from one range of the journal, published as one message. */
export interface Batch {
  readonly id: string;
  readonly partition: number;
  /** Its records are between these positions, mixed with those of other partitions. */
  readonly from: Position;
  readonly to: Position;
  readonly events: number;
  /** The encoded message; undefined when it must be read from the journal again. */
  payload: Uint8Array | undefined;
  /** How often the broker has acknowledged it. */
  published: number;
  /**
   * When it is republished if metering has not applied it and the stream has lost it; monotonic
   * clock.
   */
  dueAt: number;
  /** The stream sequence of its latest message; 0 when that stream is gone. */
  sequence: bigint;
  /** When that message was published; monotonic clock. */
  publishedAt: number;
}

/** Batches not confirmed by metering, with a bound on the memory that their payloads take. */
export class Unconfirmed {
  readonly #batches = new Map<string, Batch>();
  readonly #maxBytes: number;
  #bytes = 0;
  #events = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get size(): number {
    return this.#batches.size;
  }

  get events(): number {
    return this.#events;
  }

  values(): Iterable<Batch> {
    return this.#batches.values();
  }

  /**
   * Adds a batch that the broker acknowledged. A payload beyond the bound is dropped: the journal
   * has it.
   */
  add(batch: Batch): void {
    this.#batches.set(batch.id, batch);
    this.#events += batch.events;
    this.#bytes += batch.payload?.length ?? 0;
    if (this.#bytes > this.#maxBytes) this.#forgetBytes(batch);
  }

  remove(id: string): void {
    const batch = this.#batches.get(id);
    if (batch === undefined) return;
    this.#batches.delete(id);
    this.#events -= batch.events;
    this.#forgetBytes(batch);
  }

  #forgetBytes(batch: Batch): void {
    this.#bytes -= batch.payload?.length ?? 0;
    batch.payload = undefined;
  }
}
