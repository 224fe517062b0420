import type { Model } from "@uag/catalog/types";
import {
  countOf,
  type Fields,
  fieldsOf,
  flagOf,
  isFields,
  listOf,
  parsedJson,
  textOf,
} from "../../conversation/fields.ts";
import { shortToolName } from "../../conversation/tool-name.ts";
import type { Conversation, Tool, ToolChoice } from "../../conversation/types.ts";
import { refusedTool, type ServerTool, type ServerTools } from "../server-tools.ts";

type ToolUse = Pick<Conversation, "tools" | "toolChoice" | "parallelTools">;

/** A tool as the client knows it. */
export interface ClientTool {
  readonly name: string;
  /** The group that it belongs to, if any: names are unique only within one. */
  readonly namespace: string | undefined;
  /** Its calls carry text in place of JSON. */
  readonly custom: boolean;
}

interface ListedTool extends ClientTool {
  readonly fields: Fields;
}

interface LocatedTool extends ListedTool {
  /** Its path in the request. */
  readonly at: string;
}

/** Tools run by the client, at every provider. */
const clientTools: ReadonlySet<unknown> = new Set(["function", "custom"]);

/** Tools run by the client that only the Responses API has. */
const ownClientTools = /^(local_shell|apply_patch|computer(_use_preview)?)$/;
const webSearch = /^web_search(_preview)?(_\d{4}_\d{2}_\d{2})?$/;

/**
 * Tool search only saves tokens: without it, the tools that it would find are simply included.
 * https://developers.openai.com/api/docs/guides/tools-tool-search
 */
const needless = "tool_search";

/** The tools of a request, and those that a tool search has found before, each once. */
function toolsOf({ tools, input }: Fields): LocatedTool[] {
  const found = listOf(input).flatMap((item, index) => {
    const { type, tools: loaded } = fieldsOf(item);
    return type === "tool_search_output" ? [...listed(loaded, `input[${index}].tools`)] : [];
  });
  const all = [...listed(tools), ...found];
  const names = all.map(({ name, namespace }) => flatToolName(name, namespace));
  return all.filter(({ fields }, index) => {
    const isFirst = names.indexOf(names[index] as string) === index;
    return fields["type"] !== needless && (isFirst || !clientTools.has(fields["type"]));
  });
}

/** All tools of a list, also those in a namespace (OpenAI: create a model response). */
function* listed(tools: unknown, at = "tools", namespace?: string): Generator<LocatedTool> {
  for (const [index, item] of listOf(tools).entries()) {
    const fields = fieldsOf(item);
    const name = textOf(fields["name"]) ?? "";
    if (fields["type"] === "namespace" && namespace === undefined)
      yield* listed(fields["tools"], `${at}[${index}].tools`, name);
    else yield { name, namespace, custom: fields["type"] === "custom", fields, at: `${at}[${index}]` };
  }
}

/**
 * The tools that the provider would run for a request. Only the Responses API has any: a search that
 * has a price is served where every upstream has that API.
 * @throws {GatewayError} `invalid_request` naming a tool that cannot be priced
 */
export function responsesServerTools(fields: Fields, model: Pick<Model, "price" | "upstreams">): ServerTools {
  const isOwn = model.upstreams.every(({ responsesApi }) => responsesApi === true);
  const maxUses = countOf(fields["max_tool_calls"]);
  const tools: ServerTool[] = [];
  for (const { fields: tool, at } of toolsOf(fields)) {
    const type = textOf(tool["type"]) ?? "";
    const isPriced = webSearch.test(type) && model.price.rates.has("web_searches");
    if (isOwn && isPriced) tools.push({ unit: "web_searches", maxUses, resultTokens: undefined });
    else if (!clientTools.has(type) && !(isOwn && isRunByClient(type, tool))) throw refusedTool(type, `${at}.type`);
  }
  // `max_tool_calls` limits all of them together.
  return {
    tools: tools.slice(0, 1),
    searchesTools: isOwn && searchesTools(fields),
    maxRounds: Number.POSITIVE_INFINITY,
  };
}

/** A shell runs at the client, or in a container of the provider's. */
function isRunByClient(type: string, { environment }: Fields): boolean {
  return type === "shell" ? fieldsOf(environment)["type"] === "local" : ownClientTools.test(type);
}

/** Whether the provider itself searches for tools, and continues with those found. */
function searchesTools({ tools }: Fields): boolean {
  return listOf(tools)
    .map(fieldsOf)
    .some(({ type, execution }) => type === needless && execution !== "client");
}

/** Tools and the tool choice. */
export function readTools(fields: Fields): ToolUse {
  const tools = toolsOf(fields).map(readTool);
  const parallelTools = fields["parallel_tool_calls"] !== false;
  const choice = fields["tool_choice"];
  if (isFields(choice) && choice["type"] === "allowed_tools") return { ...allowed(tools, choice), parallelTools };
  return { tools, toolChoice: readChoice(choice), parallelTools };
}

/** A tool's name in protocols without namespaces. */
export function flatToolName(name: string, namespace: string | undefined): string {
  return namespace === undefined ? name : shortToolName(`${namespace}__${name}`);
}

/** A request's custom tools and those in a namespace, by their name in protocols without either. */
export function specialTools(fields: Fields): ReadonlyMap<string, ClientTool> {
  const special = new Map<string, ClientTool>();
  for (const { name, namespace, custom } of toolsOf(fields))
    if (custom || namespace !== undefined) special.set(flatToolName(name, namespace), { name, namespace, custom });
  return special;
}

/** For other protocols a custom tool is a function with its text as the only input. */
const customSchema: Fields = { type: "object", properties: { input: { type: "string" } }, required: ["input"] };

export const customInput = (text: string): Fields => ({ input: text });

/** The text of a custom tool's call; anything other than the requested JSON is used unchanged. */
export function customText(json: string): string {
  return textOf(fieldsOf(parsedJson(json))["input"]) ?? json;
}

function readTool({ fields: tool, custom, namespace, name: own }: ListedTool): Tool {
  const name = flatToolName(own, namespace);
  const description = textOf(tool["description"]);
  if (custom) {
    return {
      name,
      description: withGrammar(description, tool["format"]),
      schema: customSchema,
      strict: undefined,
      cacheControl: undefined,
    };
  }
  const schema = isFields(tool["parameters"]) ? tool["parameters"] : undefined;
  // Strict is this format's default where the schema allows it (OpenAI: function calling).
  const strict = flagOf(tool["strict"]) ?? "where possible";
  return { name, description, schema, strict, cacheControl: undefined };
}

/** Other protocols have no grammars: the grammar is put into the description for the model. */
function withGrammar(description: string | undefined, format: unknown): string | undefined {
  const { syntax, definition } = fieldsOf(format);
  if (typeof definition !== "string") return description;
  return [description, `The input follows this ${String(syntax ?? "")} grammar:\n${definition}`].join("\n\n");
}

function readChoice(choice: unknown): ToolChoice | undefined {
  if (choice === "none" || choice === "auto" || choice === "required") return { kind: choice };
  const { name = choice, namespace } = fieldsOf(choice);
  return typeof name === "string" ? { kind: "tool", name: flatToolName(name, textOf(namespace)) } : undefined;
}

/** Other protocols cannot restrict a list of tools, so disallowed tools are not sent. */
function allowed(tools: Tool[], { mode, tools: named }: Fields): Pick<ToolUse, "tools" | "toolChoice"> {
  const names = new Set([...listed(named)].map(({ name, namespace }) => flatToolName(name, namespace)));
  return {
    tools: tools.filter((tool) => names.has(tool.name)),
    toolChoice: { kind: mode === "required" ? "required" : "auto" },
  };
}
