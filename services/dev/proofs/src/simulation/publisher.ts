import type { Position } from "@uag/usage/journal/journal";
import { readBatches } from "@uag/usage/publish/batch-reader";
import type { Batch } from "@uag/usage/publish/unconfirmed";
import type { SimulatedJournal } from "./disk.ts";

export interface PublisherOptions {
  readonly journal: SimulatedJournal;
  readonly holderId: string;
  readonly batchPrefix: string;
  /** Called after each confirmation. */
  readonly confirmed: () => void;
}

/**
 * Publishes a journal's finals to the stream when the simulator decides; the real publisher decides on
 * its own.
 */
export class SimulatedPublisher implements AsyncDisposable {
  readonly #options: PublisherOptions;
  #cursor: Position;
  #count = 0;
  #unconfirmed: Batch[] = [];
  stopped = false;

  constructor(options: PublisherOptions) {
    this.#options = options;
    this.#cursor = options.journal.start;
  }

  get keepSegment(): number {
    return Math.min(this.#cursor.segment, ...this.#unconfirmed.map(({ from }) => from.segment));
  }

  get unconfirmedEvents(): number {
    return this.#unconfirmed.length;
  }

  get done(): boolean {
    const { end } = this.#options.journal;
    const atEnd = this.#cursor.segment === end.segment && this.#cursor.offset >= end.offset;
    return atEnd && this.#unconfirmed.length === 0;
  }

  /** Publishes the next batches; if there are none, all unconfirmed ones again. */
  async publish(send: (payload: Uint8Array) => void): Promise<void> {
    const { journal, holderId, batchPrefix } = this.#options;
    const newId = (): string => `${batchPrefix}:${++this.#count}`;
    const read = await readBatches(journal, this.#cursor, { newId, holderId });
    if (read === undefined) {
      for (const { payload } of this.#unconfirmed) if (payload !== undefined) send(payload);
      return;
    }
    this.#cursor = read.next;
    this.#unconfirmed.push(...read.batches);
    for (const { payload } of read.batches) send(payload as Uint8Array);
  }

  /** Checks which batches are applied. */
  confirm(applied: ReadonlySet<string>): void {
    const before = this.#unconfirmed.length;
    this.#unconfirmed = this.#unconfirmed.filter(({ id }) => !applied.has(id));
    if (this.#unconfirmed.length < before) this.#options.confirmed();
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.stopped = true;
    return Promise.resolve();
  }
}
