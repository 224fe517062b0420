import { z } from "zod";
import type { ErrorCode } from "../errors/table.ts";
import { jsonMessage } from "./json-message.ts";
import { subjectFamily } from "./subject-family.ts";

/** Refusals counted by a process; the id in the subject is its service. */
export const refusalSubjects = subjectFamily("refusals.v1");

/**
 * Error codes of requests that were refused before admission, so that no usage event exists for
 * them.
 */
export const refusalReasons = [
  "rate_limit_exceeded",
  "token_limit_exceeded",
  "concurrency_limit_exceeded",
  "too_many_open_requests",
  "budget_exceeded",
  "insufficient_balance",
  "unpaid_usage",
  "envelope_exhausted",
  "invalid_api_key",
  "account_disabled",
  "permission_denied",
  "invalid_request",
  "model_not_found",
  "endpoint_model_mismatch",
  "invalid_json",
  "unsupported_media_type",
  "payload_too_large",
  "request_timeout",
  "idempotency_in_progress",
  "idempotency_key_reuse",
  "idempotency_result_lost",
  "unpriced_model",
] as const satisfies readonly ErrorCode[];
/** Why a request was refused. */
export type RefusalReason = (typeof refusalReasons)[number];

/** True for an error code that counts as a refusal. */
export const isRefusalReason = (code: string): code is RefusalReason =>
  (refusalReasons as readonly string[]).includes(code);

/** Longest text of a refusal, characters. */
export const maxRefusalText = 300;
/** How many counts one message holds: one for each key, reason and hour. */
export const maxRefusalCounts = 2_000;
/** How many single refusals one message holds. */
export const maxRefusalSamples = 300;

const id = z.string().min(1).max(200);
const name = z.string().max(200);
const time = z.number().int().min(0).max(8_640_000_000_000_000);

const refusalCount = z.object({
  account_id: id,
  key_id: id,
  reason: z.enum(refusalReasons),
  /** Start of the hour (UTC), Unix milliseconds. */
  hour_ms: time,
  count: z.number().int().min(1),
});

const refusalSample = z.object({
  account_id: id,
  key_id: id,
  reason: z.enum(refusalReasons),
  /** HTTP status. */
  status: z.number().int().min(400).max(599),
  operation: name,
  /** Empty when the model is unknown. */
  model: name,
  message: z.string().max(maxRefusalText),
  request_id: name,
  at_ms: time,
});

/** The payload on {@link refusalSubjects}. */
export const refusalBatch = jsonMessage(
  z.object({
    counts: z.array(refusalCount).max(maxRefusalCounts),
    samples: z.array(refusalSample).max(maxRefusalSamples),
  }),
);

/** What a process reports about refused requests. */
export type RefusalBatch = NonNullable<ReturnType<typeof refusalBatch.decode>>;
/** The number of refusals of one key for one reason in one hour. */
export type RefusalCount = RefusalBatch["counts"][number];
/** A single refused request. */
export type RefusalSample = RefusalBatch["samples"][number];
