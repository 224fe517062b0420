import { type Fields, fieldsOf, listOf, numberOf, textOf } from "../../conversation/fields.ts";
import type { Conversation, Turn } from "../../conversation/types.ts";
import { isUnpricedCache, readEffort, readFormat } from "../openai-options.ts";
import { readItems } from "./items.ts";
import { readTools } from "./tools.ts";

/**
 * Parses a validated request of the Responses format.
 * @throws {UpstreamFailure} `client` for what no other protocol can express
 */
export function readResponses(fields: Fields): Conversation {
  const format = fieldsOf(fieldsOf(fields["text"])["format"]);
  return {
    turns: [...readInstructions(fields["instructions"]), ...readItems(fields["input"])],
    ...readTools(fields),
    outputCap: numberOf(fields["max_output_tokens"]),
    candidates: 1,
    stop: [],
    sampling: {
      temperature: numberOf(fields["temperature"]),
      topP: numberOf(fields["top_p"]),
      topK: undefined,
      seed: undefined,
      presencePenalty: undefined,
      frequencyPenalty: undefined,
    },
    thinking: readEffort(fieldsOf(fields["reasoning"])["effort"], "reasoning.effort"),
    format: readFormat(format["type"], format),
    user: textOf(fields["user"]),
    openAiOptions: readOptions(fields),
  };
}

/** Options with the same meaning in both of OpenAI's formats. */
const sameOptions = ["moderation", "prompt_cache_key", "prompt_cache_retention", "safety_identifier"] as const;

function readOptions(fields: Fields): Fields {
  const options: Record<string, unknown> = {};
  for (const name of sameOptions) options[name] = fields[name];
  if (!isUnpricedCache(fields["prompt_cache_options"]))
    options["prompt_cache_options"] = fields["prompt_cache_options"];
  options["verbosity"] = fieldsOf(fields["text"])["verbosity"];
  if (listOf(fields["include"]).includes("message.output_text.logprobs")) {
    options["logprobs"] = true;
    options["top_logprobs"] = fields["top_logprobs"];
  }
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value != null));
}

function readInstructions(instructions: unknown): Turn[] {
  if (typeof instructions !== "string" || instructions === "") return [];
  return [{ role: "system", parts: [{ type: "text", text: instructions }] }];
}
