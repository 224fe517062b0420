import type { Writable } from "node:stream";
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
  /** Prefix of the two collections. */
  readonly bucket: string;
  /** Removes files by their age; undefined: their owner removes each. */
  readonly sweep?: SweepOptions;
}

export interface SweepOptions {
  /** How long files are kept. */
  readonly ttlMs: number;
  readonly everyMs: number;
  readonly log: Logger;
}

/**
 * Files in MongoDB's GridFS. Every replica's sweeper removes expired ones, in any order and any
 * number of times.
 */
export async function openGridFs(options: GridFsOptions): Promise<ObjectStore> {
  const { bucket: bucketName } = options;
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
  const bucket = new mongo.GridFSBucket(db, { bucketName, chunkSizeBytes: chunkBytes });
  const files = db.collection<{ _id: string }>(`${bucketName}.files`);
  const chunks = db.collection(`${bucketName}.chunks`);
  const timer = options.sweep && (await startSweeper({ files, chunks }, options.sweep));
  return {
    async put(id, contentType, body) {
      const upload = bucket.openUploadStreamWithId(idOf(id), id, { metadata: { contentType } });
      try {
        await writeAll(upload, body);
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
    async remove(id) {
      await files.deleteOne({ _id: id });
      await chunks.deleteMany({ files_id: id });
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

/**
 * Writes one chunk after the other, so that none is still being inserted when the upload is
 * aborted.
 */
async function writeAll(upload: Writable, body: AsyncIterable<Buffer>): Promise<void> {
  // Each call is notified of its failure.
  upload.on("error", () => {});
  const done = (call: (back: (error?: Error | null) => void) => void): Promise<void> =>
    new Promise((resolve, reject) => call((error) => (error ? reject(error) : resolve())));
  for await (const chunk of body) await done((back) => upload.write(chunk, back));
  await done((back) => upload.end(back));
}

/** The driver's types allow only its own ids; any value may be one. */
const idOf = (id: string): mongo.ObjectId => id as unknown as mongo.ObjectId;

interface Collections {
  readonly files: mongo.Collection<{ _id: string }>;
  readonly chunks: mongo.Collection;
}

async function startSweeper(
  { files, chunks }: Collections,
  { ttlMs, everyMs, log }: SweepOptions,
): Promise<NodeJS.Timeout> {
  await files.createIndex({ uploadDate: 1 });
  const sweep = async (): Promise<void> => {
    const expired = Date.now() - ttlMs;
    await files.deleteMany({ uploadDate: { $lt: new Date(expired - 1_000) } });
    // A chunk's id contains its creation time: a chunk older than any live file is orphaned, e.g.
    // by a broken upload.
    const oldest = mongo.ObjectId.createFromTime(Math.max(0, Math.floor((expired - graceMs) / 1000)));
    await chunks.deleteMany({ _id: { $lt: oldest } });
  };
  const timer = setInterval(() => {
    sweep().catch((error: unknown) => log.warn({ err: error }, "removing expired assets failed"));
  }, everyMs);
  return timer.unref();
}
