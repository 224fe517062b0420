import { z } from "zod";
import { alertKinds } from "../responses/admin-fields.ts";
import { id, name, usd } from "./admin-fields.ts";

/** Requests of the admin API about spend alerts. */

const maxThresholds = 10;
const maxThreshold = 1_000;
const maxEmails = 5;
const maxUrl = 2_048;

/** Text that is sent on as a line of its own. */
const line = name.regex(
  /^[^\p{Cc}\p{Zl}\p{Zp}]*$/u,
  "A name must not contain line breaks or other control characters.",
);

const thresholds = z
  .array(
    z
      .int("A threshold must be a whole percentage.")
      .min(1, "A threshold must be at least 1 %.")
      .max(maxThreshold, `A threshold must be at most ${maxThreshold} %.`),
  )
  .min(1, "An alert must have at least one threshold.")
  .max(maxThresholds, `An alert can have at most ${maxThresholds} thresholds.`)
  .transform((all) => [...new Set(all)].sort((a, b) => a - b));

const amount = usd.refine((nano) => nano > 0n, "The amount must be more than 0.");

const terms = {
  name: line.describe("The alert's name in emails."),
  monthly_usd: amount.describe("For `spend`: the planned spending per month (UTC) in USD, which is 100%."),
  below_usd: amount.describe("For `balance`: the alert fires when less than this many USD are left, holds included."),
  thresholds: thresholds.describe(
    "For `spend` and `budget`: percentages. Each fires once a month, or once a period of the shared budget.",
  ),
  webhook_url: z
    .string()
    .min(1)
    .max(maxUrl, `A webhook's URL can have at most ${maxUrl} characters.`)
    .nullable()
    .describe(
      "Receives `spend.threshold_reached` or `balance.low`, signed with the account's webhook secrets; null for none.",
    ),
  emails: z
    .array(z.email("Must be an e-mail address.").max(254))
    .max(maxEmails, `An alert can have at most ${maxEmails} e-mail addresses.`)
    .describe("Email recipients."),
};

const ofKind = {
  spend: { needs: ["monthly_usd"], without: ["budget_id", "below_usd"] },
  budget: { needs: [], without: ["monthly_usd", "below_usd"] },
  balance: { needs: ["below_usd"], without: ["key_id", "budget_id", "monthly_usd", "thresholds"] },
} as const;

/** Body of `POST /admin/v1/alerts`. */
export const createAlertRequest = z
  .strictObject({
    account_id: id,
    kind: z
      .enum(alertKinds)
      .default("spend")
      .describe(
        "`spend`: a percentage of `monthly_usd` is spent. `budget`: a percentage of the key's monthly budget, or of a shared budget in its period, is spent. `balance`: the account has less than `below_usd` left; fires once until the next top-up.",
      ),
    key_id: id.nullable().default(null).describe("Null: all keys of the account together, or the shared budget's."),
    budget_id: id.nullable().default(null).describe("For `budget`: the shared budget. Required without `key_id`."),
    name: terms.name.default(""),
    monthly_usd: terms.monthly_usd.optional(),
    below_usd: terms.below_usd.optional(),
    thresholds: terms.thresholds
      .optional()
      .describe("For `spend` and `budget`: percentages, [50, 80, 100] by default. Each fires once a month."),
    webhook_url: terms.webhook_url.default(null),
    emails: terms.emails.default([]),
  })
  .superRefine((fields, { addIssue }) => {
    const { needs, without } = ofKind[fields.kind];
    for (const path of needs) {
      if ((fields[path] ?? null) === null) {
        addIssue({ code: "custom", path: [path], message: `Required for an alert of kind ${fields.kind}.` });
      }
    }
    for (const path of without) {
      if ((fields[path] ?? null) !== null) {
        addIssue({ code: "custom", path: [path], message: `Not allowed for an alert of kind ${fields.kind}.` });
      }
    }
    if (fields.kind === "budget" && (fields.key_id === null) === (fields.budget_id === null)) {
      const message = "An alert of kind budget needs either key_id or budget_id.";
      addIssue({ code: "custom", path: ["key_id"], message });
    }
  });

/** Body of `PATCH /admin/v1/alerts/{id}`: at least one field. */
export const updateAlertRequest = z
  .strictObject(terms)
  .partial()
  .refine((fields) => Object.keys(fields).length > 0, "Set at least one field to change.");

/** Query of `GET /admin/v1/alerts`. */
export const alertListQuery = z.strictObject({ account: id });
