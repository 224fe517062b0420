import type { batchEndpoints } from "@uag/contract/requests/batches";
import type { batchStatuses } from "@uag/contract/responses/batches";

/** A batch's public status. */
export type BatchStatus = (typeof batchStatuses)[number];
/** The path of a batch's requests. */
export type BatchEndpoint = (typeof batchEndpoints)[number] | typeof messagesEndpoint;

/** The path of the requests of batches in Anthropic's format. */
export const messagesEndpoint = "/v1/messages";

/** Whose format a batch has: OpenAI's, or Anthropic's for messages. */
export type BatchFormat = "openai" | "anthropic";

/** Whose batches an operation can see. */
export interface BatchOwner {
  readonly accountId: string;
  readonly format: BatchFormat;
}

/** A fault of the input file, or what ended the batch early. */
export interface BatchError {
  readonly code: string;
  readonly message: string;
  readonly param: string | null;
  readonly line: number | null;
}

/** Why the remaining lines of a batch are not run. */
export interface Ending {
  readonly status: Extract<BatchStatus, "cancelled" | "expired" | "failed">;
  readonly code: string;
  readonly message: string;
  /** The line whose response ended the batch. */
  readonly line?: number;
}

/** Which of the two result files a line goes to. */
export type PartKind = "output" | "errors";

/** The results of a slice of lines, in the object store. */
export interface Part {
  readonly kind: PartKind;
  readonly objectId: string;
  readonly bytes: number;
}

/** Where the next slice of the input file begins. */
export interface Position {
  /** Bytes. */
  readonly offset: number;
  /** The number of the first line there, from 1. */
  readonly line: number;
}

/** Lines with a result, by its kind. */
export interface Counts {
  readonly completed: number;
  readonly failed: number;
  /** Those of the failed that were not run. */
  readonly skipped: number;
}

/** The step that a worker does next. */
export type Stage = "validate" | "run" | "assemble" | "ended";

/** A batch of an account. */
export interface BatchDocument {
  readonly _id: string;
  readonly accountId: string;
  /** The key whose limits and budgets its requests use. */
  readonly keyId: string;
  readonly format: BatchFormat;
  /** Of the request that created it. */
  readonly idempotencyKey?: string;
  readonly endpoint: BatchEndpoint;
  readonly inputFileId: string;
  readonly input: { readonly objectId: string; readonly bytes: number };
  /** `anthropic-beta` of the request that created it, which each line is sent with. */
  readonly betas?: string;
  readonly metadata?: Readonly<Record<string, string>>;
  /** How long the result files are kept. */
  readonly outputSeconds: number;
  /** Idempotency keys of its lines are made from it, so that no client can guess them. */
  readonly secret: Buffer;
  readonly status: BatchStatus;
  readonly stage: Stage;
  /** False once it has ended. */
  readonly live: boolean;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  /** When it reached each status. */
  readonly at: Partial<Record<BatchStatus, Date>>;
  /** When a worker may claim it. A claim postpones this, which makes it the lease. */
  readonly dueAt: Date;
  /** Fencing token of the latest claim. */
  readonly claim: string;
  readonly model?: string;
  readonly total: number;
  readonly counts: Counts;
  readonly next: Position;
  /** Lines of the slice at `next` may have been sent. */
  readonly begun: boolean;
  /** When the latest slice was first begun. */
  readonly begunAt?: Date;
  readonly ending?: Ending;
  readonly parts: readonly Part[];
  readonly errors?: readonly BatchError[];
  readonly outputFileId?: string;
  readonly errorFileId?: string;
  /** When it reached its last status: it is removed some time after that. */
  readonly endedAt?: Date;
}

/**
 * The status that a batch is shown with. A cancellation is its time alone, since a worker that has
 * claimed the batch may change the stored status at the same moment.
 */
export function statusOf({ status, live, at }: Pick<BatchDocument, "status" | "live" | "at">): BatchStatus {
  return live && at.cancelling !== undefined ? "cancelling" : status;
}

/** Why a batch's remaining lines are not run now, if they are not. */
export function endingOf(batch: Pick<BatchDocument, "at" | "ending" | "expiresAt">, now: number): Ending | undefined {
  if (batch.ending !== undefined) return batch.ending;
  if (batch.at.cancelling !== undefined)
    return {
      status: "cancelled",
      code: "batch_cancelled",
      message: "The batch was cancelled before this request ran.",
    };
  if (batch.expiresAt.getTime() <= now)
    return { status: "expired", code: "batch_expired", message: "The batch expired before this request ran." };
  return undefined;
}
