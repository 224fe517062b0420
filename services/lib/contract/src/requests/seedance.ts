import { z } from "zod";

const link = z.strictObject({ url: z.string().min(1) });
const item = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("text"), text: z.string().min(1) }),
  z.strictObject({
    type: z.literal("image_url"),
    image_url: link,
    role: z.enum(["first_frame", "last_frame", "reference_image"]).optional(),
  }),
  z.strictObject({ type: z.literal("video_url"), video_url: link, role: z.literal("reference_video").optional() }),
  z.strictObject({ type: z.literal("audio_url"), audio_url: link, role: z.literal("reference_audio").optional() }),
  z.strictObject({ type: z.literal("draft_task"), draft_task: z.strictObject({ id: z.string().min(1) }) }),
]);

/** A text, a frame, a reference, or a draft to finish. */
export type ContentItem = z.infer<typeof item>;

const ratio = z.enum(["16:9", "4:3", "1:1", "3:4", "9:16", "21:9", "adaptive"]);

/** Seedance's own body of `POST /v1/videos/generations` (ModelArk's video generation API). */
export const seedanceRequest = z.object({
  content: z.array(item).min(1).max(100),
  duration: z.int().optional(),
  frames: z.int().min(29).max(289).optional(),
  resolution: z.string().optional(),
  ratio: ratio.optional(),
  aspect_ratio: ratio.optional(),
  seed: z.int().min(-1).max(4_294_967_295).optional(),
  camera_fixed: z.boolean().optional(),
  watermark: z.boolean().optional(),
  generate_audio: z.boolean().optional(),
  draft: z.boolean().optional(),
  return_last_frame: z.boolean().optional(),
  service_tier: z.enum(["default", "flex"]).optional(),
  execution_expires_after: z.int().min(3_600).max(259_200).optional(),
  priority: z.int().optional(),
  tools: z
    .array(z.looseObject({ type: z.string() }))
    .max(8)
    .optional(),
  safety_identifier: z.string().max(64).optional(),
  output_format: z.string().max(32).optional(),
  omni_reference_task_type: z.enum(["auto", "reference", "edit", "extend"]).optional(),
});
