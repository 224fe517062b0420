import { collectionOf } from "@uag/mongo/collection";
import { newId } from "@uag/runtime/ids";
import type { ObjectStore } from "@uag/runtime/objects/store";
import type { Connection, mongo } from "mongoose";
import type { Part, PartKind } from "./batch.ts";
import { PartWriter } from "./part-writer.ts";

interface PartDocument {
  readonly _id: string;
  readonly batchId: string;
  readonly removeAt: Date;
}

/** Longer than a batch takes. */
const keptMs = 3 * 86_400_000;
/** A worker that lost its claim may still be writing. */
const graceMs = 15 * 60_000;
const removedAtOnce = 100;

/** What {@link PartStore} works with. */
export interface PartStoreOptions {
  readonly connection: Connection;
  readonly objects: ObjectStore;
  /** The database's time, Unix milliseconds. */
  readonly now: () => number;
}

/**
 * The results of slices until they are assembled. Each has a row before its first byte, so that
 * what a process that dies leaves behind is removed too.
 */
export class PartStore {
  readonly #options: PartStoreOptions;
  readonly #parts: mongo.Collection<PartDocument>;

  constructor(options: PartStoreOptions) {
    this.#options = options;
    this.#parts = collectionOf<PartDocument>(options.connection, "batch_parts");
  }

  async open(): Promise<void> {
    await this.#parts.createIndexes([{ key: { removeAt: 1 } }, { key: { batchId: 1 } }]);
  }

  /** Begins a part, which its batch does not have until it is committed. */
  async begin(batchId: string, kind: PartKind): Promise<PartWriter> {
    const { objects, now } = this.#options;
    const objectId = newId("object");
    await this.#parts.insertOne({ _id: objectId, batchId, removeAt: new Date(now() + keptMs) });
    return new PartWriter({ objects, objectId, kind });
  }

  /** The content of parts, one after the other. */
  async *read(parts: readonly Part[]): AsyncGenerator<Buffer> {
    for (const { objectId, bytes } of parts) {
      const object = await this.#options.objects.find(objectId);
      if (object === undefined || object.size !== bytes) throw new Error(`the stored object ${objectId} is missing`);
      yield* (await object.read({ start: 0, end: bytes - 1 })) as AsyncIterable<Buffer>;
    }
  }

  /** Has all parts of a batch removed soon. */
  async discard(batchId: string): Promise<void> {
    const removeAt = new Date(this.#options.now() + graceMs);
    await this.#parts.updateMany({ batchId }, { $set: { removeAt } });
  }

  /** Removes what is due. Every replica does, in any order and any number of times. */
  async sweep(): Promise<void> {
    const due = { removeAt: { $lte: new Date(this.#options.now()) } };
    for (;;) {
      const rows = await this.#parts
        .find(due, { projection: { _id: 1 } })
        .limit(removedAtOnce)
        .toArray();
      for (const { _id } of rows) {
        await this.#options.objects.remove(_id);
        await this.#parts.deleteOne({ _id });
      }
      if (rows.length < removedAtOnce) return;
    }
  }
}
