import { z } from "zod";
import { id, name, usd } from "./admin-fields.ts";

/** Requests of the admin API about spend alerts. */

const maxThresholds = 10;
const maxThreshold = 1_000;
const maxEmails = 5;
const maxUrl = 2_048;

/** Text that is sent on as a line of its own. */
const line = name.regex(/^[^\p{Cc}\p{Zl}\p{Zp}]*$/u, "A name has no line breaks or other control characters.");

const thresholds = z
  .array(
    z
      .int("A threshold is a whole number of percent.")
      .min(1, "A threshold is 1 % at least.")
      .max(maxThreshold, `A threshold is ${maxThreshold} % at most.`),
  )
  .min(1, "An alert has a threshold at least.")
  .max(maxThresholds, `An alert has at most ${maxThresholds} thresholds.`)
  .transform((all) => [...new Set(all)].sort((a, b) => a - b));

const terms = {
  name: line.describe("What mail calls it."),
  monthly_usd: usd
    .refine((nano) => nano > 0n, "The amount is more than 0.")
    .describe("What is 100 %: USD that are meant to be spent in a month (UTC)."),
  thresholds: thresholds.describe("Percent of it. Each is told of once a month."),
  webhook_url: z
    .string()
    .min(1)
    .max(maxUrl, `A webhook's URL has at most ${maxUrl} characters.`)
    .nullable()
    .describe("Gets `spend.threshold_reached`, signed with the account's webhook secrets; null for none."),
  emails: z
    .array(z.email("That is not an e-mail address.").max(254))
    .max(maxEmails, `An alert has at most ${maxEmails} e-mail addresses.`)
    .describe("Who get a mail."),
};

/** Body of `POST /admin/v1/alerts`. */
export const createAlertRequest = z.strictObject({
  account_id: id,
  key_id: id.nullable().default(null).describe("Null: all the account's keys together."),
  name: terms.name.default(""),
  monthly_usd: terms.monthly_usd,
  thresholds: terms.thresholds.default([50, 80, 100]),
  webhook_url: terms.webhook_url.default(null),
  emails: terms.emails.default([]),
});

/** Body of `PATCH /admin/v1/alerts/{id}`: at least one field. */
export const updateAlertRequest = z
  .strictObject(terms)
  .partial()
  .refine((fields) => Object.keys(fields).length > 0, "Name a field to change.");

/** Query of `GET /admin/v1/alerts`. */
export const alertListQuery = z.strictObject({ account: id });
