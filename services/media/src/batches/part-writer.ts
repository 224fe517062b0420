import { PassThrough } from "node:stream";
import type { ObjectStore } from "@uag/runtime/objects/store";
import type { Part, PartKind } from "./batch.ts";

/** Where a {@link PartWriter} writes. */
export interface PartWriterOptions {
  readonly objects: ObjectStore;
  readonly objectId: string;
  readonly kind: PartKind;
}

/** Writes results to one object while they arrive. */
export class PartWriter {
  readonly #options: PartWriterOptions;
  readonly #stream = new PassThrough();
  readonly #stored: Promise<number>;

  constructor(options: PartWriterOptions) {
    this.#options = options;
    const { objects, objectId } = options;
    // A failure of the store ends the stream; `write` and `end` report it.
    this.#stream.on("error", () => {});
    this.#stored = objects.put(objectId, "application/jsonl", this.#stream);
    this.#stored.catch((error: Error) => this.#stream.destroy(error));
  }

  /** Resolves when more may be written. @throws what the store throws */
  async write(line: Buffer): Promise<void> {
    const written = new Promise<void>((resolve, reject) => {
      this.#stream.write(line, (error) => (error ? reject(error) : resolve()));
    });
    // A stream that is destroyed may never call back.
    await Promise.race([written, this.#stored]);
  }

  /** Resolves when all of it is stored. @throws what the store throws */
  async end(): Promise<Part> {
    this.#stream.end();
    const { objectId, kind } = this.#options;
    return { kind, objectId, bytes: await this.#stored };
  }

  /** Gives up what was written. Its row has it removed later. */
  async abandon(): Promise<void> {
    this.#stream.destroy(new Error("the part was abandoned"));
    await this.#stored.catch(() => undefined);
  }
}
