import type { EventLog } from "./event-log.ts";

/** Longest id that is stored; the gateway's are shorter. */
export const maxIdChars = 200;

/** A response that the gateway stores for an account, in the collection `responses`. */
export interface ResponseDocument {
  /** Account and id: ids are made by providers, and may be the same in two accounts. */
  readonly _id: string;
  readonly accountId: string;
  readonly id: string;
  /** Where its pieces are. */
  readonly place: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  /** The ids of the responses that it continues, oldest first. */
  readonly previousIds: readonly string[];
  /** The ids of its request's own items and of its output, to which later requests may refer. */
  readonly itemIds: readonly string[];
  /** Number of pieces of the request's own items. */
  readonly inputPieces: number;
  /** Number of pieces of the response object. */
  readonly responsePieces: number;
  /** The events of its stream, if it was streamed in the background. */
  readonly events?: EventLog;
  /** Length of all that is stored, bytes. */
  readonly bytes: number;
}

/** A stored response with its content, as JSON. */
export interface StoredTurn {
  readonly id: string;
  readonly previousIds: readonly string[];
  /** The request's own items: a list. */
  readonly input: Buffer;
  /** The response object, as the client received it. */
  readonly response: Buffer;
}
