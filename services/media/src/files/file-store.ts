import { GatewayError } from "@uag/contract/errors/gateway-error";
import { toStoreError } from "@uag/mongo/store-error";
import type { ObjectStore } from "@uag/runtime/objects/store";
import type { ClientSession, Connection, Model } from "mongoose";
import { type FileDocument, type FilePurpose, fileModel } from "./file.ts";

/** What an account may store. */
export interface AccountSpace {
  readonly maxBytes: number;
  readonly maxFiles: number;
}

/** Which of an account's files to list. */
export interface FileQuery {
  readonly accountId: string;
  readonly purpose: FilePurpose | undefined;
  readonly limit: number;
  /** Only files after this one, in the order asked for. */
  readonly after: string | undefined;
  readonly order: "asc" | "desc";
}

/** What {@link FileStore} works with. */
export interface FileStoreOptions {
  readonly connection: Connection;
  readonly objects: ObjectStore;
  readonly space: AccountSpace;
  /** The database's time, Unix milliseconds. */
  readonly now: () => number;
}

const removedAtOnce = 100;

/** The accounts' files: metadata in MongoDB, content in the object store. */
export class FileStore {
  readonly objects: ObjectStore;
  readonly #files: Model<FileDocument>;
  readonly #space: AccountSpace;
  readonly #now: () => number;

  constructor({ connection, objects, space, now }: FileStoreOptions) {
    this.objects = objects;
    this.#files = fileModel(connection);
    this.#space = space;
    this.#now = now;
  }

  async open(): Promise<void> {
    await this.#files.createCollection();
    await this.#files.createIndexes();
  }

  /**
   * Inserts a file whose content follows, which reserves its space. Of uploads that exceed the
   * account's space together, each sees the others, so that it is never exceeded.
   * @throws {GatewayError} `storage_limit_exceeded`, `service_unavailable`
   */
  async begin(file: FileDocument): Promise<void> {
    await this.insert(file);
    try {
      await this.requireSpace(file.accountId);
    } catch (error) {
      await this.#files.deleteOne({ _id: file._id }).catch(unavailable);
      throw error;
    }
  }

  /** @throws {GatewayError} `storage_limit_exceeded` when an account's files exceed its space */
  async requireSpace(accountId: string): Promise<void> {
    const [used] = await this.#files
      .aggregate<{ bytes: number; files: number }>([
        { $match: { accountId } },
        { $group: { _id: null, bytes: { $sum: "$bytes" }, files: { $sum: 1 } } },
      ])
      .catch(unavailable);
    const { maxBytes, maxFiles } = this.#space;
    if (used === undefined || (Number(used.bytes) <= maxBytes && Number(used.files) <= maxFiles)) return;
    throw new GatewayError(
      "storage_limit_exceeded",
      `The account may store ${maxFiles} files with ${maxBytes} bytes in all. Delete files that you no longer need.`,
    );
  }

  /** Inserts a file whose content follows, also beyond the account's space: its owner has paid for it. */
  async insert(file: FileDocument): Promise<void> {
    await this.#files.collection.insertOne({ ...file } as never).catch(unavailable);
  }

  /** Makes an uploaded file visible to its owner. */
  async complete(
    id: string,
    stored: Pick<FileDocument, "bytes" | "purpose" | "expiresAt"> & Partial<Pick<FileDocument, "filename">>,
    session?: ClientSession,
  ): Promise<FileDocument> {
    const { expiresAt, ...set } = stored;
    const update =
      expiresAt === undefined
        ? { $set: { ...set, state: "ready" as const }, $unset: { removeAt: 1 as const } }
        : { $set: { ...set, state: "ready" as const, expiresAt, removeAt: expiresAt } };
    const file = await this.#files
      .findOneAndUpdate({ _id: id, state: "uploading" }, update, {
        returnDocument: "after",
        ...(session && { session }),
      })
      .lean<FileDocument>()
      .catch(session === undefined ? unavailable : raise);
    if (file === null) throw new GatewayError("service_unavailable", "The upload took too long. Send the file again.");
    return file;
  }

  /** @throws {GatewayError} `not_found` also for another account's file */
  async find(accountId: string, id: string): Promise<FileDocument> {
    return found(await this.#files.findOne(this.#visible(accountId, id)).lean<FileDocument>().catch(unavailable));
  }

  async list({ accountId, purpose, limit, after, order }: FileQuery): Promise<FileDocument[]> {
    return await this.#files
      .find({
        ...this.#visible(accountId),
        ...(purpose !== undefined && { purpose }),
        ...(after !== undefined && { _id: order === "asc" ? { $gt: after } : { $lt: after } }),
      })
      .sort({ _id: order === "asc" ? 1 : -1 })
      .limit(limit)
      .lean<FileDocument[]>()
      .catch(unavailable);
  }

  /** Deletes a file for its owner. Its content is removed at once. */
  async delete(accountId: string, id: string): Promise<void> {
    const now = new Date(this.#now());
    const deleted = await this.#files
      .findOneAndUpdate(this.#visible(accountId, id), { $set: { deletedAt: now, removeAt: now } })
      .lean<FileDocument>()
      .catch(unavailable);
    await this.#remove(found(deleted)._id);
  }

  /** Removes what an upload has left. */
  async discard(id: string): Promise<void> {
    await this.#files.updateOne({ _id: id, state: "uploading" }, { $set: { removeAt: new Date(0) } });
    await this.#remove(id);
  }

  /** Removes the content of files that have expired, were deleted, or were never complete. */
  async sweep(): Promise<void> {
    for (;;) {
      const due = await this.#files.find(this.#removable(), { _id: 1 }).limit(removedAtOnce).lean<{ _id: string }[]>();
      for (const { _id } of due) await this.#remove(_id);
      if (due.length < removedAtOnce) return;
    }
  }

  /** The file's content. */
  async *read({ objectId, bytes }: FileDocument): AsyncGenerator<Buffer> {
    if (bytes === 0) return;
    const object = await this.objects.find(objectId);
    if (object === undefined) throw new Error(`the stored object ${objectId} is missing`);
    yield* (await object.read({ start: 0, end: bytes - 1 })) as AsyncIterable<Buffer>;
  }

  async #remove(id: string): Promise<void> {
    const filter = { _id: id, ...this.#removable() };
    const file = await this.#files.findOneAndUpdate(filter, { $set: { state: "removing" } }).lean<FileDocument>();
    if (file === null) return;
    await this.objects.remove(file.objectId);
    await this.#files.deleteOne({ _id: id, state: "removing" });
  }

  #removable() {
    return { removeAt: { $lte: new Date(this.#now()) } };
  }

  #visible(accountId: string, id?: string) {
    const now = new Date(this.#now());
    return {
      accountId,
      ...(id !== undefined && { _id: id }),
      state: "ready" as const,
      deletedAt: { $exists: false },
      $or: [{ expiresAt: { $exists: false } }, { expiresAt: { $gt: now } }],
    };
  }
}

/** A transaction decides by the error itself whether it is repeated. */
function raise(error: unknown): never {
  throw error;
}

function unavailable(error: unknown): never {
  throw toStoreError(error);
}

function found(file: FileDocument | null): FileDocument {
  if (file === null) throw new GatewayError("not_found", "The file does not exist.", { param: "id" });
  return file;
}
