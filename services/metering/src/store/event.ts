import {
  outcomeFromJSON,
  outcomeToJSON,
  pricingFromJSON,
  pricingToJSON,
  settlementRuleFromJSON,
  settlementRuleToJSON,
  type UsageEvent,
} from "@uag/proto/metering/v1/usage.ts";
import { Schema } from "mongoose";

/** One request's usage as MongoDB holds it. */
export interface EventDocument {
  /** The request's id: a second event of the same request cannot be stored. */
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
  /** Absent in events of before there was one. */
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
}

const text = { type: String, required: true };

export const eventSchema = new Schema<EventDocument>(
  {
    _id: text,
    accountId: text,
    keyId: text,
    holderId: text,
    grantId: text,
    operation: text,
    model: text,
    upstream: text,
    upstreamModel: text,
    startedAt: { type: Date, required: true },
    endedAt: { type: Date, required: true },
    outcome: text,
    pricing: text,
    units: [{ _id: false, name: text, quantity: { type: BigInt, required: true } }],
    holdNanoUsd: { type: BigInt, required: true },
    costNanoUsd: { type: BigInt, required: true },
    priceVersion: text,
    rawUsage: { type: Buffer, required: true },
    attempts: { type: Number, required: true },
    status: { type: Number, required: true },
    stream: { type: Boolean, required: true },
    settlementRule: { type: String },
  },
  { collection: "events", versionKey: false },
);
eventSchema.index({ accountId: 1, endedAt: -1, _id: -1 });
eventSchema.index({ endedAt: -1, _id: -1 });

export function toDocument(event: UsageEvent): EventDocument {
  const { requestId, startedAtMs, endedAtMs, outcome, settlementRule, pricing, rawUsage, ...rest } = event;
  return {
    _id: requestId,
    ...rest,
    startedAt: new Date(Number(startedAtMs)),
    endedAt: new Date(Number(endedAtMs)),
    outcome: outcomeToJSON(outcome),
    settlementRule: settlementRuleToJSON(settlementRule),
    pricing: pricingToJSON(pricing),
    rawUsage: Buffer.from(rawUsage.buffer, rawUsage.byteOffset, rawUsage.length),
  };
}

export function fromDocument(document: EventDocument): UsageEvent {
  const { _id, startedAt, endedAt, outcome, settlementRule, pricing, ...rest } = document;
  return {
    requestId: _id,
    ...rest,
    startedAtMs: BigInt(startedAt.getTime()),
    endedAtMs: BigInt(endedAt.getTime()),
    outcome: outcomeFromJSON(outcome),
    settlementRule: settlementRuleFromJSON(settlementRule ?? 0),
    pricing: pricingFromJSON(pricing),
  };
}
