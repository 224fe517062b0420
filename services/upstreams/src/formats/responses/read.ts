import { type Fields, fieldsOf, numberOf, textOf } from "../../conversation/fields.ts";
import type { Conversation, Turn } from "../../conversation/types.ts";
import { readEffort, readFormat } from "../openai-options.ts";
import { readItems } from "./items.ts";
import { readTools } from "./tools.ts";

/**
 * Parses a validated request of the Responses format. Fields that only tune OpenAI's own models are
 * dropped.
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
  };
}

function readInstructions(instructions: unknown): Turn[] {
  if (typeof instructions !== "string" || instructions === "") return [];
  return [{ role: "system", parts: [{ type: "text", text: instructions }] }];
}
