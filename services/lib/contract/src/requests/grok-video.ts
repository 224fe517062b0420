import { z } from "zod";

const picture = z
  .union([
    z
      .string()
      .min(1)
      .transform((url) => ({ url })),
    z.strictObject({ url: z.string().min(1) }),
  ])
  .describe("A URL, or an object with one.");

/** Grok Imagine's own body of `POST /v1/videos/generations` (xAI's video API). */
export const grokVideoRequest = z.object({
  prompt: z.string().min(1).max(4_096),
  duration: z.int().optional(),
  aspect_ratio: z.enum(["1:1", "16:9", "9:16", "4:3", "3:4", "3:2", "2:3"]).optional(),
  resolution: z.string().optional(),
  image: picture.optional(),
  reference_images: z.array(picture).min(1).max(7).optional(),
  reference_audios: z
    .array(z.strictObject({ voice_id: z.string().min(1) }))
    .max(3)
    .optional(),
  user: z.string().max(256).optional(),
});
