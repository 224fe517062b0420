import { collectionOf } from "@uag/mongo/collection.ts";
import { connectMongo } from "@uag/mongo/connect.ts";
import { isDuplicate } from "@uag/mongo/errors.ts";
import type { Connection, mongo } from "mongoose";
import type { Claim, KeptResponse, PartDocument, Receipt, RecordDocument, RecordedResponse } from "./record.ts";
import type { ResponseBox } from "./response-box.ts";

const maxPoolSize = 8;
/** Maximum size of a stored piece, bytes: a document holds 16 MiB. */
const pieceBytes = 1024 * 1024;
/** A run without a stored response is remembered at least this long: it must not run again. */
const minLifeMs = 24 * 3_600_000;
/** Pieces outlive their record, so that a response being sent stays complete. */
const pieceGraceMs = 3_600_000;

/** Which database stores runs, and for how long. */
export interface IdempotencyStoreOptions {
  readonly url: string;
  readonly database?: string;
  /** How long a silent run is presumed alive, milliseconds. */
  readonly leaseMs: number;
  /** How long responses are stored, milliseconds. */
  readonly lifeMs: number;
  /** Undefined: no response is stored, and a repeated request gets a receipt. */
  readonly box: ResponseBox | undefined;
}

/**
 * Runs under idempotency keys and their responses, in MongoDB. `RunState` describes a run's states.
 */
export class IdempotencyStore implements AsyncDisposable {
  readonly #options: IdempotencyStoreOptions;
  #connection: Promise<Connection> | undefined;

  constructor(options: IdempotencyStoreOptions) {
    this.#options = options;
  }

  get keepsResponses(): boolean {
    return this.#options.box !== undefined;
  }

  /** Claims a key for a request, or reports the state of the run that has it. */
  async claim(id: string, request: { bodyDigest: string; requestId: string; token: string }): Promise<Claim> {
    const { records } = await this.#collections();
    const { bodyDigest } = request;
    const now = new Date();
    try {
      const free = { _id: id, state: "claimed" as const, bodyDigest, leaseUntil: { $lt: now } };
      await records.updateOne(free, { $set: { ...request, ...this.#leased(now) } }, { upsert: true });
      return { kind: "mine" };
    } catch (error) {
      if (!isDuplicate(error)) throw error;
    }
    const record = await records.findOne({ _id: id });
    if (record === null) return await this.claim(id, request);
    if (record.bodyDigest !== bodyDigest) return { kind: "reused" };
    const claimed = this.#standing(record, now);
    return claimed.kind === "interrupted" && !record.doubted ? await this.#doubt(record) : claimed;
  }

  /**
   * A lease also expires when a living process cannot reach the database. So whoever first finds it
   * expired extends it once: a living process renews it within that time, or ends the run.
   */
  async #doubt({ _id, token, leaseUntil }: RecordDocument): Promise<Claim> {
    const { records } = await this.#collections();
    const again = new Date(Date.now() + this.#options.leaseMs);
    const silent = { _id, token, state: "started" as const, leaseUntil };
    await records.updateOne(silent, { $set: { leaseUntil: again, doubted: true } });
    return { kind: "running" };
  }

  #standing(record: RecordDocument, now: Date): Claim {
    const { state, token, requestId, leaseUntil, costNanoUsd } = record;
    if (state === "kept") return { kind: "kept", response: this.#kept(record) };
    if (state === "lost") {
      const cost = costNanoUsd === undefined ? undefined : BigInt(costNanoUsd);
      return { kind: "lost", receipt: { requestId, costNanoUsd: cost } };
    }
    if (state === "claimed" || leaseUntil >= now) return { kind: "running" };
    return { kind: "interrupted", token, requestId, leaseUntil };
  }

  #leased(now: Date): Pick<RecordDocument, "state" | "leaseUntil" | "expiresAt"> {
    const { leaseMs, lifeMs } = this.#options;
    const expiresAt = new Date(now.getTime() + Math.max(lifeMs, minLifeMs));
    return { state: "claimed", leaseUntil: new Date(now.getTime() + leaseMs), expiresAt };
  }

  /** Marks that an upstream may be called. False when the run was taken over: then it must not. */
  async start(id: string, token: string, model: string): Promise<boolean> {
    const { records } = await this.#collections();
    const leaseUntil = new Date(Date.now() + this.#options.leaseMs);
    const set = { state: "started" as const, model, leaseUntil };
    const { matchedCount } = await records.updateOne({ _id: id, token, state: "claimed" }, { $set: set });
    return matchedCount === 1;
  }

  /** Renews a run's lease. */
  async renew(id: string, token: string): Promise<void> {
    const { records } = await this.#collections();
    const leaseUntil = new Date(Date.now() + this.#options.leaseMs);
    const alive = { $set: { leaseUntil }, $unset: { doubted: true as const } };
    await records.updateOne({ _id: id, token, state: { $in: ["claimed", "started"] } }, alive);
  }

  /**
   * Stores a run's response. May be repeated, and succeeds even after the run was marked as lost.
   */
  async keep(id: string, token: string, { status, headers, body }: RecordedResponse): Promise<void> {
    const { records, parts } = await this.#collections();
    const { box, lifeMs } = this.#options;
    if (box === undefined) throw new Error("there is no key to seal answers with");
    const expiresAt = new Date(Date.now() + lifeMs);
    const partsExpireAt = new Date(expiresAt.getTime() + pieceGraceMs);
    const whole = Buffer.concat(body);
    const pieces = Array.from({ length: Math.ceil(whole.length / pieceBytes) }, (_, n) =>
      whole.subarray(n * pieceBytes, (n + 1) * pieceBytes),
    );
    for (const [n, piece] of pieces.entries()) {
      const place = `${token}/${n}`;
      const part = { data: box.seal(piece, place), expiresAt: partsExpireAt };
      await parts.replaceOne({ _id: place }, part, { upsert: true });
    }
    const set = { state: "kept" as const, status, headers: [...headers], parts: pieces.length, expiresAt };
    await records.updateOne({ _id: id, token, state: { $ne: "kept" } }, { $set: set });
  }

  /** Marks the run as billed without a stored response. */
  async lose(id: string, token: string, { costNanoUsd }: Pick<Receipt, "costNanoUsd">): Promise<void> {
    const { records } = await this.#collections();
    const cost = costNanoUsd === undefined ? {} : { costNanoUsd: String(costNanoUsd) };
    const set = { state: "lost" as const, ...cost };
    await records.updateOne({ _id: id, token, state: { $in: ["claimed", "started"] } }, { $set: set });
  }

  /** Frees the key: the run failed and nothing is owed for it. */
  async free(id: string, token: string): Promise<void> {
    const { records } = await this.#collections();
    await records.deleteOne({ _id: id, token, state: { $in: ["claimed", "started"] } });
  }

  #kept({ status = 200, headers = [], model, requestId, parts = 0, token }: RecordDocument): KeptResponse {
    return { status, headers, model, requestId, body: () => this.#pieces(token, parts) };
  }

  async *#pieces(token: string, count: number): AsyncGenerator<Buffer, void, undefined> {
    const { parts } = await this.#collections();
    const { box } = this.#options;
    for (let n = 0; n < count; n++) {
      const place = `${token}/${n}`;
      const part = await parts.findOne({ _id: place });
      if (part === null || box === undefined) throw new Error("a stored answer is not whole any more");
      yield box.open(part.data, place);
    }
  }

  async #collections(): Promise<{
    records: mongo.Collection<RecordDocument>;
    parts: mongo.Collection<PartDocument>;
  }> {
    const connection = await this.#open();
    return {
      records: collectionOf<RecordDocument>(connection, "runs"),
      parts: collectionOf<PartDocument>(connection, "answers"),
    };
  }

  /** Connects on the first key: without such requests a service does not need the database. */
  #open(): Promise<Connection> {
    this.#connection ??= this.#connect().catch((error: unknown) => {
      this.#connection = undefined;
      throw error;
    });
    return this.#connection;
  }

  async #connect(): Promise<Connection> {
    const { url, database = "idempotency" } = this.#options;
    const connection = await connectMongo({
      url,
      database,
      service: "idempotency",
      maxPoolSize,
      readConcern: "majority",
    });
    for (const name of ["runs", "answers"]) {
      await connection.collection(name).createIndex({ expiresAt: 1 }, { expireAfterSeconds: 0 });
    }
    return connection;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const connection = await this.#connection?.catch(() => undefined);
    await connection?.close();
  }
}
