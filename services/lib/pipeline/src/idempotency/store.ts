import { collectionOf } from "@uag/mongo/collection";
import { connectMongo } from "@uag/mongo/connect";
import { isDuplicate } from "@uag/mongo/errors";
import type { Connection, mongo } from "mongoose";
import { type PieceDocument, SealedPieces } from "../sealed-pieces.ts";
import type { Claim, KeptResponse, Receipt, RecordDocument, RecordedResponse } from "./record.ts";
import type { ResponseBox } from "./response-box.ts";

const maxPoolSize = 8;
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

interface SilentRecord extends RecordDocument {
  /** How long its lease has been over, milliseconds; negative while it lasts. */
  readonly silentMs: number;
}

/** Values as they are, for a pipeline: also those that begin with a dollar sign. */
const literals = (values: Readonly<Record<string, unknown>>): Record<string, object> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, { $literal: value }]));

/**
 * Runs under idempotency keys and their responses, in MongoDB, by whose clock leases and lifetimes
 * are counted. `RunState` describes a run's states.
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
    if (await this.#take(id, request)) return { kind: "mine" };
    const record = await this.#find(id);
    if (record === undefined) return await this.claim(id, request);
    if (record.bodyDigest !== request.bodyDigest) return { kind: "reused" };
    const standing = this.#standing(record);
    return standing.kind === "interrupted" && !record.doubted ? await this.#doubt(record) : standing;
  }

  /** Creates the record of a key, or takes over a claim whose lease is over; true on success. */
  async #take(id: string, request: { bodyDigest: string; requestId: string; token: string }): Promise<boolean> {
    const { records } = await this.#collections();
    const mine = { ...literals({ ...request, state: "claimed" }), ...this.#leased };
    const isFree = {
      $and: [
        { $eq: ["$state", "claimed"] },
        { $eq: ["$bodyDigest", { $literal: request.bodyDigest }] },
        { $lt: ["$leaseUntil", "$$NOW"] },
      ],
    };
    const isNew = { $eq: [{ $type: "$state" }, "missing"] };
    const taken = { $cond: [{ $or: [isNew, isFree] }, { $mergeObjects: ["$$ROOT", mine] }, "$$ROOT"] };
    try {
      const after = await records.findOneAndUpdate({ _id: id }, [{ $replaceWith: taken }], {
        upsert: true,
        returnDocument: "after",
        projection: { token: 1 },
      });
      return after?.token === request.token;
    } catch (error) {
      // Another process created the record at the same moment.
      if (isDuplicate(error)) return false;
      throw error;
    }
  }

  /** A run, and for how long its lease has been over by the database's clock. */
  async #find(id: string): Promise<SilentRecord | undefined> {
    const { records } = await this.#collections();
    const silentMs = { $toDouble: { $subtract: ["$$NOW", "$leaseUntil"] } };
    const stages = [{ $match: { _id: id } }, { $addFields: { silentMs } }];
    const [found] = await records.aggregate<SilentRecord>(stages).toArray();
    return found;
  }

  /**
   * A lease also expires when a living process cannot reach the database. So the first request that finds it
   * expired extends it once: a living process renews it within that time, or ends the run.
   */
  async #doubt({ _id, token, leaseUntil }: RecordDocument): Promise<Claim> {
    const { records } = await this.#collections();
    const silent = { _id, token, state: "started" as const, leaseUntil };
    await records.updateOne(silent, [{ $set: { leaseUntil: this.#leaseEnd, doubted: true } }]);
    return { kind: "running" };
  }

  #standing(record: SilentRecord): Claim {
    const { state, token, requestId, silentMs, costNanoUsd } = record;
    if (state === "kept") return { kind: "kept", response: this.#kept(record) };
    if (state === "lost") {
      const cost = costNanoUsd === undefined ? undefined : BigInt(costNanoUsd);
      return { kind: "lost", receipt: { requestId, costNanoUsd: cost } };
    }
    if (state === "claimed" || silentMs <= 0) return { kind: "running" };
    return { kind: "interrupted", token, requestId, silentMs };
  }

  /** The end of a lease that begins now. */
  get #leaseEnd(): object {
    return { $add: ["$$NOW", this.#options.leaseMs] };
  }

  get #leased(): Record<string, object> {
    const { lifeMs } = this.#options;
    return { leaseUntil: this.#leaseEnd, expiresAt: { $add: ["$$NOW", Math.max(lifeMs, minLifeMs)] } };
  }

  /** Marks that an upstream may be called. False when the run was taken over: then it must not. */
  async start(id: string, token: string, model: string): Promise<boolean> {
    const { records } = await this.#collections();
    const set = { ...literals({ state: "started", model }), leaseUntil: this.#leaseEnd };
    const { matchedCount } = await records.updateOne({ _id: id, token, state: "claimed" }, [{ $set: set }]);
    return matchedCount === 1;
  }

  /** Renews a run's lease. */
  async renew(id: string, token: string): Promise<void> {
    const { records } = await this.#collections();
    const alive = [{ $set: { leaseUntil: this.#leaseEnd } }, { $unset: "doubted" }];
    await records.updateOne({ _id: id, token, state: { $in: ["claimed", "started"] } }, alive);
  }

  /**
   * Stores a run's response. May be repeated, and succeeds even after the run was marked as lost.
   */
  async keep(id: string, token: string, { status, headers, body }: RecordedResponse): Promise<void> {
    const { records, pieces } = await this.#collections();
    const { lifeMs } = this.#options;
    if (pieces === undefined) throw new Error("no key to encrypt stored responses is configured");
    const parts = await pieces.put(token, Buffer.concat(body), lifeMs + pieceGraceMs);
    const kept = literals({ state: "kept", status, headers: [...headers], parts });
    const set = { ...kept, expiresAt: { $add: ["$$NOW", lifeMs] } };
    await records.updateOne({ _id: id, token, state: { $ne: "kept" } }, [{ $set: set }]);
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
    const { pieces } = await this.#collections();
    if (pieces === undefined) throw new Error("no key to decrypt stored responses is configured");
    yield* pieces.read(token, count);
  }

  async #collections(): Promise<{
    records: mongo.Collection<RecordDocument>;
    pieces: SealedPieces | undefined;
  }> {
    const connection = await this.#open();
    const { box } = this.#options;
    return {
      records: collectionOf<RecordDocument>(connection, "runs"),
      pieces: box && new SealedPieces(collectionOf<PieceDocument>(connection, "answers"), box),
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
