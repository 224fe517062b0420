import assert from "node:assert/strict";
import { Readable } from "node:stream";
import { gunzipSync } from "node:zlib";
import type { ObjectStore } from "@uag/runtime/objects/store";

/** Waits until the world resumes a process. */
export type Gate = () => Promise<void>;

/** The object store of an archive: its files are write-once. */
export class ArchiveFiles {
  readonly #files = new Map<string, Buffer>();

  /** The rows of a file, in its order. */
  rows<Row>(key: string, decode: (json: unknown) => Row): Row[] {
    const text = gunzipSync(this.#files.get(key) ?? Buffer.alloc(0)).toString();
    return text
      .trimEnd()
      .split("\n")
      .map((line) => decode(JSON.parse(line)));
  }

  /** The store as one process uses it: each call waits for its gate. */
  storeOf(gate: Gate): ObjectStore {
    return {
      put: async (id, _, body) => {
        const pieces: Buffer[] = [];
        for await (const piece of body) pieces.push(piece);
        await gate();
        assert.ok(!this.#files.has(id), `the file ${id} is written a second time`);
        const file = Buffer.concat(pieces);
        this.#files.set(id, file);
        return file.length;
      },
      find: async (id) => {
        await gate();
        const file = this.#files.get(id);
        const read = async (): Promise<Readable> => Readable.from([file as Buffer]);
        return file && { contentType: "", size: file.length, read };
      },
      remove: async () => assert.fail("an archived file is removed"),
      check: async () => ({ ok: true }),
      [Symbol.asyncDispose]: async () => undefined,
    };
  }
}
