import { z } from "zod";
import { jsonMessage } from "./json-message.ts";
import { subjectFamily } from "./subject-family.ts";

/** NATS subject of {@link keyChanged}. */
export const keyChangedSubject = "billing.key-changed";

/** A key was created, changed, regenerated or revoked. Sent once for each of its secrets. */
export const keyChanged = jsonMessage(
  z.object({
    key_id: z.string(),
    /** Of a secret of the key: HMAC-SHA-256 in hex. */
    digest: z.hex().min(1).toLowerCase(),
  }),
);

/**
 * Money is short: holders return what they hold unspent of the account in the subject. The payload
 * is empty.
 */
export const recallSubjects = subjectFamily("billing.recall");

/** The limits of a key that are lent to holders as slots. */
export const limitNames = ["requests", "tokens", "concurrency"] as const;
/** One of a key's limits. */
export type LimitName = (typeof limitNames)[number];

/**
 * Slots of a limit of the key in the subject are short: holders return what is idle, and answer.
 */
export const limitRecallSubjects = subjectFamily("billing.recall-limits");

/** The payload on {@link limitRecallSubjects}. */
export const limitRecall = jsonMessage(
  z.object({
    kind: z.enum(limitNames),
    /** Who needs them; does not answer. */
    holder_id: z.string(),
    /** Slots. */
    need: z.number(),
    /** The subject of the answers. */
    reply_to: z.string(),
  }),
);

/** What a holder answers to a recall of slots, on its `reply_to`. */
export const limitRecallResponse = jsonMessage(
  z.object({
    /** Milliseconds until the first of its slots is free; absent when it does not know. */
    free_in_ms: z.number().min(0).optional(),
  }),
);
