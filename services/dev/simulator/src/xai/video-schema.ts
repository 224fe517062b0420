import { z } from "zod";

const link = z.looseObject({ url: z.string() });

/** `POST /videos/generations` */
export const videoSchema = z.looseObject({
  model: z.string(),
  prompt: z.string().max(4096).optional(),
  duration: z.int().min(1).max(15).optional(),
  aspect_ratio: z.enum(["1:1", "16:9", "9:16", "4:3", "3:4", "3:2", "2:3"]).optional(),
  resolution: z.enum(["480p", "720p", "1080p"]).optional(),
  image: link.optional(),
  reference_images: z.array(link).min(1).max(7).optional(),
  reference_audios: z
    .array(z.looseObject({ voice_id: z.string() }))
    .max(3)
    .optional(),
  generate_audio: z.boolean().optional(),
  user: z.string().optional(),
});

/** `POST /videos/edits` */
export const videoEditSchema = z.strictObject({
  model: z.string(),
  prompt: z.string().min(1).max(4096),
  video: link,
  user: z.string().optional(),
});

/** `POST /videos/extensions` */
export const videoExtensionSchema = z.strictObject({
  model: z.string(),
  prompt: z.string().min(1).max(4096),
  video: link,
  duration: z.int().min(1).max(15).optional(),
  user: z.string().optional(),
});

export type VideoRequest = z.infer<typeof videoSchema>;
