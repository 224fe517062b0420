import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Logger } from "@uag/runtime/log";
import type { ObjectStore } from "@uag/runtime/objects/store";
import { createConnection, mongo } from "mongoose";

const selectionTimeoutMs = 2_000;
const socketTimeoutMs = 20_000;
const chunkBytes = 512 * 1024;
/** How long the bytes of an expired file are kept, for reads in progress and slow uploads. */
const graceMs = 3_600_000;

export interface GridFsOptions {
  readonly url: string;
  readonly database: string;
  /** How long files are kept. */
  readonly ttlMs: number;
  readonly sweepIntervalMs: number;
  readonly log: Logger;
}

/**
 * Files in MongoDB's GridFS. Every replica's sweeper removes expired ones, in any order and any
 * number of times.
 */
export async function openGridFs(options: GridFsOptions): Promise<ObjectStore> {
  const { ttlMs, log } = options;
  const connection = await createConnection(options.url, {
    dbName: options.database,
    serverSelectionTimeoutMS: selectionTimeoutMs,
    connectTimeoutMS: selectionTimeoutMs,
    socketTimeoutMS: socketTimeoutMs,
    writeConcern: { w: "majority" },
    autoIndex: false,
    autoCreate: false,
    bufferCommands: false,
  }).asPromise();
  const { db } = connection;
  if (db === undefined) throw new Error("the connection has no database");
  const bucket = new mongo.GridFSBucket(db, { bucketName: "assets", chunkSizeBytes: chunkBytes });
  await db.collection("assets.files").createIndex({ uploadDate: 1 });
  const sweep = async (): Promise<void> => {
    const expired = Date.now() - ttlMs;
    await db.collection("assets.files").deleteMany({ uploadDate: { $lt: new Date(expired - 1_000) } });
    // A chunk's id contains its creation time: a chunk older than any live file is orphaned, e.g.
    // by a broken upload.
    const oldest = mongo.ObjectId.createFromTime(Math.max(0, Math.floor((expired - graceMs) / 1000)));
    await db.collection("assets.chunks").deleteMany({ _id: { $lt: oldest } });
  };
  const timer = setInterval(() => {
    sweep().catch((error: unknown) => log.warn({ err: error }, "removing expired assets failed"));
  }, options.sweepIntervalMs);
  timer.unref();
  return {
    async put(id, contentType, body) {
      const upload = bucket.openUploadStream(id, { metadata: { contentType } });
      try {
        await pipeline(Readable.from(body, { objectMode: false }), upload);
      } catch (error) {
        await upload.abort().catch(() => undefined);
        throw error;
      }
      return upload.length;
    },
    async find(id) {
      const [file] = await bucket.find({ filename: id }).limit(1).toArray();
      if (file === undefined) return undefined;
      return {
        contentType: String(file.metadata?.["contentType"]),
        size: file.length,
        read: async ({ start, end }) => bucket.openDownloadStream(file._id, { start, end: end + 1 }),
      };
    },
    check: async () => {
      await db.admin().ping({ timeoutMS: selectionTimeoutMs });
      return { ok: true };
    },
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await connection.close();
    },
  };
}
