import type { EventLog } from "../state/event-log.ts";

/** A response that is made in the background, until it is stored: in the collection `background`. */
export interface JobDocument {
  /** Account and id. */
  readonly _id: string;
  readonly accountId: string;
  /** The response's id. */
  readonly id: string;
  /** The key that pays for it. */
  readonly keyId: string;
  /** Where its pieces are. */
  readonly place: string;
  /** Number of pieces of the request's body. */
  readonly bodyPieces: number;
  /** Number of pieces of the name of its end user; absent or 0: the request's header has none. */
  readonly endUserPieces?: number;
  /** Number of pieces of the response object as it is while it is queued. */
  readonly responsePieces: number;
  /** The events of its stream; absent: it is not streamed. */
  readonly events?: EventLog;
  readonly createdAt: Date;
  /** After this it is not begun any more. */
  readonly giveUpAt: Date;
  /** When the database deletes it, whatever became of it. */
  readonly expiresAt: Date;
  /** When a worker may claim it; while it is claimed, when the claim expires. */
  readonly dueAt: Date;
  /** The claim of a worker; empty: none has it. */
  readonly claim: string;
  /** The request that the journal has the start of, if it was begun. */
  readonly requestId?: string;
  readonly startedAt?: Date;
  /** How often it was begun. */
  readonly starts?: number;
  readonly cancelledAt?: Date;
  /** Its response is about to be stored: it cannot be cancelled any more. */
  readonly isFinal?: true;
}

/** The status of a response that is not stored yet. */
export type JobStatus = "queued" | "in_progress" | "cancelled";

export function statusOf({ cancelledAt, claim, requestId }: JobDocument): JobStatus {
  if (cancelledAt !== undefined) return "cancelled";
  return claim === "" && requestId === undefined ? "queued" : "in_progress";
}
