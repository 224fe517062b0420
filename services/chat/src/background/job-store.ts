import { GatewayError } from "@uag/contract/errors/gateway-error";
import { pieceIdsOf } from "@uag/pipeline/sealed-pieces";
import { newId, randomText } from "@uag/runtime/ids";
import type { mongo } from "mongoose";
import { alive, type ChatDatabase, type Collections, keyOf, literals, mayBeId, whole } from "../state/database.ts";
import type { EventLog } from "../state/event-log.ts";
import { pieceLifeMs } from "../state/store.ts";
import type { JobDocument } from "./job.ts";

/** How long a worker has a job without renewing its claim. */
export const leaseMs = 6_000;
const hourMs = 3_600_000;
/** A request that could not be begun within this time is not begun any more. */
const waitMs = hourMs;
/** A job that no worker could end, such as of a database that lost the request, is deleted. */
const lifeMs = 24 * hourMs;

/** A request to run in the background. */
export interface NewJob extends Pick<JobDocument, "accountId" | "id" | "keyId"> {
  /** The request's. */
  readonly body: Buffer;
  /** The end user that its header names. */
  readonly endUser: string | undefined;
  /** The response object that is queued. */
  readonly response: Buffer;
  /** Its events are stored. */
  readonly stream?: boolean;
}

/** Events of a job's stream to store. */
interface NewEvents {
  readonly log: EventLog;
  readonly bytes: Buffer;
}

/** Where jobs are stored, and how many of an account. */
export interface JobStoreOptions {
  readonly database: ChatDatabase;
  readonly maxPerAccount: number;
}

/**
 * Jobs in MongoDB, by whose clock they are due. A worker's every write names its claim, so that one
 * whose claim has passed to another changes nothing. Every method rejects with `service_unavailable`
 * while the database cannot be reached.
 */
export class JobStore {
  readonly #options: JobStoreOptions;

  constructor(options: JobStoreOptions) {
    this.#options = options;
  }

  /**
   * Stores a job, unless one has its id; returns the stored one.
   * @throws {GatewayError} `too_many_open_requests`
   */
  async create(order: NewJob): Promise<JobDocument> {
    const { maxPerAccount } = this.#options;
    const claim = newId("claim");
    const job = await this.#insert(order, claim);
    if (job.claim !== claim) return job;
    // Of concurrent requests each counts the others, so that together they never exceed the limit.
    const { accountId } = order;
    const isOverLimit = (await this.#run(({ jobs }) => jobs.countDocuments({ accountId }))) > maxPerAccount;
    // A job whose claim has expired meanwhile runs, so its client must get it.
    if (isOverLimit && (await this.#remove(job, own(job)))) {
      const text = `An account can have ${maxPerAccount} responses in progress in the background. Wait for some to end, or cancel them.`;
      throw new GatewayError("too_many_open_requests", text);
    }
    await this.release(job, { delayMs: 0, anew: false });
    return { ...job, claim: "" };
  }

  /** Claimed by its creator: no worker may claim it yet. */
  async #insert(
    { accountId, id, keyId, body, endUser = "", response, stream = false }: NewJob,
    claim: string,
  ): Promise<JobDocument> {
    return await this.#run(async ({ jobs, pieces }) => {
      const Id = keyOf(accountId, id);
      const place = `background/${randomText(24)}`;
      const bodyPieces = await pieces.put(bodyPlace(place), body, lifeMs);
      const endUserPieces = await pieces.put(endUserPlace(place), Buffer.from(endUser), lifeMs);
      const responsePieces = await pieces.put(responsePlace(place), response, lifeMs);
      const fields = {
        accountId,
        id,
        keyId,
        place,
        bodyPieces,
        endUserPieces,
        responsePieces,
        claim,
        ...(stream && { events: noEvents }),
      };
      const after = (ms: number): object => ({ $add: ["$$NOW", ms] });
      const times = { createdAt: "$$NOW", dueAt: later, giveUpAt: after(waitMs), expiresAt: after(lifeMs) };
      const fresh = { ...literals(fields), ...times };
      const job = await jobs.findOneAndUpdate({ _id: Id }, [{ $replaceWith: { $mergeObjects: [fresh, "$$ROOT"] } }], {
        upsert: true,
        returnDocument: "after",
      });
      if (job === null) throw new Error("an upsert returned no document");
      return job;
    });
  }

  async find(accountId: string, id: string): Promise<JobDocument | undefined> {
    if (!mayBeId(id)) return undefined;
    return await this.#run(async ({ jobs }) => (await jobs.findOne(alive({ _id: keyOf(accountId, id) }))) ?? undefined);
  }

  /** The request's body. */
  async readBody({ place, bodyPieces }: JobDocument): Promise<Buffer> {
    return await this.#run(({ pieces }) => whole(pieces.read(bodyPlace(place), bodyPieces)));
  }

  /** The end user that the request's header names; empty: none. */
  async readEndUser({ place, endUserPieces = 0 }: JobDocument): Promise<string> {
    return await this.#run(async ({ pieces }) => String(await whole(pieces.read(endUserPlace(place), endUserPieces))));
  }

  /** The response object that is queued. */
  async readResponse({ place, responsePieces }: JobDocument): Promise<Buffer> {
    return await this.#run(({ pieces }) => whole(pieces.read(responsePlace(place), responsePieces)));
  }

  /**
   * Stores more events and counts them in the job's log. Undefined when another worker has the job.
   * @param log the log so far, with the events counted
   */
  async addEvents(job: JobDocument, { log, bytes }: NewEvents): Promise<EventLog | undefined> {
    return await this.#run(async ({ jobs, pieces }) => {
      const added = await pieces.put(log.place, bytes, pieceLifeMs, log.pieces);
      const events = { ...log, pieces: log.pieces + added, bytes: log.bytes + bytes.length };
      const { matchedCount } = await jobs.updateOne(own(job), { $set: { events } });
      return matchedCount > 0 ? events : undefined;
    });
  }

  /** The pieces of a log that a reader has not read. */
  async *readEvents({ place, pieces: count }: EventLog, from: number): AsyncGenerator<Buffer, void, undefined> {
    for (let n = from; n < count; n++) yield await this.#run(({ pieces }) => whole(pieces.read(place, n + 1, n)));
  }

  /** Cancels a job, unless its response is about to be stored; undefined if it is, or there is none. */
  async cancel(accountId: string, id: string): Promise<JobDocument | undefined> {
    if (!mayBeId(id)) return undefined;
    const cancelledAt = { $ifNull: ["$cancelledAt", "$$NOW"] };
    const dueAt = { $cond: [{ $eq: ["$claim", ""] }, "$$NOW", "$dueAt"] };
    return await this.#update({ _id: keyOf(accountId, id), isFinal: { $exists: false } }, { cancelledAt, dueAt });
  }

  /**
   * Claims the job that has waited longest, if any.
   * @param except accounts whose jobs are not claimed
   */
  async claim(except: readonly string[]): Promise<JobDocument | undefined> {
    const due = { accountId: { $nin: [...except] }, $expr: { $lte: ["$dueAt", "$$NOW"] } };
    return await this.#update(due, { claim: newId("claim"), dueAt: later });
  }

  /** Renews a claim; undefined when another worker has it. */
  async renew(job: JobDocument): Promise<JobDocument | undefined> {
    return await this.#update(own(job), { dueAt: later });
  }

  /** Records the request that the journal has the start of. False when the job may not be run by this worker. */
  async start(job: JobDocument, requestId: string): Promise<boolean> {
    const waiting = { ...own(job), requestId: { $exists: false }, cancelledAt: { $exists: false } };
    const starts = { $add: [{ $ifNull: ["$starts", 0] }, 1] };
    return (await this.#update(waiting, { requestId, startedAt: "$$NOW", starts })) !== undefined;
  }

  /** Records that a complete response is being stored. False when another worker has the job, or it was cancelled. */
  async complete(job: JobDocument): Promise<boolean> {
    const filter = { ...own(job), cancelledAt: { $exists: false } };
    return (await this.#update(filter, { isFinal: true })) !== undefined;
  }

  /** Records that a response that is not complete is being stored. Undefined when another worker has the job. */
  async end(job: JobDocument): Promise<JobDocument | undefined> {
    return await this.#update(own(job), { isFinal: true });
  }

  /** Ends a claim; any worker may take the job, after a delay. What was begun and owes nothing may begin anew. */
  async release(job: JobDocument, { delayMs, anew }: { delayMs: number; anew: boolean }): Promise<void> {
    const dueAt = { $add: ["$$NOW", delayMs] };
    const unset = anew ? [{ $unset: ["requestId", "startedAt", "isFinal"] }] : [];
    await this.#run(({ jobs }) => jobs.updateOne(own(job), [{ $set: { claim: "", dueAt } }, ...unset]));
  }

  /** Deletes a job, whose response is stored. */
  async remove(job: JobDocument): Promise<void> {
    await this.#remove(job, { _id: job._id });
  }

  /** False when no job matches. */
  async #remove(job: JobDocument, filter: mongo.Filter<JobDocument>): Promise<boolean> {
    return await this.#run(async ({ jobs, pieceRows }) => {
      const { deletedCount } = await jobs.deleteOne(filter);
      if (deletedCount > 0) await pieceRows.deleteMany({ _id: { $in: piecesOf(job) } });
      return deletedCount > 0;
    });
  }

  async #update(filter: mongo.Filter<JobDocument>, set: object): Promise<JobDocument | undefined> {
    return await this.#run(async ({ jobs }) => {
      const found = await jobs.findOneAndUpdate(filter, [{ $set: set }], {
        sort: { dueAt: 1 },
        returnDocument: "after",
      });
      return found ?? undefined;
    });
  }

  #run<T>(work: (collections: Collections) => Promise<T>): Promise<T> {
    return this.#options.database.run(work);
  }
}

/** Two events open a stream. */
const noEvents: EventLog = { place: "", pieces: 0, events: 2, bytes: 0 };

const later = { $add: ["$$NOW", leaseMs] };

const own = ({ _id, claim }: JobDocument) => ({ _id, claim });

const bodyPlace = (place: string): string => `${place}/body`;
const endUserPlace = (place: string): string => `${place}/end-user`;
const responsePlace = (place: string): string => `${place}/response`;

const piecesOf = ({ place, bodyPieces, endUserPieces = 0, responsePieces }: JobDocument): string[] => [
  ...pieceIdsOf(bodyPlace(place), bodyPieces),
  ...pieceIdsOf(endUserPlace(place), endUserPieces),
  ...pieceIdsOf(responsePlace(place), responsePieces),
];
