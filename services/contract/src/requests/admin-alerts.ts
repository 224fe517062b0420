import { z } from "zod";
import { alertKinds } from "../responses/admin-fields.ts";
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

const amount = usd.refine((nano) => nano > 0n, "The amount is more than 0.");

const terms = {
  name: line.describe("What mail calls it."),
  monthly_usd: amount.describe("Of `spend`, what is 100 %: USD that are meant to be spent in a month (UTC)."),
  below_usd: amount.describe("Of `balance`: USD that less than are left, held money included."),
  thresholds: thresholds.describe("Of `spend` and `budget`: percent. Each is told of once a month."),
  webhook_url: z
    .string()
    .min(1)
    .max(maxUrl, `A webhook's URL has at most ${maxUrl} characters.`)
    .nullable()
    .describe(
      "Gets `spend.threshold_reached` or `balance.low`, signed with the account's webhook secrets; null for none.",
    ),
  emails: z
    .array(z.email("That is not an e-mail address.").max(254))
    .max(maxEmails, `An alert has at most ${maxEmails} e-mail addresses.`)
    .describe("Who get a mail."),
};

const ofKind = {
  spend: { needs: ["monthly_usd"], without: ["below_usd"] },
  budget: { needs: ["key_id"], without: ["monthly_usd", "below_usd"] },
  balance: { needs: ["below_usd"], without: ["key_id", "monthly_usd", "thresholds"] },
} as const;

/** Body of `POST /admin/v1/alerts`. */
export const createAlertRequest = z
  .strictObject({
    account_id: id,
    kind: z
      .enum(alertKinds)
      .default("spend")
      .describe(
        "`spend`: parts of `monthly_usd` are spent. `budget`: parts of the key's monthly budget are. `balance`: the account has less than `below_usd` left, told of once until the next top-up.",
      ),
    key_id: id.nullable().default(null).describe("Null: all the account's keys together. `budget` needs a key."),
    name: terms.name.default(""),
    monthly_usd: terms.monthly_usd.optional(),
    below_usd: terms.below_usd.optional(),
    thresholds: terms.thresholds
      .optional()
      .describe("Of `spend` and `budget`: percent, [50, 80, 100] by default. Each is told of once a month."),
    webhook_url: terms.webhook_url.default(null),
    emails: terms.emails.default([]),
  })
  .superRefine((fields, { addIssue }) => {
    const { needs, without } = ofKind[fields.kind];
    for (const path of needs) {
      if ((fields[path] ?? null) === null) {
        addIssue({ code: "custom", path: [path], message: `An alert of kind ${fields.kind} needs it.` });
      }
    }
    for (const path of without) {
      if ((fields[path] ?? null) !== null) {
        addIssue({ code: "custom", path: [path], message: `An alert of kind ${fields.kind} does not have it.` });
      }
    }
  });

/** Body of `PATCH /admin/v1/alerts/{id}`: at least one field. */
export const updateAlertRequest = z
  .strictObject(terms)
  .partial()
  .refine((fields) => Object.keys(fields).length > 0, "Name a field to change.");

/** Query of `GET /admin/v1/alerts`. */
export const alertListQuery = z.strictObject({ account: id });
