import { z } from "zod";
import { storedPurposes } from "../requests/files.ts";

/** A file of an account. */
export const file = z.object({
  id: z.string(),
  object: z.literal("file"),
  bytes: z.int().min(0),
  created_at: z.int().describe("Unix time, seconds."),
  expires_at: z.int().optional().describe("Unix time, seconds. Absent: the file stays until it is deleted."),
  filename: z.string(),
  purpose: z.enum(storedPurposes),
  status: z.literal("processed"),
});

/** A page of an account's files. */
export const fileList = z.object({
  object: z.literal("list"),
  data: z.array(file),
  first_id: z.string().nullable(),
  last_id: z.string().nullable().describe("For the parameter `after`."),
  has_more: z.boolean(),
});

/** The response to a deletion. */
export const deletedFile = z.object({ id: z.string(), object: z.literal("file"), deleted: z.literal(true) });
