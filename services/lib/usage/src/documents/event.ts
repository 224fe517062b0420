import {
  FailedAttempt,
  outcomeFromJSON,
  outcomeToJSON,
  pricingFromJSON,
  pricingToJSON,
  settlementRuleFromJSON,
  settlementRuleToJSON,
  type UsageEvent,
} from "@uag/proto/metering/v1/usage.ts";

/** One request's usage as MongoDB stores it. */
export interface EventDocument {
  /** The request's id, so a second event of the same request cannot be stored. */
  _id: string;
  accountId: string;
  keyId: string;
  holderId: string;
  grantId: string;
  operation: string;
  model: string;
  upstream: string;
  upstreamModel: string;
  startedAt: Date;
  endedAt: Date;
  outcome: string;
  /** Absent in events older than this field. */
  settlementRule?: string;
  pricing: string;
  units: { name: string; quantity: bigint }[];
  holdNanoUsd: bigint;
  costNanoUsd: bigint;
  priceVersion: string;
  rawUsage: Buffer;
  attempts: number;
  status: number;
  stream: boolean;
  /** Absent when the response was not a stream, or sent nothing. */
  firstByteMs?: number | undefined;
  /** Absent when the first provider responded, and in events older than this field. */
  failedAttempts?: FailedAttempt[];
  /** Absent when the request belonged to no trace. */
  traceId?: string | undefined;
  /** Absent when the client received no error. */
  errorCode?: string | undefined;
  /** Absent when the client sent no id of its own. */
  clientRequestId?: string | undefined;
  /** Absent where the upstream reports no id of its call. */
  upstreamRequestId?: string | undefined;
  /** Name or hint; absent when the upstream was called without a credential, and in older events. */
  upstreamCredential?: string | undefined;
  /** Absent in events older than this field. */
  catalogVersion?: string | undefined;
  /** Absent when the requested model served the request. */
  requestedModel?: string | undefined;
  /** Absent like `requestedModel`. */
  fallbackReason?: string | undefined;
  /** Absent where there was no choice, and in events older than this field. */
  upstreamReason?: string | undefined;
  /** Absent like `upstreamReason`. */
  credentialReason?: string | undefined;
  /** Absent when its key shares no budget. */
  budgetIds?: string[];
  /** Absent unless its key is that of an envelope. */
  rootKeyId?: string | undefined;
  /** All ids of the client and of upstreams, for the search; absent when there is none. */
  otherIds?: string[];
}

/** What MongoDB stores of a usage event. */
export function toDocument(event: UsageEvent): EventDocument {
  const { requestId, startedAtMs, endedAtMs, outcome, settlementRule, pricing, rawUsage, ...others } = event;
  const { firstByteMs, failedAttempts, traceId, spanId: _, errorCode, ...more } = others;
  const { clientRequestId, upstreamRequestId, upstreamCredential, catalogVersion, ...lasting } = more;
  const { requestedModel, fallbackReason, upstreamReason, credentialReason, budgetIds, ...owned } = lasting;
  const { rootKeyId, ...counted } = owned;
  // Billing counts these, from the ledger's rows.
  const { upstreamCredentialId: _id, upstreamCostNanoUsd: _cost, ...rest } = counted;
  const otherIds = otherIdsOf(event);
  return {
    _id: requestId,
    ...rest,
    ...(firstByteMs !== undefined && { firstByteMs }),
    ...(failedAttempts.length > 0 && { failedAttempts }),
    ...(traceId !== undefined && { traceId }),
    ...(errorCode !== undefined && { errorCode }),
    ...(clientRequestId !== undefined && { clientRequestId }),
    ...(upstreamRequestId !== undefined && { upstreamRequestId }),
    ...(upstreamCredential !== undefined && { upstreamCredential }),
    ...(catalogVersion !== undefined && { catalogVersion }),
    ...(requestedModel !== undefined && { requestedModel, fallbackReason }),
    ...(upstreamReason !== undefined && { upstreamReason }),
    ...(credentialReason !== undefined && { credentialReason }),
    ...(budgetIds.length > 0 && { budgetIds }),
    ...(rootKeyId !== undefined && { rootKeyId }),
    ...(otherIds.length > 0 && { otherIds }),
    startedAt: new Date(Number(startedAtMs)),
    endedAt: new Date(Number(endedAtMs)),
    outcome: outcomeToJSON(outcome),
    settlementRule: settlementRuleToJSON(settlementRule),
    pricing: pricingToJSON(pricing),
    rawUsage: Buffer.from(rawUsage.buffer, rawUsage.byteOffset, rawUsage.length),
  };
}

function otherIdsOf({ clientRequestId, upstreamRequestId, failedAttempts }: UsageEvent): string[] {
  const ids = [clientRequestId, upstreamRequestId, ...failedAttempts.map((attempt) => attempt.upstreamRequestId)];
  return [...new Set(ids.filter((id) => id !== undefined && id !== ""))] as string[];
}

/** The usage event of a stored document. Fields unknown at its time get their defaults. */
export function fromDocument(document: EventDocument): UsageEvent {
  const {
    _id,
    startedAt,
    endedAt,
    outcome,
    settlementRule,
    pricing,
    failedAttempts = [],
    budgetIds = [],
    otherIds: _,
    ...rest
  } = document;
  return {
    requestId: _id,
    ...rest,
    budgetIds,
    failedAttempts: failedAttempts.map(FailedAttempt.fromPartial),
    startedAtMs: BigInt(startedAt.getTime()),
    endedAtMs: BigInt(endedAt.getTime()),
    outcome: outcomeFromJSON(outcome),
    settlementRule: settlementRuleFromJSON(settlementRule ?? 0),
    pricing: pricingFromJSON(pricing),
  };
}
