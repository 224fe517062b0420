import { z } from "zod";

/** Fields of the admin API's responses. */

/** A non-negative number of things. */
export const count = z.int().min(0);
/** An instant in ISO 8601, UTC. */
export const time = z.iso.datetime();
/** An amount in nano-USD, as an integer. */
export const nano = z.int().describe("Nano-USD.");
/**
 * An amount in USD as text with nine decimals, so that no client rounds it by parsing it as a
 * float.
 */
export const usd = z.string().describe("USD, exact to the nano-dollar.");
/** A hash of a hash chain. */
export const hash = z.string().describe("SHA-256, hex, over the record and the previous hash.");

/** What an admin token may be for. */
export const adminRoles = ["operator", "billing", "keys", "read-only"] as const;
/** What a spend alert reports. */
export const alertKinds = ["spend", "budget", "balance"] as const;
/** The kinds of messages for which each account has a budget. */
export const messageKinds = ["mail", "webhook", "notice"] as const;
/** Everything for which each account has a budget that the admin API shows. */
export const budgetKinds = [...messageKinds, "url"] as const;
/** How a request ended. */
export const outcomes = ["completed", "disconnected", "failed", "crashed"] as const;
/** Periods by which usage is counted. */
export const seriesBuckets = ["hour", "day", "month"] as const;
/** The groupings of usage over time. */
export const seriesGroupings = ["none", "account", "key", "model", "operation", "provider"] as const;
/** The groupings of refusals over time. */
export const refusalGroupings = ["none", "account", "key", "reason"] as const;
/** State of a webhook's delivery. */
export const deliveryStates = ["pending", "delivered", "failed", "stopped"] as const;
