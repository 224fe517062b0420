import { z } from "zod";
import { omniChatSchema } from "../completions/schema.ts";

/**
 * The chat request with DashScope's additional and different fields. Unknown fields are ignored
 * there.
 */
export const qwenChatSchema = omniChatSchema.extend({
  temperature: z.number().min(0).lt(2).nullish(),
  top_p: z.number().gt(0).max(1).nullish(),
  top_k: z.number().nullish(),
  top_logprobs: z.int().min(0).max(5).nullish(),
  seed: z.int().min(0).max(2_147_483_647).nullish(),
  n: z.int().min(1).max(4).nullish(),
  repetition_penalty: z.number().gt(0).nullish(),
  enable_thinking: z.boolean().nullish(),
  thinking_budget: z.int().min(1).nullish(),
  enable_search: z.boolean().nullish(),
  vl_high_resolution_images: z.boolean().nullish(),
});

export type QwenChatRequest = z.infer<typeof qwenChatSchema>;
