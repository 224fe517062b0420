import { GatewayError } from "@uag/contract/errors/gateway-error";
import { collectionOf } from "@uag/mongo/collection";
import { connectMongo } from "@uag/mongo/connect";
import { toStoreError } from "@uag/mongo/store-error";
import type { ResponseBox } from "@uag/pipeline/idempotency/response-box";
import { type PieceDocument, SealedPieces } from "@uag/pipeline/sealed-pieces";
import type { Connection, mongo } from "mongoose";
import type { JobDocument } from "../background/job.ts";
import { maxIdChars, type ResponseDocument } from "./document.ts";

const maxPoolSize = 8;

/** Which database stores what accounts keep, and how it is encrypted. */
export interface ChatDatabaseOptions {
  readonly url: string;
  readonly database?: string;
  readonly box: ResponseBox;
}

/** The collections of the database. */
export interface Collections {
  readonly responses: mongo.Collection<ResponseDocument>;
  readonly jobs: mongo.Collection<JobDocument>;
  readonly pieces: SealedPieces;
  readonly pieceRows: mongo.Collection<PieceDocument>;
}

/** The database of what the service stores for accounts. It connects on first use. */
export class ChatDatabase implements AsyncDisposable {
  readonly #options: ChatDatabaseOptions;
  #connection: Promise<Connection> | undefined;

  constructor(options: ChatDatabaseOptions) {
    this.#options = options;
  }

  /** @throws {GatewayError} `service_unavailable` while the database cannot be reached */
  async run<T>(work: (collections: Collections) => Promise<T>): Promise<T> {
    try {
      const connection = await this.#open();
      const pieceRows = collectionOf<PieceDocument>(connection, "pieces");
      const responses = collectionOf<ResponseDocument>(connection, "responses");
      const jobs = collectionOf<JobDocument>(connection, "background");
      return await work({ responses, jobs, pieces: new SealedPieces(pieceRows, this.#options.box), pieceRows });
    } catch (error) {
      throw toStoreError(error);
    }
  }

  #open(): Promise<Connection> {
    this.#connection ??= this.#connect().catch((cause: unknown) => {
      this.#connection = undefined;
      throw new GatewayError("service_unavailable", undefined, { retryAfterMs: 1_000, cause });
    });
    return this.#connection;
  }

  async #connect(): Promise<Connection> {
    const { url, database = "chat" } = this.#options;
    const connection = await connectMongo({ url, database, service: "chat", maxPoolSize, readConcern: "majority" });
    for (const name of ["responses", "pieces", "background"])
      await connection.collection(name).createIndex({ expiresAt: 1 }, { expireAfterSeconds: 0 });
    const responses = connection.collection("responses");
    await responses.createIndex({ accountId: 1, createdAt: 1, bytes: 1 });
    await responses.createIndex({ accountId: 1, itemIds: 1 });
    const jobs = connection.collection("background");
    await jobs.createIndex({ accountId: 1 });
    await jobs.createIndex({ dueAt: 1 });
    return connection;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const connection = await this.#connection?.catch(() => undefined);
    await connection?.close();
  }
}

/** The database deletes expired documents up to a minute later. */
export const alive = <T extends { readonly _id: string; readonly expiresAt: Date }>(
  filter: mongo.Filter<T>,
): mongo.Filter<T> => ({
  ...filter,
  $expr: { $gt: ["$expiresAt", "$$NOW"] },
});

/** Values as they are, for a pipeline: also those that begin with a dollar sign. */
export const literals = (values: Readonly<Record<string, unknown>>): Record<string, object> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, { $literal: value }]));

/** The `_id` of what belongs to an account. */
export const keyOf = (accountId: string, id: string): string => `${accountId}/${id}`;

/** Whether a client's text can be the id of something stored. */
export const mayBeId = (id: string): boolean => id !== "" && id.length <= maxIdChars;

/** All pieces, as one buffer. */
export async function whole(pieces: AsyncIterable<Buffer>): Promise<Buffer> {
  const read: Buffer[] = [];
  for await (const piece of pieces) read.push(piece);
  return Buffer.concat(read);
}
