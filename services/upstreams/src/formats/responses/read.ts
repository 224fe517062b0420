import { type Fields, fieldsOf, numberOf, textOf } from "../../conversation/fields.ts";
import { refusal } from "../../conversation/refusal.ts";
import {
  type Conversation,
  type Effort,
  efforts,
  type ResponseFormat,
  type Thinking,
  type Turn,
} from "../../conversation/types.ts";
import { readItems } from "./items.ts";
import { readTools } from "./tools.ts";

/**
 * Parses a validated request of the Responses format. Fields that only tune OpenAI's own models are
 * dropped.
 * @throws {UpstreamFailure} `client` for what no other protocol can express
 */
export function readResponses(fields: Fields): Conversation {
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
    thinking: readEffort(fieldsOf(fields["reasoning"])["effort"]),
    format: readFormat(fieldsOf(fieldsOf(fields["text"])["format"])),
    user: textOf(fields["user"]),
  };
}

function readInstructions(instructions: unknown): Turn[] {
  if (typeof instructions !== "string" || instructions === "") return [];
  return [{ role: "system", parts: [{ type: "text", text: instructions }] }];
}

function readEffort(value: unknown): Thinking | undefined {
  if (typeof value !== "string") return undefined;
  if (!(efforts as readonly string[]).includes(value)) {
    const supported = efforts.map((effort) => `'${effort}'`).join(", ");
    const text = `'${value.slice(0, 40)}' is not supported with this model. Supported values are: ${supported}.`;
    throw refusal("reasoning.effort", text);
  }
  return { on: value !== "none", effort: value as Effort, budget: undefined, shown: true };
}

function readFormat(format: Fields): ResponseFormat {
  if (format["type"] === "json_object") return { kind: "json" };
  if (format["type"] !== "json_schema") return { kind: "text" };
  return { kind: "schema", name: textOf(format["name"]) ?? "answer", schema: fieldsOf(format["schema"]) };
}
