import { z } from "zod";
import { jsonMessage } from "./json-message.ts";
import { subjectFamily } from "./subject-family.ts";

/** NATS subject of {@link keyChanged}. */
export const keyChangedSubject = "billing.key-changed";

/** A key was created, changed, regenerated or revoked. Published once for each of its secrets. */
export const keyChanged = jsonMessage(
  z.object({
    key_id: z.string(),
    /** HMAC-SHA-256, in hex, of one of the key's secrets. */
    digest: z.hex().min(1).toLowerCase(),
  }),
);

/** NATS subject of {@link budgetChanged}. */
export const budgetChangedSubject = "billing.budget-changed";

/** What a budget allows to the keys below it, or its name, changed. */
export const budgetChanged = jsonMessage(z.object({ budget_id: z.string() }));

/** NATS subject of {@link catalogChanged}. */
export const catalogChangedSubject = "billing.catalog-changed";

/** Operators changed the catalogue: services read the changes from billing at once. */
export const catalogChanged = jsonMessage(z.object({ version: z.int().min(0) }));

/**
 * Money is short: holders return the unspent part of their grants from the account in the subject.
 * The payload is empty.
 */
export const recallSubjects = subjectFamily("billing.recall");

/** The limits of a key or budget that are lent to holders as permits. */
export const limitNames = ["requests", "tokens", "concurrency"] as const;
/** One of these limits. */
export type LimitName = (typeof limitNames)[number];

/** How many entries of permits one call may return. */
export const maxReturnedSlots = 4_096;

/** Permits of a limit of the key or budget in the subject are short: holders return idle ones and reply. */
export const limitRecallSubjects = subjectFamily("billing.recall-limits");

/** The payload on {@link limitRecallSubjects}. */
export const limitRecall = jsonMessage(
  z.object({
    kind: z.enum(limitNames),
    /** The holder that needs them; it does not reply. */
    holder_id: z.string(),
    /** Number of permits. */
    need: z.number(),
    /** Subject for the replies. */
    reply_to: z.string(),
    /** Holders return nothing and reply with the number of permits in use. */
    report: z.boolean().optional(),
  }),
);

/** A holder's reply to a recall of permits, on its `reply_to`. */
export const limitRecallResponse = jsonMessage(
  z.object({
    /** Milliseconds until the first of its permits is free; absent when unknown. */
    free_in_ms: z.number().min(0).optional(),
    /** Set in a report: the holder, and its permits that are in use or cooling down. */
    holder_id: z.string().optional(),
    used: z.number().min(0).optional(),
  }),
);
