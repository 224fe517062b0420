import type { Caller } from "@uag/proto/common/v1/caller.ts";
import type { Checkpoint } from "@uag/proto/metering/v1/journal.ts";
import type {
  FailedAttempt,
  Outcome,
  Pricing,
  SettlementRule,
  Unit,
  UsageEvent,
} from "@uag/proto/metering/v1/usage.ts";
import type { HealthCheck } from "@uag/runtime/health";
import type { RequestSpend } from "./spend/request-spend.ts";
import type { Purse } from "./wallet/account.ts";

/** What a capability service asks for before it calls an upstream. */
export interface AdmitRequest {
  /** Unique; also identifies the request's usage event. */
  readonly requestId: string;
  readonly caller: Caller;
  /** e.g. `chat.completions` */
  readonly operation: string;
  /** The public model id. */
  readonly model: string;
  /** Upper bound of the cost, nano-USD. */
  readonly holdNanoUsd: bigint;
  /** Upper bound of the tokens, for the key's token limit per minute. */
  readonly tokens: number;
  readonly priceVersion: string;
  /** Digest of the catalogue that was in force when the request began. */
  readonly catalogVersion?: string | undefined;
  readonly stream: boolean;
  /** Of the trace that the request belongs to; undefined when it belongs to none. */
  readonly traceId?: string | undefined;
  /** Of the span that metering's is a child of; undefined when the request is not sampled. */
  readonly spanId?: string | undefined;
  /** The client's own id of the request, if it sent one. */
  readonly clientRequestId?: string | undefined;
}

/** How a request ended and what is billed for it. */
export interface Settlement {
  readonly outcome: Outcome;
  readonly settlementRule: SettlementRule;
  readonly pricing: Pricing;
  readonly units: Unit[];
  readonly costNanoUsd: bigint;
  /** Empty when no upstream was reached. */
  readonly upstream: string;
  /** The upstream's id of the call that succeeded, where it reports one. */
  readonly upstreamRequestId?: string | undefined;
  readonly upstreamModel: string;
  /** Name or hint of the credential that it was called with; undefined: none. */
  readonly upstreamCredential?: string | undefined;
  /** Its id in the catalogue; undefined for a provider's only key in the file. */
  readonly upstreamCredentialId?: string | undefined;
  /** What the operator pays for the call, nano-USD; undefined: `costNanoUsd`. */
  readonly upstreamCostNanoUsd?: bigint | undefined;
  /** Why the upstream was called; undefined: there was no choice. */
  readonly upstreamReason?: string | undefined;
  /** Why with this credential; undefined: there was no choice. */
  readonly credentialReason?: string | undefined;
  /** The upstream's usage object verbatim (JSON), or empty. */
  readonly rawUsage: Uint8Array;
  readonly attempts: number;
  /** The HTTP status that the client received. */
  readonly status: number;
  /** For a stream: milliseconds from admission to its first bytes. */
  readonly firstByteMs?: number | undefined;
  /** The error code that the client received; undefined if it received none. */
  readonly errorCode?: string | undefined;
  /** Failed calls, as far as they are kept. */
  readonly failedAttempts: FailedAttempt[];
  /** The model that served the request, if it is another than the requested one. */
  readonly model?: string;
  /** Its price's. */
  readonly priceVersion?: string;
  /** The requested model, if another one served the request. */
  readonly requestedModel?: string | undefined;
  /** Why the requested model did not serve it. */
  readonly fallbackReason?: string | undefined;
}

/** The bill of a stream, if the process died now. */
export type Progress = Omit<Checkpoint, "requestId">;

/** A request that may be sent upstream. Exactly one `settle` must follow, whatever happens. */
export interface Admitted {
  /**
   * Flushes the journal; resolves when this request's `started` record is on disk. Await it before
   * the first byte to the client, unless that waits for `settle`. Until the first call, the record
   * waits up to 50 ms to share a write.
   */
  flushStarted(): Promise<void>;
  /**
   * Records what a stream costs so far, in case this process dies. Cheap; not awaited. The first is
   * written at once, later ones within 50 ms.
   */
  checkpoint(progress: Progress): void;
  /**
   * Writes the final; resolves when it is on disk, after `started`: await it before the last byte
   * to the client. Retries for some seconds while the disk refuses. Rejects if it keeps refusing:
   * then a non-streamed response must not be sent and is not charged, while what a stream has
   * delivered is charged once the disk accepts it.
   */
  settle(settlement: Settlement): Promise<void>;
  /**
   * The client disconnected while its upstream is still being read: releases its concurrency
   * permit. The hold stays until `settle`.
   */
  clientLeft(): void;
  /** Headers that tell the client about its limits, alternating name and value. */
  readonly headers: readonly string[];
  /**
   * What its key's envelopes cover now beyond the holds of requests under way, nano-USD; undefined
   * for a key without.
   */
  readonly envelopeRemaining?: bigint | undefined;
  /** What its calls may spend with credentials that have caps; absent where a test admits. */
  readonly spend?: RequestSpend;
}

/** Decides from memory whether a request may run, and ensures that it is billed. */
export interface Admission {
  /**
   * Takes the hold from a grant in memory; waits for billing only when none covers it.
   * @throws {GatewayError} `insufficient_balance`, a limit's code, or `service_unavailable` when
   * billing cannot be reached or the journal is full.
   */
  admit(request: AdmitRequest): Promise<Admitted>;
}

/** An admitted request that costs nothing; disposing it ends the request. */
export interface FreeAdmitted extends Disposable {
  /** For the client, alternating name and value. */
  readonly headers: readonly string[];
}

/** Requests that cost nothing but still count toward their key's request limits. */
export interface FreeAdmission {
  /** @throws {GatewayError} a limit's code, or `service_unavailable` */
  admitFree(request: Pick<AdmitRequest, "caller" | "operation">): Promise<FreeAdmitted>;
}

/** A task that may outlive the request that submitted it, and this process. */
export interface AdmitTask extends Omit<AdmitRequest, "stream"> {
  /** Whose money it spends. Fixed at submission: its key's budget may be set or lifted later. */
  readonly purse: Purse;
  /**
   * Unix milliseconds by which the task is settled in any case; after that billing may reclaim its
   * money.
   */
  readonly untilMs: number;
}

/** The money held for a task. */
export interface TaskGrant {
  /** Empty for a task that cannot cost anything. */
  readonly id: string;
  /**
   * What its key's envelopes leave beyond this grant and all others, nano-USD; undefined for a key
   * without, and when the grant existed already.
   */
  readonly envelopeRemaining?: bigint | undefined;
}

/** Long tasks: each has a grant of its own, and any replica may settle it. */
export interface TaskAdmission {
  /**
   * Holds a task's money and counts its submission. Durable: repeating it with the same request id,
   * even after a crash or from another replica, returns the same grant.
   * @throws {GatewayError} `insufficient_balance`, a limit's code, or `service_unavailable`
   */
  admitTask(task: AdmitTask): Promise<TaskGrant>;
  /** Like `admitTask`, for a task already counted. @returns the grant's id */
  findTaskGrant(task: AdmitTask): Promise<string>;
  /**
   * Writes a task's final to the journal and closes its grant. May be repeated with the same event
   * from any replica: its request id ensures that it is charged once.
   * @throws {GatewayError} when the disk or billing refused: call it again
   */
  settleTask(event: UsageEvent): Promise<void>;
}

/** Everything admission does for its process. */
export interface AdmissionOfProcess extends Admission, TaskAdmission, FreeAdmission, AsyncDisposable {
  /** Readiness: whether requests can be admitted. */
  readonly check: HealthCheck;
  /** Liveness: whether this process can still recover; if not, restart it. */
  readonly alive: HealthCheck;
}
