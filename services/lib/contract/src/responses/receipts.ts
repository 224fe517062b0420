import { z } from "zod";
import { count } from "./admin-fields.ts";
import { usageEvent } from "./admin-usage.ts";

/** What a key's owner sees of one of its bills; the signature covers every field. */
export const publicReceipt = z.object({
  object: z.literal("receipt"),
  ...usageEvent.pick({
    request_id: true,
    account_id: true,
    key_id: true,
    operation: true,
    model: true,
    requested_model: true,
    fallback_reason: true,
    started_at: true,
    ended_at: true,
    outcome: true,
    settlement_rule: true,
    pricing: true,
    cost_usd: true,
    cost_nano_usd: true,
    price_version: true,
  }).shape,
  items: z
    .array(
      z.object({
        unit: z.string(),
        quantity: count,
        price_usd: z.string().nullable().describe("USD for `per` units; null if the price at that time is unknown."),
        per: count.nullable(),
        cost_usd: z.string().nullable().describe("USD before rounding, with 15 decimals."),
      }),
    )
    .describe("The cost is the sum of the items' costs, rounded up once to a whole nano-dollar."),
  cache_saving: z
    .object({
      tokens: count.describe("Input tokens that the provider read from its prompt cache."),
      saved_usd: z.string().describe("Their price as uncached input less what they cost, USD with 15 decimals."),
    })
    .nullable()
    .describe("What the prompt cache saved; null if the price at that time is unknown."),
});

/** A receipt with its signature. */
export const signedReceipt = z.object({
  ...publicReceipt.shape,
  jws: z
    .string()
    .nullable()
    .describe(
      "A compact JSON Web Signature (RFC 7515, EdDSA) whose payload is this receipt without `jws`. Its key is in `/.well-known/jwks.json`. Null if the operator has not configured a signing key.",
    ),
});

/** The public keys of receipts (RFC 7517, RFC 8037). */
export const receiptKeys = z.object({
  keys: z.array(
    z.object({
      kty: z.literal("OKP"),
      crv: z.literal("Ed25519"),
      x: z.string(),
      kid: z.string(),
      use: z.literal("sig"),
      alg: z.literal("EdDSA"),
    }),
  ),
});

/** A public key of receipts. */
export type ReceiptKey = z.output<typeof receiptKeys>["keys"][number];
