import { z } from "zod";

/** `POST /images/generations` */
export const seedreamSchema = z.looseObject({
  model: z.string(),
  prompt: z.string().min(1),
  image: z.union([z.string(), z.array(z.string()).min(1)]).optional(),
  size: z.string().optional(),
  seed: z.int().min(-1).max(2_147_483_647).optional(),
  guidance_scale: z.number().min(1).max(10).optional(),
  sequential_image_generation: z.enum(["disabled", "auto"]).optional(),
  sequential_image_generation_options: z.strictObject({ max_images: z.int().min(1).max(15).optional() }).optional(),
  stream: z.boolean().optional(),
  response_format: z.enum(["url", "b64_json"]).optional(),
  output_format: z.enum(["png", "jpeg"]).optional(),
  watermark: z.boolean().optional(),
  optimize_prompt_options: z.looseObject({ mode: z.enum(["standard", "fast"]).optional() }).optional(),
  tools: z.array(z.looseObject({ type: z.string() })).optional(),
  layer_decomposition: z.unknown().optional(),
});

export type SeedreamRequest = z.infer<typeof seedreamSchema>;

/** Documented fields of the request. */
export const seedreamFields: ReadonlySet<string> = new Set(Object.keys(seedreamSchema.shape));
