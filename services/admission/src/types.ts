import type { HealthCheck } from "@uag/kit/health.ts";
import type { Caller } from "@uag/proto/common/v1/caller.ts";
import type {
  FailedAttempt,
  Outcome,
  Pricing,
  SettlementRule,
  Unit,
  UsageEvent,
} from "@uag/proto/metering/v1/usage.ts";

/** What a capability service asks before it calls an upstream. */
export interface AdmitRequest {
  /** Unique; the id of the request's bill. */
  readonly requestId: string;
  readonly caller: Caller;
  /** e.g. `chat.completions` */
  readonly operation: string;
  /** The public model id. */
  readonly model: string;
  /** Upper bound of the cost, nano-USD. */
  readonly holdNanoUsd: bigint;
  /** Upper bound of the tokens, for the key's tokens per minute. */
  readonly tokens: number;
  readonly priceVersion: string;
  readonly stream: boolean;
}

/** How a request ended and what it is billed. */
export interface Settlement {
  readonly outcome: Outcome;
  readonly settlementRule: SettlementRule;
  readonly pricing: Pricing;
  readonly units: Unit[];
  readonly costNanoUsd: bigint;
  /** Empty when no upstream was reached. */
  readonly upstream: string;
  readonly upstreamModel: string;
  /** The upstream's usage object as it came (JSON), or empty. */
  readonly rawUsage: Uint8Array;
  readonly attempts: number;
  /** The HTTP status the client got. */
  readonly status: number;
  /** Of a stream: milliseconds from its admission to its first bytes. */
  readonly firstByteMs?: number | undefined;
  /** Calls that came to nothing before the last one, as far as they are kept. */
  readonly failedAttempts: FailedAttempt[];
}

/** A request that may go upstream. Exactly one `settle` must follow, whatever happens. */
export interface Admitted {
  /**
   * Resolves when the journal's `started` is on disk: wait for it before the first byte to the
   * client, unless that waits for `settle`. Reading it makes haste; until then the record waits a
   * moment (50 ms at most) for others to go with.
   */
  readonly started: Promise<void>;
  /** Notes what a long stream has delivered so far, should this process die. Cheap; not awaited. */
  checkpoint(units: Unit[], costNanoUsd: bigint): void;
  /**
   * Writes the bill; resolves when it is on disk, behind `started`: wait for it before the last
   * byte to the client. A disk that refuses is tried again for some seconds. Rejects when it goes
   * on refusing: then an answer in one piece must not go out, and is not charged; what a stream has
   * delivered is charged once the disk takes it.
   */
  settle(settlement: Settlement): Promise<void>;
  /**
   * The client has left and its upstream is still read: frees its permit of concurrency. The hold
   * stays until `settle`.
   */
  clientLeft(): void;
  /** Headers that tell the client about its limits, name and value by turns. */
  readonly headers: readonly string[];
}

/** Decides, from memory, whether a request may run, and sees to its bill. */
export interface Admission extends AsyncDisposable {
  /**
   * Takes the hold from a grant in memory; only when none covers it does it wait for billing.
   * @throws {GatewayError} `insufficient_balance`, a limit's code, or `service_unavailable` when
   *   billing cannot be reached or the journal is full.
   */
  admit(request: AdmitRequest): Promise<Admitted>;
  /** Whether requests can be admitted. */
  readonly check: HealthCheck;
}

/** The place of a request that costs nothing; disposing it ends the request. */
export interface FreeAdmitted extends Disposable {
  /** To tell the client, name and value by turns. */
  readonly headers: readonly string[];
}

/** Requests that cost nothing, and count for their key's limits of requests all the same. */
export interface FreeAdmission {
  /** @throws {GatewayError} a limit's code, or `service_unavailable` */
  admitFree(request: Pick<AdmitRequest, "caller" | "operation">): Promise<FreeAdmitted>;
}

/** A task that outlives the request that began it, and this process too if need be. */
export interface AdmitTask extends Omit<AdmitRequest, "stream"> {
  /**
   * Unix milliseconds by which the task is settled, whatever happens; then billing may take its
   * money back.
   */
  readonly untilMs: number;
}

/** Long tasks: their money is held by a grant of their own, and any replica may settle them. */
export interface TaskAdmission {
  /**
   * Holds a task's money and counts its submission. Durable: asking again with the same request id,
   * after a crash and from another replica too, answers the same grant.
   * @returns the grant's id; empty for a task that cannot cost anything
   * @throws {GatewayError} `insufficient_balance`, a limit's code, or `service_unavailable`
   */
  admitTask(task: AdmitTask): Promise<string>;
  /** As `admitTask`, for a task that was counted before. */
  findTaskGrant(task: AdmitTask): Promise<string>;
  /**
   * Writes a task's bill to the journal and ends its grant. May be repeated with the same event,
   * from any replica: the event is charged once by its request id.
   * @throws {GatewayError} when the disk or billing refused: call it again
   */
  settleTask(event: UsageEvent): Promise<void>;
}

/** All that admission does for its process. */
export interface AdmissionOfProcess extends Admission, TaskAdmission, FreeAdmission {
  /**
   * Whether this process may yet come to admit requests by itself; if not, it is better started
   * anew.
   */
  readonly alive: HealthCheck;
}
