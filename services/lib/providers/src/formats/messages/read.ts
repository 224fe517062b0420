import { type Fields, fieldsOf, flagOf, isFields, listOf, numberOf, textOf } from "../../conversation/fields.ts";
import { refusal } from "../../conversation/refusal.ts";
import {
  type Conversation,
  type Effort,
  efforts,
  type ResponseFormat,
  type Thinking,
  type Tool,
  type ToolChoice,
} from "../../conversation/types.ts";
import { readSystem, readTurns } from "./turns.ts";

/**
 * Parses a validated messages request. Beta fields have no equivalent elsewhere and are
 * dropped.
 * @throws {UpstreamFailure} `client` for what no other protocol can express
 */
export function readMessages(fields: Fields): Conversation {
  const choice = fieldsOf(fields["tool_choice"]);
  return {
    turns: [...readSystem(fields["system"]), ...readTurns(listOf(fields["messages"]))],
    tools: readTools(listOf(fields["tools"])),
    toolChoice: readChoice(choice),
    parallelTools: choice["disable_parallel_tool_use"] !== true,
    outputCap: numberOf(fields["max_tokens"]),
    candidates: 1,
    stop: listOf(fields["stop_sequences"]).filter((item): item is string => typeof item === "string" && item !== ""),
    sampling: {
      temperature: numberOf(fields["temperature"]),
      topP: numberOf(fields["top_p"]),
      topK: numberOf(fields["top_k"]),
      seed: undefined,
      presencePenalty: undefined,
      frequencyPenalty: undefined,
    },
    thinking: readThinking(fields),
    format: readFormat(fieldsOf(fields["output_config"])["format"]),
    user: textOf(fieldsOf(fields["metadata"])["user_id"]),
    openAiOptions: {},
  };
}

/** Tool search only saves tokens: without it, all tools are simply included. */
const needless = /^tool_search_tool_/;

function readTools(tools: readonly unknown[]): Tool[] {
  return tools.flatMap((item, index): Tool[] => {
    const tool = fieldsOf(item);
    const type = textOf(tool["type"]) ?? "custom";
    if (needless.test(type)) return [];
    if (type !== "custom") {
      throw refusal(`tools.${index}.type`, `The tool '${type.slice(0, 60)}' is not available with this model.`);
    }
    const schema = isFields(tool["input_schema"]) ? tool["input_schema"] : undefined;
    const { name, description, strict } = tool;
    return [
      { name: String(name), description: textOf(description), schema, strict: flagOf(strict), cacheControl: undefined },
    ];
  });
}

function readChoice(choice: Fields): ToolChoice | undefined {
  switch (choice["type"]) {
    case "auto":
    case "none":
      return { kind: choice["type"] };
    case "any":
      return { kind: "required" };
    case "tool":
      return { kind: "tool", name: String(choice["name"]) };
    default:
      return undefined;
  }
}

function readThinking(fields: Fields): Thinking | undefined {
  const { type, budget_tokens, display } = fieldsOf(fields["thinking"]);
  const wanted = fieldsOf(fields["output_config"])["effort"];
  const effort = (efforts as readonly unknown[]).includes(wanted) ? (wanted as Effort) : undefined;
  if (type === "disabled") return { on: false, effort: "none", budget: undefined, shown: false };
  if (type === undefined && effort === undefined) return undefined;
  return { on: true, effort, budget: numberOf(budget_tokens), shown: type !== undefined && display !== "omitted" };
}

function readFormat(value: unknown): ResponseFormat {
  const format = fieldsOf(value);
  if (format["type"] !== "json_schema") return { kind: "text" };
  const schema = fieldsOf(format["schema"]);
  return { kind: "schema", name: "answer", description: undefined, schema, strict: "where possible" };
}
