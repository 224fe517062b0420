import type { Position } from "@uag/journal/journal.ts";

/** Finals of one partition from one stretch of the journal, which travel as one message. */
export interface Batch {
  readonly id: string;
  readonly partition: number;
  /** Its records lie between these two places, those of other partitions among them. */
  readonly from: Position;
  readonly to: Position;
  readonly events: number;
  /** The encoded message; undefined when it must be read from the journal again. */
  payload: Uint8Array | undefined;
  /** How often it was acknowledged by the broker. */
  published: number;
  /**
   * By the monotonic clock: when it is published again if metering has not applied it and the
   * stream has lost it.
   */
  dueAt: number;
  /** Its message's number in the stream when it was published last; 0 when that stream is gone. */
  sequence: bigint;
  /** By the monotonic clock, when that was. */
  publishedAt: number;
}

/** Batches that metering has not confirmed, with a bound on the memory that their bytes take. */
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
   * Takes a batch that the broker has. Bytes beyond the bound are dropped: the journal has them.
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
