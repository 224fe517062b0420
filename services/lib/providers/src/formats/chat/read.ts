import { type Fields, fieldsOf, listOf, numberOf, textOf } from "../../conversation/fields.ts";
import { refusal } from "../../conversation/refusal.ts";
import type { Conversation } from "../../conversation/types.ts";
import { readEffort, readFormat } from "../openai-options.ts";
import { readTools } from "./tools.ts";
import { readTurns } from "./turns.ts";

/**
 * Parses a validated chat request. Fields that only tune OpenAI's own models are dropped.
 * @throws {UpstreamFailure} `client` for what no other protocol can express
 */
export function readChat(fields: Fields): Conversation {
  if (fields["functions"] != null)
    throw refusal("functions", "This model does not support functions. Use tools instead.");
  if (listOf(fields["modalities"]).includes("audio"))
    throw refusal("modalities", "This model does not generate audio.");
  const format = fieldsOf(fields["response_format"]);
  return {
    turns: readTurns(listOf(fields["messages"])),
    ...readTools(fields),
    outputCap: numberOf(fields["max_completion_tokens"]) ?? numberOf(fields["max_tokens"]),
    candidates: numberOf(fields["n"]) ?? 1,
    stop: readStop(fields["stop"]),
    sampling: {
      temperature: numberOf(fields["temperature"]),
      topP: numberOf(fields["top_p"]),
      topK: numberOf(fields["top_k"]),
      seed: numberOf(fields["seed"]),
      presencePenalty: numberOf(fields["presence_penalty"]),
      frequencyPenalty: numberOf(fields["frequency_penalty"]),
    },
    thinking: readEffort(fields["reasoning_effort"], "reasoning_effort"),
    format: readFormat(format["type"], fieldsOf(format["json_schema"])),
    user: textOf(fields["user"]),
    openAiOptions:
      fields["logprobs"] === true ? { logprobs: true, top_logprobs: numberOf(fields["top_logprobs"]) } : {},
  };
}

function readStop(stop: unknown): string[] {
  const list = typeof stop === "string" ? [stop] : listOf(stop);
  return list.filter((item): item is string => typeof item === "string" && item !== "");
}
