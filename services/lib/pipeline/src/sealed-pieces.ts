import type { mongo } from "mongoose";
import type { ResponseBox } from "./idempotency/response-box.ts";

/** Maximum size of a stored piece, bytes: a document holds 16 MiB. */
const pieceBytes = 1024 * 1024;

/** An encrypted piece of something stored. */
export interface PieceDocument {
  /** Place and index. */
  readonly _id: string;
  readonly data: Buffer;
  readonly expiresAt: Date;
}

/** Stores bytes encrypted, in pieces that fit into documents, until they expire by the database's clock. */
export class SealedPieces {
  readonly #collection: mongo.Collection<PieceDocument>;
  readonly #box: ResponseBox;

  constructor(collection: mongo.Collection<PieceDocument>, box: ResponseBox) {
    this.#collection = collection;
    this.#box = box;
  }

  /**
   * Stores bytes under a place, which may be repeated. Resolves with the number of pieces.
   * @param from the index of the first, where the place has others already
   */
  async put(place: string, bytes: Buffer, lifeMs: number, from = 0): Promise<number> {
    const count = Math.ceil(bytes.length / pieceBytes);
    for (let n = 0; n < count; n++) {
      const id = idOf(place, from + n);
      const data = this.#box.seal(bytes.subarray(n * pieceBytes, (n + 1) * pieceBytes), id);
      const piece = { data: { $literal: data }, expiresAt: { $add: ["$$NOW", lifeMs] } };
      await this.#collection.updateOne({ _id: id }, [{ $set: piece }], { upsert: true });
    }
    return count;
  }

  /**
   * Rejects when a piece is missing or its encryption key is gone.
   * @param from the index of the first to read
   */
  async *read(place: string, count: number, from = 0): AsyncGenerator<Buffer, void, undefined> {
    for (let n = from; n < count; n++) {
      const id = idOf(place, n);
      const piece = await this.#collection.findOne({ _id: id });
      if (piece === null) throw new Error("a stored response is missing a piece");
      yield this.#box.open(piece.data, id);
    }
  }
}

const idOf = (place: string, n: number): string => `${place}/${n}`;

/** The ids of a place's pieces. */
export const pieceIdsOf = (place: string, count: number): string[] =>
  Array.from({ length: count }, (_, n) => idOf(place, n));
