import { z } from "zod";

/** The body of an image model at the multimodal generation endpoint. */
export const imageSchema = z.looseObject({
  model: z.string(),
  input: z.looseObject({
    messages: z.array(
      z.looseObject({
        role: z.literal("user"),
        content: z.array(z.looseObject({ text: z.string().optional(), image: z.string().optional() })),
      }),
    ),
  }),
  parameters: z
    .looseObject({
      size: z.string().optional(),
      n: z.int().optional(),
      seed: z.int().min(0).max(2_147_483_647).optional(),
      negative_prompt: z.string().max(500).optional(),
      prompt_extend: z.boolean().optional(),
      watermark: z.boolean().optional(),
    })
    .optional(),
});

export type ImageRequest = z.infer<typeof imageSchema>;
