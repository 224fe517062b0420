/**
 * How far a run under an idempotency key has come, as MongoDB knows it:
 *
 *     claimed -> started -> (billed) -> kept | lost
 *
 * - `claimed`: somebody runs the request, and no upstream was asked. A run whose lease ran out is
 *   taken over and begins anew.
 * - `started`: the journal has its start on disk, and an upstream may have been asked. It is never
 *   taken over: whoever comes when its lease has run out twice looks for its bill. A start that is
 *   on disk gets its bill, by its own process or by the one that adopts the journal.
 * - billed is no state of the record: the journal has the bill first, then metering.
 * - `kept`: here is its answer.
 * - `lost`: it was billed, and its answer is not here. It is not run again.
 *
 * What came to nothing, and cost nothing, has no record: the next request runs.
 */
export type RunState = "claimed" | "started" | "kept" | "lost";

/** A run under an idempotency key, as it stands in the collection `runs`. */
export interface RecordDocument {
  /** Hash of API key, operation and idempotency key. */
  readonly _id: string;
  readonly bodyDigest: string;
  readonly state: RunState;
  /** Fencing token of who runs it. */
  readonly token: string;
  /** Of the request that runs or ran: the id of its bill. */
  readonly requestId: string;
  readonly leaseUntil: Date;
  /** The lease ran out once, and has been given again by somebody who found it so. */
  readonly doubted?: boolean;
  readonly expiresAt: Date;
  /** What the run was admitted for. */
  readonly model?: string;
  /** A decimal number. */
  readonly costNanoUsd?: string;
  readonly status?: number;
  readonly headers?: string[];
  readonly parts?: number;
}

/** A piece of a kept answer, encrypted, as it stands in the collection `answers`. */
export interface PartDocument {
  /** Token and number. */
  readonly _id: string;
  readonly data: Buffer;
  readonly expiresAt: Date;
}

/** Where a bill can be looked for. */
export interface Receipt {
  readonly requestId: string;
  /** Undefined while no bill is known. */
  readonly costNanoUsd: bigint | undefined;
}

/** An answer as it went to the client. */
export interface RecordedResponse {
  readonly status: number;
  /** Name and value by turns. */
  readonly headers: readonly string[];
  readonly body: readonly Buffer[];
}

/** An answer that was kept; its body is read as it is sent. */
export interface KeptResponse {
  readonly status: number;
  readonly headers: readonly string[];
  readonly model: string | undefined;
  /** Of the request that was answered. */
  readonly requestId: string;
  /** Rejects when it is not whole any more, or its key is gone. */
  body(): AsyncIterable<Buffer>;
}

/** What became of the attempt to claim an idempotency key. */
export type Claim =
  /** This caller runs the request. */
  | { readonly kind: "mine" }
  | { readonly kind: "running" }
  /** The key was used with another body. */
  | { readonly kind: "reused" }
  /** An upstream may have been asked, and whoever asked it is silent since `leaseUntil`. */
  | { readonly kind: "interrupted"; readonly token: string; readonly requestId: string; readonly leaseUntil: Date }
  | { readonly kind: "lost"; readonly receipt: Receipt }
  | { readonly kind: "kept"; readonly response: KeptResponse };
