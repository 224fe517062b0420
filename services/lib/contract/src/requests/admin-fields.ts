import { z } from "zod";
import { nanoUsdOf } from "./usd.ts";

/** Characters. */
export const maxNameLength = 200;
const maxMetadata = 8_192;
const maxMetadataDepth = 32;
const maxLimit = 1_000_000_000_000;
const unitMs: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/**
 * Fields of the admin API's requests. LiteLLM's names and meanings where it has them:
 * https://docs.litellm.ai/docs/proxy/virtual_keys
 */

/** A name that people give to an account, a key, a token or a filter. */
export const name = z.string().max(maxNameLength, "A name can have at most 200 characters.");

/** An id of ours. */
export const id = z.string().regex(/^[\w.:-]{1,200}$/, "Must be an id.");

/** A model's id, which may have a vendor's name before a slash. */
export const modelId = z
  .string()
  .regex(/^[a-z0-9][a-z0-9._:/-]{0,199}$/, "A model's id has 1 to 200 of a-z, 0-9 and . _ : / -");

/** USD as text or number, in nano-USD. */
export const usd = z
  .union([z.string(), z.number()], { error: "An amount must be a number of USD or its text." })
  .transform((amount, context) => {
    const nano = nanoUsdOf(amount);
    if (nano !== undefined) return nano;
    context.addIssue("An amount must have at most nine decimals and be below ten billion USD.");
    return z.NEVER;
  });

/** A limit of a key. */
export const limit = z
  .int("A limit must be a whole number, or null for none.")
  .min(1, "A limit must be at least 1; null means none.")
  .max(maxLimit, "The limit is too large.")
  .nullable();

function depthOf(value: unknown, max: number): number {
  if (typeof value !== "object" || value === null || max === 0) return 0;
  return 1 + Math.max(0, ...Object.values(value).map((part) => depthOf(part, max - 1)));
}

/** A JSON object, as text. */
export const metadata = z.record(z.string(), z.unknown()).transform((value, context) => {
  const deep = depthOf(value, maxMetadataDepth) >= maxMetadataDepth;
  const text = deep ? "" : JSON.stringify(value);
  if (!deep && Buffer.byteLength(text) <= maxMetadata) return text;
  context.addIssue(`Metadata can have at most ${maxMetadata} bytes and ${maxMetadataDepth} levels.`);
  return z.NEVER;
});

/** A time as ISO 8601 (a date is its first moment, UTC), as Unix milliseconds. */
export const time = z.string().transform((text, context) => {
  const isTime = z.union([z.iso.date(), z.iso.datetime({ offset: true })]).safeParse(text).success;
  if (isTime) return BigInt(Date.parse(text));
  context.addIssue("Set a time such as 2027-01-31 or 2027-01-31T12:00:00Z.");
  return z.NEVER;
});

function endOf(text: string): number {
  const [, count, unit = ""] = /^(\d{1,9})([smhdw])$/.exec(text) ?? [];
  if (count !== undefined) return Date.now() + Number(count) * (unitMs[unit] ?? 0);
  const isTime = z.union([z.iso.date(), z.iso.datetime({ offset: true })]).safeParse(text).success;
  return isTime ? Date.parse(text) : Number.NaN;
}

/**
 * When a key or a token ends: a time to come or a duration, null for never; as Unix milliseconds, 0
 * for never.
 */
export const expires = z
  .string()
  .nullable()
  .transform((text, context) => {
    if (text === null) return 0n;
    const ms = endOf(text);
    if (ms > Date.now() && ms <= 8_640_000_000_000_000) return BigInt(ms);
    context.addIssue("Set a future time such as 2027-01-31 or 2027-01-31T12:00:00Z, or a duration such as 30d.");
    return z.NEVER;
  });

/** Cursors of a page. */
export const cursor = z.string().regex(/^[\w-]{0,2048}$/, "The cursor is invalid.");

/** How a listing is paged. */
export const pageFields = {
  limit: z
    .string()
    .regex(/^\d{1,4}$/, "A page can have 1 to 1000 rows.")
    .transform(Number)
    .refine((rows) => rows >= 1 && rows <= 1_000, "A page can have 1 to 1000 rows.")
    .optional(),
  after: cursor.optional(),
} as const;

/** Path parameters. */
export const pathFields = {
  id,
  credential: id,
  model: modelId.describe("With `%2F` in place of a slash."),
  month: z
    .string()
    .regex(/^\d{4}-(0[1-9]|1[0-2])$/)
    .describe("Such as 2027-01, UTC."),
} as const;
