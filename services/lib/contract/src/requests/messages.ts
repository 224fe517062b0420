import { z } from "zod";
import { maxMessages, maxTools, modelId } from "./fields.ts";

/** Maximum content blocks of one message. */
const maxBlocks = 10_000;
const maxStops = 10_000;

const block = z.looseObject({ type: z.string() });
const content = z.union([z.string(), z.array(block).max(maxBlocks)], {
  error: "Input should be a valid string or list of blocks",
});

const message = z.looseObject({ role: z.enum(["user", "assistant", "system"]), content });

const unit = z.number().min(0).max(1).nullish();

/** Options with prices other than the standard ones, which are not in the catalogue. */
const onlyStandard = z.enum(["standard"], { error: "Input should be 'standard'" }).nullish();
const onlyGlobal = z.enum(["global", "not_available"], { error: "Input should be 'global'" }).nullish();

const fields = {
  model: modelId,
  messages: z.array(message).min(1).max(maxMessages),
  system: z
    .union([z.string(), z.array(block).max(maxBlocks)], { error: "Input should be a valid string or list of blocks" })
    .nullish(),
  tools: z.array(z.looseObject({})).max(maxTools).nullish(),
  tool_choice: z.looseObject({ type: z.string() }).nullish(),
  thinking: z.looseObject({ type: z.string() }).nullish(),
  metadata: z.looseObject({}).nullish(),
  output_config: z.looseObject({}).nullish(),
} as const;

/** The body of `POST /v1/messages/count_tokens`; further fields are left to the upstream. */
export const tokenCountRequest = z.looseObject(fields);

/** The body of `POST /v1/messages`; further fields are left to the upstream. */
export const messageRequest = z.looseObject({
  ...fields,
  max_tokens: z.int().min(1),
  stream: z.boolean().nullish(),
  stop_sequences: z.array(z.string()).max(maxStops).nullish(),
  temperature: unit,
  top_p: unit,
  top_k: z.int().min(0).nullish(),
  speed: onlyStandard,
  inference_geo: onlyGlobal,
});
