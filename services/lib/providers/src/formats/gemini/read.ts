import { type Fields, fieldsOf, isFields, listOf, numberOf, textOf } from "../../conversation/fields.ts";
import { refusal } from "../../conversation/refusal.ts";
import {
  type Conversation,
  type Effort,
  efforts,
  type ResponseFormat,
  type Thinking,
} from "../../conversation/types.ts";
import { jsonSchemaOf } from "./schema.ts";
import { readTools } from "./tools.ts";
import { readContents, readSystem } from "./turns.ts";

/**
 * Parses a validated request of Gemini's format, its names in camel case. Safety settings have no
 * equivalent elsewhere and are dropped.
 * @throws {UpstreamFailure} `client` for what no other protocol can express
 */
export function readGenerateContent(fields: Fields): Conversation {
  const config = fieldsOf(fields["generationConfig"]);
  if (config["responseLogprobs"] === true)
    throw refusal("generationConfig.responseLogprobs", "Log probabilities are not available with this model here.");
  if ((numberOf(config["candidateCount"]) ?? 1) > 1)
    throw refusal("generationConfig.candidateCount", "This model generates only one candidate here.");
  return {
    turns: [...readSystem(fields["systemInstruction"]), ...readContents(listOf(fields["contents"]))],
    ...readTools(fields),
    parallelTools: true,
    outputCap: numberOf(config["maxOutputTokens"]),
    candidates: 1,
    stop: listOf(config["stopSequences"]).filter((item): item is string => typeof item === "string" && item !== ""),
    sampling: {
      temperature: numberOf(config["temperature"]),
      topP: numberOf(config["topP"]),
      topK: numberOf(config["topK"]),
      seed: numberOf(config["seed"]),
      presencePenalty: numberOf(config["presencePenalty"]),
      frequencyPenalty: numberOf(config["frequencyPenalty"]),
    },
    thinking: readThinking(fieldsOf(config["thinkingConfig"])),
    format: readFormat(config),
    user: undefined,
    openAiOptions: {},
  };
}

function readThinking({ includeThoughts, thinkingBudget, thinkingLevel }: Fields): Thinking | undefined {
  const budget = numberOf(thinkingBudget);
  if (budget === 0) return { on: false, effort: "none", budget: undefined, shown: false };
  const level = textOf(thinkingLevel)?.toLowerCase();
  const effort = (efforts as readonly unknown[]).includes(level) ? (level as Effort) : undefined;
  const shown = includeThoughts === true;
  if (budget === undefined && effort === undefined && !shown) return undefined;
  // A budget of -1 leaves the amount to the model.
  return { on: true, effort, budget: budget === undefined || budget < 0 ? undefined : budget, shown };
}

function readFormat(config: Fields): ResponseFormat {
  const { responseMimeType: type, responseSchema, responseJsonSchema, _responseJsonSchema } = config;
  if (type === "text/x.enum")
    throw refusal("generationConfig.responseMimeType", "'text/x.enum' is not available with this model.");
  if (type !== "application/json") return { kind: "text" };
  const given = responseJsonSchema ?? _responseJsonSchema;
  const schema = isFields(given) ? given : isFields(responseSchema) ? jsonSchemaOf(responseSchema) : undefined;
  if (schema === undefined) return { kind: "json" };
  return { kind: "schema", name: "answer", description: undefined, schema, strict: "where possible" };
}
