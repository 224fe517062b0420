/**
 * The state of a run under an idempotency key, as stored in MongoDB:
 *
 *     claimed -> started -> (billed) -> kept | lost
 *
 * - `claimed`: a replica is running the request, and no upstream was called. Once its lease has
 *   expired, the run may be taken over and restarted.
 * - `started`: the journal has its start on disk, and an upstream may have been called. It is never
 *   taken over: a request that finds its lease expired twice looks up its bill. A start on disk is
 *   always billed, by its own process or by the one that adopts the journal.
 * - billed is not a state of the record: the journal has the bill first, then metering.
 * - `kept`: its response is stored here.
 * - `lost`: it was billed, but its response is not stored. It is not run again.
 *
 * A run that failed without cost has no record: the next request runs.
 */
type RunState = "claimed" | "started" | "kept" | "lost";

/** A run under an idempotency key, as stored in the collection `runs`. */
export interface RecordDocument {
  /** Hash of account, API key, operation and idempotency key. */
  readonly _id: string;
  readonly bodyDigest: string;
  readonly state: RunState;
  /** Fencing token of the current run. */
  readonly token: string;
  /** Id of the request that runs or ran, and of its bill. */
  readonly requestId: string;
  readonly leaseUntil: Date;
  /** The lease expired once and was extended by the request that found it expired. */
  readonly doubted?: boolean;
  readonly expiresAt: Date;
  /** The model the run was admitted for. */
  readonly model?: string;
  /** A decimal number. */
  readonly costNanoUsd?: string;
  readonly status?: number;
  readonly headers?: string[];
  readonly parts?: number;
}

/** Identifies a bill. */
export interface Receipt {
  readonly requestId: string;
  /** Undefined while no bill is known. */
  readonly costNanoUsd: bigint | undefined;
}

/** A response as sent to the client. */
export interface RecordedResponse {
  readonly status: number;
  /** Alternating name and value. */
  readonly headers: readonly string[];
  readonly body: readonly Buffer[];
}

/** A stored response; its body is read while it is sent. */
export interface KeptResponse {
  readonly status: number;
  readonly headers: readonly string[];
  readonly model: string | undefined;
  /** Id of the request that produced it. */
  readonly requestId: string;
  /** Rejects when a piece is missing or its encryption key is gone. */
  body(): AsyncIterable<Buffer>;
}

/** The result of claiming an idempotency key. */
export type Claim =
  /** This caller runs the request. */
  | { readonly kind: "mine" }
  | { readonly kind: "running" }
  /** The key was used with a different body. */
  | { readonly kind: "reused" }
  /** An upstream may have been called, and the run's lease has been over for `silentMs`. */
  | { readonly kind: "interrupted"; readonly token: string; readonly requestId: string; readonly silentMs: number }
  | { readonly kind: "lost"; readonly receipt: Receipt }
  | { readonly kind: "kept"; readonly response: KeptResponse };
