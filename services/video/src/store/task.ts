import { taskStatuses } from "@uag/contract/responses/media";
import type { VideoUsage } from "@uag/providers/video/types";
import { type Connection, type Model, Schema } from "mongoose";

/** A task's public status. */
export type TaskStatus = (typeof taskStatuses)[number];
export type EndStatus = Extract<TaskStatus, "succeeded" | "failed" | "cancelled" | "expired">;

const families = ["wan", "happy", "seedance", "grok"] as const;
export type Family = (typeof families)[number];

/** The properties of a requested video that its price depends on. */
export interface Terms {
  /** Output seconds. */
  readonly seconds: number;
  /** Maximum seconds of input video billed in addition; 0 without one. */
  readonly inputSeconds: number;
  /** Input images, each billed where the model has a price for them. Missing: none. */
  readonly inputImages?: number;
  /** e.g. `720p` */
  readonly resolution: string;
  readonly aspectRatio: string;
  /**
   * Further properties that a price may depend on, as named in the catalogue: `silent`, `video`,
   * `flex`.
   */
  readonly variants: readonly string[];
}

/** The result of a succeeded task. */
interface Content {
  readonly video_url?: string;
  readonly last_frame_url?: string;
}

export interface PendingWebhook {
  readonly id: string;
  readonly url: string;
  readonly type: string;
  readonly body: string;
}

/** Work left to do after a task's end. Written together with the end, removed once done. */
export interface Outbox {
  /** An encoded `metering.v1.UsageEvent`. */
  readonly settle?: Buffer;
  readonly webhook?: PendingWebhook;
}

/** Why the latest call about a task, or the latest download of its result, brought nothing. */
export interface TaskFault {
  readonly at: Date;
  /** Consecutive ones. */
  readonly count: number;
  /** The kind of failure, as `uag_upstream_failures_total` names it. */
  readonly failure: string;
  /** The HTTP status; 0 without a response. */
  readonly status: number;
  /** Without secrets. */
  readonly message: string;
  /** The usage that the response reported nevertheless. */
  readonly usage?: VideoUsage;
  /** The provider responded with status 200, but the response cannot be read. */
  readonly unusable?: true;
}

export interface TaskDocument {
  /** Our id: a UUID that sorts by time. */
  readonly _id: string;
  /** Every id by which its account can find it; the last one is shown. */
  readonly ids: string[];
  /** Its owner was given our id before the provider's was known. */
  readonly answered?: boolean;
  readonly accountId: string;
  readonly keyId: string;
  /**
   * The key whose monthly budget it is charged to; empty when it has none. Missing in rows of
   * earlier releases.
   */
  readonly budgetKeyId?: string;
  /** The shared budgets that it is charged to; absent: none. */
  readonly budgetIds?: string[];
  /** Absent unless its key is that of an envelope. */
  readonly rootKeyId?: string;
  /** Request id of the bill. */
  readonly requestId: string;
  readonly idempotencyKey?: string;
  /** The client's own id of its request. */
  readonly clientRequestId?: string;
  /** Of the trace that its request belongs to. */
  readonly traceId?: string;
  /** Of its sampled span there. */
  readonly spanId?: string;
  readonly model: string;
  readonly family: Family;
  readonly provider: string;
  readonly upstreamModel: string;
  /**
   * The provider's credential that the task was created with, by which it is polled; empty for that
   * of the catalogue's file. Missing in rows of earlier releases, which used that one.
   */
  readonly credentialId?: string;
  /** Unset until the provider has returned one. */
  readonly upstreamId?: string;
  /** That id was found by searching a provider that does not say which task is whose. */
  readonly guessed?: boolean;
  readonly status: TaskStatus;
  readonly upstreamStatus: string;
  /** The request failed at once and its response was an error, so the task's id was never reported. */
  readonly hidden: boolean;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly endedAt?: Date;
  /** Deadline after which the task expires. */
  readonly expiresAt: Date;
  /** False once it has ended. */
  readonly live: boolean;
  /** When it is polled next. A claim postpones this, which makes it the lease. */
  readonly dueAt: Date;
  /** Fencing token of the latest claim. */
  readonly claim: string;
  readonly polls: number;
  /** Consecutive polls that found nothing. */
  readonly misses: number;
  /** Unset by a poll that succeeds. */
  readonly fault?: TaskFault;
  readonly terms: Terms;
  readonly holdNanoUsd: bigint;
  readonly priceVersion: string;
  /** Absent in tasks older than this field. */
  readonly catalogVersion?: string;
  /** Nano-USD per million units, by unit, at the time of submission. */
  readonly rates: { readonly unit: string; readonly rate: bigint }[];
  /** Unset until billing has responded; empty for a task without a grant. */
  readonly grantId?: string;
  /** SHA-256 of the prompt, to identify the task at the provider. */
  readonly promptHash: string;
  readonly webhookUrl?: string;
  readonly content?: Content;
  readonly usage?: Readonly<Record<string, unknown>>;
  readonly seed?: number;
  /** Requested parameters left out because the provider's model lacks them. */
  readonly omitted?: readonly string[];
  readonly failure?: string;
  readonly outbox?: Outbox;
  readonly outboxAt?: Date;
  readonly outboxClaim?: string;
  readonly outboxTries?: number;
}

const text = { type: String, required: true } as const;
const maybeText = { type: String } as const;
const date = { type: Date, required: true } as const;
const int64 = { type: Schema.Types.BigInt, required: true } as const;
const count = { type: Number, default: 0 } as const;
const anything = { type: Schema.Types.Mixed } as const;

const schema = new Schema<TaskDocument>(
  {
    _id: text,
    ids: { type: [String], required: true },
    answered: Boolean,
    accountId: text,
    keyId: text,
    budgetKeyId: maybeText,
    budgetIds: { type: [String], default: undefined },
    rootKeyId: maybeText,
    requestId: text,
    idempotencyKey: maybeText,
    clientRequestId: maybeText,
    traceId: maybeText,
    spanId: maybeText,
    model: text,
    family: { type: String, enum: families, required: true },
    provider: text,
    upstreamModel: text,
    credentialId: { type: String },
    upstreamId: maybeText,
    guessed: { type: Boolean },
    status: { type: String, enum: taskStatuses, required: true },
    upstreamStatus: { type: String, default: "" },
    hidden: { type: Boolean, default: false },
    createdAt: date,
    updatedAt: date,
    endedAt: { type: Date },
    expiresAt: date,
    live: { type: Boolean, required: true },
    dueAt: date,
    claim: { type: String, default: "" },
    polls: count,
    misses: count,
    fault: anything,
    terms: { ...anything, required: true },
    holdNanoUsd: int64,
    priceVersion: text,
    catalogVersion: String,
    rates: { type: [{ _id: false, unit: text, rate: int64 }], required: true },
    grantId: maybeText,
    promptHash: { type: String, default: "" },
    webhookUrl: maybeText,
    content: anything,
    usage: anything,
    seed: { type: Number },
    omitted: { type: [String], default: undefined },
    failure: maybeText,
    outbox: anything,
    outboxAt: { type: Date },
    outboxClaim: maybeText,
    outboxTries: { type: Number },
  },
  { strict: "throw", versionKey: false, minimize: false },
);
// Together the two indexes serve a lookup the same way, whether the task is another account's or
// does not exist.
schema.index({ accountId: 1, ids: 1 });
schema.index({ ids: 1 }, { unique: true });
schema.index({ accountId: 1, _id: -1 });
schema.index({ requestId: 1 }, { unique: true });
schema.index({ provider: 1, dueAt: 1 }, { partialFilterExpression: { live: true } });
schema.index({ outboxAt: 1 }, { partialFilterExpression: { outboxAt: { $type: "date" } } });
schema.index(
  { provider: 1, upstreamId: 1 },
  { unique: true, partialFilterExpression: { upstreamId: { $type: "string" } } },
);
schema.index(
  { accountId: 1, idempotencyKey: 1 },
  { unique: true, partialFilterExpression: { idempotencyKey: { $type: "string" } } },
);
schema.index(
  { endedAt: 1 },
  { expireAfterSeconds: 90 * 86_400, partialFilterExpression: { endedAt: { $type: "date" } } },
);

export function taskModel(connection: Connection): Model<TaskDocument> {
  return connection.model<TaskDocument>("Task", schema, "tasks");
}
