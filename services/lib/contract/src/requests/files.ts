import { z } from "zod";

/** The largest file, bytes. */
export const maxFileBytes = 512 * 1024 * 1024;

/** What a file that a client uploads can be for. */
export const filePurposes = ["batch", "user_data"] as const;

/** What a stored file can be for: also the results of a batch. */
export const storedPurposes = [...filePurposes, "batch_output"] as const;

const minSeconds = 3_600;
const maxSeconds = 30 * 86_400;

/** When a file expires. In a form, `expires_after[anchor]` and `expires_after[seconds]`. */
export const expiresAfter = z.object({
  anchor: z.literal("created_at"),
  seconds: z.coerce
    .number()
    .int()
    .min(minSeconds, `must be at least ${minSeconds}`)
    .max(maxSeconds, `must be at most ${maxSeconds}`)
    .describe("From an hour to 30 days."),
});

/** Form of `POST /v1/files`. */
export const fileFields = z.object({
  file: z.string().meta({ format: "binary" }).describe("The file, at most 512 MiB."),
  purpose: z
    .enum(filePurposes, `must be one of ${filePurposes.join(", ")}`)
    .describe(
      "The gateway stores files of either purpose and does not read them; they differ in their default expiry.",
    ),
  expires_after: expiresAfter
    .optional()
    .describe("Default: a file for a batch expires after 30 days, any other when it is deleted."),
});

const maxListed = 10_000;
const wrongLimit = `must be a whole number from 1 to ${maxListed}`;

/** Query of `GET /v1/files`. */
export const fileListQuery = z.object({
  purpose: z.enum(storedPurposes).optional(),
  limit: z.coerce
    .number(wrongLimit)
    .int(wrongLimit)
    .min(1, wrongLimit)
    .max(maxListed, wrongLimit)
    .default(maxListed)
    .describe("Maximum files per page."),
  after: z.string().max(100).optional().describe("`last_id` of the previous page."),
  order: z.enum(["asc", "desc"]).default("desc").describe("By the time of creation."),
});
