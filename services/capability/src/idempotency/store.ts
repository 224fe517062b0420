import { type Connection, createConnection, mongo } from "mongoose";

const selectionTimeoutMs = 2_000;
const duplicateKey = 11_000;
/** Largest part of a stored body, bytes: a document holds 16 MiB. */
const partBytes = 1024 * 1024;
/** How long a result is replayed. */
const lifeMs = 24 * 3_600_000;

/** An answer as it went to the client. */
export interface StoredAnswer {
  readonly status: number;
  /** Name and value by turns. */
  readonly headers: readonly string[];
  /** In pieces as they are stored. */
  readonly body: readonly Buffer[];
}

interface RecordDocument {
  /** Hash of account, operation and key. */
  readonly _id: string;
  /** Hash of the request body. */
  readonly bodyHash: string;
  readonly state: "running" | "done";
  /** Fencing token of who runs it. */
  readonly token: string;
  readonly leaseUntil: Date;
  readonly expiresAt: Date;
  readonly status?: number;
  readonly headers?: string[];
  /** Small bodies; larger ones lie in parts. */
  readonly body?: Buffer;
  readonly parts?: number;
}

interface PartDocument {
  /** Token and number. */
  readonly _id: string;
  readonly data: Buffer;
  readonly expiresAt: Date;
}

export type Claim =
  /** This caller runs the request. */
  | { readonly kind: "mine" }
  | { readonly kind: "running" }
  /** The key was used with another body. */
  | { readonly kind: "reused" }
  | { readonly kind: "done"; readonly answer: StoredAnswer };

/** Results under idempotency keys, in MongoDB; each is forgotten after a day. */
export class IdempotencyStore implements AsyncDisposable {
  readonly #url: string;
  readonly #database: string;
  readonly #leaseMs: number;
  #connection: Promise<Connection> | undefined;

  constructor(options: { url: string; database?: string; leaseMs: number }) {
    this.#url = options.url;
    this.#database = options.database ?? "idempotency";
    this.#leaseMs = options.leaseMs;
  }

  /** Takes a key for a body, or says who has it. A run whose process is silent for the lease is taken over. */
  async claim(id: string, bodyHash: string, token: string): Promise<Claim> {
    const records = await this.#records();
    const now = new Date();
    const mine = this.#running(bodyHash, token, now);
    try {
      const free = { _id: id, state: "running" as const, bodyHash, leaseUntil: { $lt: now } };
      await records.updateOne(free, { $set: mine }, { upsert: true });
      return { kind: "mine" };
    } catch (error) {
      if (!(error instanceof mongo.MongoServerError) || error.code !== duplicateKey) throw error;
    }
    const record = await records.findOne({ _id: id });
    if (record === null) return await this.claim(id, bodyHash, token);
    if (record.bodyHash !== bodyHash) return { kind: "reused" };
    if (record.state === "running") return { kind: "running" };
    return { kind: "done", answer: await this.#answerOf(record) };
  }

  #running(bodyHash: string, token: string, now: Date): Omit<RecordDocument, "_id"> {
    return {
      bodyHash,
      state: "running",
      token,
      leaseUntil: new Date(now.getTime() + this.#leaseMs),
      expiresAt: new Date(now.getTime() + lifeMs),
    };
  }

  /** Keeps a run alive. */
  async renew(id: string, token: string): Promise<void> {
    const leaseUntil = new Date(Date.now() + this.#leaseMs);
    await (await this.#records()).updateOne({ _id: id, token, state: "running" }, { $set: { leaseUntil } });
  }

  /** Stores a run's result for a day. */
  async finish(id: string, token: string, { status, headers, body }: StoredAnswer): Promise<void> {
    const expiresAt = new Date(Date.now() + lifeMs);
    const whole = Buffer.concat(body);
    const set = { state: "done" as const, status, headers: [...headers], expiresAt };
    const records = await this.#records();
    if (whole.length <= partBytes) {
      await records.updateOne({ _id: id, token }, { $set: { ...set, body: whole } });
      return;
    }
    const parts: PartDocument[] = [];
    for (let at = 0; at < whole.length; at += partBytes) {
      parts.push({ _id: `${token}/${parts.length}`, data: whole.subarray(at, at + partBytes), expiresAt });
    }
    await (await this.#parts()).insertMany(parts);
    await records.updateOne({ _id: id, token }, { $set: { ...set, parts: parts.length } });
  }

  /** Frees the key: the request came to nothing that should be kept. */
  async free(id: string, token: string): Promise<void> {
    await (await this.#records()).deleteOne({ _id: id, token, state: "running" });
  }

  async #answerOf(record: RecordDocument): Promise<StoredAnswer> {
    const { status = 200, headers = [], body, parts = 0, token } = record;
    if (parts === 0) return { status, headers, body: body === undefined ? [] : [body] };
    const ids = Array.from({ length: parts }, (_, n) => `${token}/${n}`);
    const found = await (await this.#parts()).find({ _id: { $in: ids } }).toArray();
    const byId = new Map(found.map(({ _id, data }) => [_id, data]));
    const pieces = ids.map((id) => byId.get(id));
    if (pieces.includes(undefined)) throw new Error("a stored answer is not whole any more");
    return { status, headers, body: pieces as Buffer[] };
  }

  async #records(): Promise<mongo.Collection<RecordDocument>> {
    return (await this.#open()).collection<RecordDocument>("results") as unknown as mongo.Collection<RecordDocument>;
  }

  async #parts(): Promise<mongo.Collection<PartDocument>> {
    return (await this.#open()).collection<PartDocument>("parts") as unknown as mongo.Collection<PartDocument>;
  }

  /** Connects when the first key comes: a service without such requests needs no database for it. */
  #open(): Promise<Connection> {
    this.#connection ??= this.#connect().catch((error: unknown) => {
      this.#connection = undefined;
      throw error;
    });
    return this.#connection;
  }

  async #connect(): Promise<Connection> {
    const connection = await createConnection(this.#url, {
      dbName: this.#database,
      appName: "idempotency",
      serverSelectionTimeoutMS: selectionTimeoutMs,
      connectTimeoutMS: selectionTimeoutMs,
      socketTimeoutMS: 20_000,
      maxPoolSize: 8,
      promoteBuffers: true,
      writeConcern: { w: "majority", journal: true },
      bufferCommands: false,
    }).asPromise();
    for (const name of ["results", "parts"]) {
      await connection.collection(name).createIndex({ expiresAt: 1 }, { expireAfterSeconds: 0 });
    }
    return connection;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const connection = await this.#connection?.catch(() => undefined);
    await connection?.close();
  }
}
