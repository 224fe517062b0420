import { z } from "zod";

const mediaTypes = [
  "first_frame",
  "last_frame",
  "driving_audio",
  "first_clip",
  "reference_image",
  "reference_video",
  "video",
];

/**
 * The body of the video synthesis endpoint. Fields that the model does not support are found by the
 * task.
 */
export const videoSchema = z.looseObject({
  model: z.string(),
  input: z.looseObject({
    prompt: z.string().optional(),
    negative_prompt: z.string().optional(),
    audio_url: z.string().optional(),
    img_url: z.string().optional(),
    template: z.string().optional(),
    reference_urls: z.array(z.string()).optional(),
    reference_video_urls: z.array(z.string()).optional(),
    media: z
      .array(z.looseObject({ type: z.enum(mediaTypes), url: z.string(), reference_voice: z.string().optional() }))
      .optional(),
  }),
  parameters: z
    .looseObject({
      size: z.string().optional(),
      resolution: z.string().optional(),
      ratio: z.string().optional(),
      duration: z.number().optional(),
      prompt_extend: z.boolean().optional(),
      watermark: z.boolean().optional(),
      audio: z.boolean().optional(),
      shot_type: z.enum(["single", "multi"]).optional(),
      seed: z.int().min(0).max(2_147_483_647).optional(),
      audio_setting: z.enum(["auto", "origin"]).optional(),
    })
    .optional(),
});

export type VideoRequest = z.infer<typeof videoSchema>;
