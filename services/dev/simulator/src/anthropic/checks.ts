import { decodeBase64 } from "../content/data-url.ts";
import { imageInfo } from "../content/image-size.ts";
import { type AnthropicModel, thinks } from "./models.ts";
import type { CountRequest, MessageBlock, MessagesRequest } from "./schema.ts";
import { isOurSignature } from "./signature.ts";

type Request = CountRequest & { max_tokens?: number };
type Check = (request: Request, model: AnthropicModel) => string | undefined;

function blocksOf(message: Request["messages"][number] | undefined): readonly MessageBlock[] {
  return message === undefined || typeof message.content === "string" ? [] : message.content;
}

function* allBlocks(request: Request): Generator<{ block: MessageBlock; where: string; role: string }> {
  for (const [i, message] of request.messages.entries()) {
    for (const [j, block] of blocksOf(message).entries()) {
      yield { block, where: `messages.${i}.content.${j}`, role: message.role };
    }
  }
}

const firstIsUser: Check = ({ messages }) =>
  messages[0]?.role === "user" ? undefined : 'messages: first message must use the "user" role';

const nothingEmpty: Check = (request) => {
  const last = request.messages.length - 1;
  for (const [i, { role, content }] of request.messages.entries()) {
    if (content.length > 0 || (role === "assistant" && i === last)) continue;
    return `messages.${i}: ${role} messages must have non-empty content${role === "assistant" ? " except for the optional final assistant message" : ""}`;
  }
  for (const { block } of allBlocks(request)) {
    if (block.type === "text" && block.text === "") return "messages: text content blocks must be non-empty";
  }
  return undefined;
};

const noTrailingSpace: Check = ({ messages }) => {
  const last = messages.at(-1);
  if (last?.role !== "assistant") return undefined;
  const final = blocksOf(last).at(-1);
  const text = typeof last.content === "string" ? last.content : final?.type === "text" ? final.text : "";
  return /\s$/.test(text) ? "messages: final assistant content cannot end with trailing whitespace" : undefined;
};

function idsOf(blocks: readonly MessageBlock[], type: "tool_use" | "tool_result"): string[] {
  return blocks.flatMap((block) => {
    if (type === "tool_use") return block.type === "tool_use" ? [block.id] : [];
    return block.type === "tool_result" ? [block.tool_use_id] : [];
  });
}

function leadingResults(blocks: readonly MessageBlock[]): Set<string> {
  const end = blocks.findIndex((block) => block.type !== "tool_result");
  return new Set(idsOf(end < 0 ? blocks : blocks.slice(0, end), "tool_result"));
}

const toolResultsFollow: Check = ({ messages }) => {
  for (const [i, message] of messages.entries()) {
    const used = message.role === "assistant" ? idsOf(blocksOf(message), "tool_use") : [];
    const next = messages[i + 1];
    const results = leadingResults(next?.role === "user" ? blocksOf(next) : []);
    const open = used.filter((id) => !results.has(id));
    if (open.length > 0) {
      return `messages.${i}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${open.join(", ")}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`;
    }
    const before = new Set(idsOf(blocksOf(messages[i - 1]), "tool_use"));
    for (const [j, block] of blocksOf(message).entries()) {
      if (block.type !== "tool_result" || before.has(block.tool_use_id)) continue;
      return `messages.${i}.content.${j}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${block.tool_use_id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`;
    }
  }
  return undefined;
};

const blocksFitRoles: Check = (request) => {
  for (const { block, where, role } of allBlocks(request)) {
    const assistantOnly = block.type === "tool_use" || block.type === "thinking" || block.type === "redacted_thinking";
    if (assistantOnly && role !== "assistant")
      return `${where}: \`${block.type}\` blocks can only be in \`assistant\` messages`;
    if (block.type === "tool_result" && role !== "user")
      return `${where}: \`tool_result\` blocks can only be in \`user\` messages`;
    if (role === "system" && block.type !== "text") return `${where}: system messages can only contain text`;
  }
  return undefined;
};

const cacheMarks: Check = (request) => {
  const inMessages = [...allBlocks(request)].filter(({ block }) => "cache_control" in block && block.cache_control);
  const inSystem =
    typeof request.system === "string" ? [] : (request.system ?? []).filter((text) => text.cache_control);
  const inTools = (request.tools ?? []).filter((tool) => tool.cache_control);
  const found = inMessages.length + inSystem.length + inTools.length + (request.cache_control ? 1 : 0);
  return found > 4 ? `A maximum of 4 blocks with cache_control may be provided. Found ${found}.` : undefined;
};

const images: Check = (request) => {
  for (const { block, where } of allBlocks(request)) {
    const source = block.type === "image" || block.type === "document" ? block.source : undefined;
    if (source?.type === "url" && !/^https:\/\//.test(String(source["url"])))
      return `${where}.${block.type}.source.url: Only HTTPS URLs are supported.`;
    if (source?.type !== "base64") continue;
    const bytes = decodeBase64(source.data);
    if (bytes === undefined) return `${where}.${block.type}.source.base64.data: invalid base64 data`;
    if (block.type === "document") {
      if (bytes.toString("latin1", 0, 5) !== "%PDF-")
        return `${where}.document.source.base64.data: The PDF specified was not valid.`;
      continue;
    }
    const info = imageInfo(bytes);
    if (info === undefined) return `${where}.image.source.base64: Could not process image`;
    if (info.mimeType !== source.media_type) {
      return `${where}.image.source.base64.data: Image does not match the provided media type ${source.media_type}`;
    }
  }
  return undefined;
};

const maxTokens: Check = ({ max_tokens: wanted = 1 }, model) =>
  wanted > model.maxOutputTokens
    ? `max_tokens: ${wanted} > ${model.maxOutputTokens}, which is the maximum allowed number of output tokens for ${model.id}`
    : undefined;

const sampling: Check = (request, model) => {
  if (request.temperature !== undefined && request.top_p !== undefined && model.thinking.length > 0) {
    return "`temperature` and `top_p` cannot both be specified for this model. Please use only one.";
  }
  if (!model.fixedSampling) return undefined;
  const wrong = [
    request.temperature !== undefined && request.temperature !== 1 && "temperature",
    request.top_p !== undefined && request.top_p !== 1 && "top_p",
    request.top_k !== undefined && "top_k",
  ].find(Boolean);
  return wrong ? `${wrong}: only the default value is supported for ${model.id}` : undefined;
};

const thinkingFits: Check = (request, model) => {
  const { thinking, max_tokens: max, tool_choice: choice } = request;
  if (thinking?.type === "disabled" && model.alwaysThinks)
    return `"thinking.type.disabled" is not supported for this model. Use "output_config.effort" to control thinking behavior.`;
  if (thinking === undefined || thinking.type === "disabled") return undefined;
  if (thinking.type === "adaptive" && !model.thinking.includes("adaptive"))
    return "adaptive thinking is not supported on this model";
  if (thinking.type === "enabled") {
    if (!model.thinking.includes("budget"))
      return `"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.`;
    if (max !== undefined && max <= thinking.budget_tokens)
      return "`max_tokens` must be greater than `thinking.budget_tokens`.";
    if (request.temperature !== undefined && request.temperature !== 1)
      return "`temperature` may only be set to 1 when thinking is enabled.";
    if (request.top_k !== undefined) return "`top_k` must be unset when thinking is enabled.";
  }
  if (choice?.type === "any" || choice?.type === "tool")
    return "Thinking may not be enabled when tool_choice forces tool use.";
  return undefined;
};

/** Without thinking, the API ignores the thinking of earlier turns, whatever its signature. */
const signatures: Check = (request, model) => {
  if (!thinks(request.thinking, model)) return undefined;
  for (const { block, where } of allBlocks(request)) {
    if (block.type !== "thinking" || isOurSignature(block.thinking, block.signature)) continue;
    return `${where}: Invalid \`signature\` in \`thinking\` block`;
  }
  return undefined;
};

const thinkingKept: Check = (request) => {
  if (request.thinking?.type !== "enabled") return undefined;
  const i = request.messages.findLastIndex((message) => message.role === "assistant");
  const [first] = blocksOf(request.messages[i]);
  const usesTools = blocksOf(request.messages[i]).some((block) => block.type === "tool_use");
  if (first === undefined || !usesTools || first.type === "thinking" || first.type === "redacted_thinking")
    return undefined;
  return `messages.${i}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${first.type}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block (preceeding the lastmost set of \`tool_use\` and \`tool_result\` blocks).`;
};

const toolNames: Check = ({ tools = [], tool_choice: choice }) => {
  const names = tools.map((tool) => ("name" in tool ? tool.name : undefined));
  if (new Set(names).size !== names.length) return "tools: Tool names must be unique.";
  if (choice?.type === "tool" && !names.includes(choice.name))
    return `Tool '${choice.name}' not found in provided tools`;
  if (choice !== undefined && choice.type !== "none" && tools.length === 0)
    return "tool_choice may only be specified while providing tools.";
  return undefined;
};

const checks: readonly Check[] = [
  maxTokens,
  firstIsUser,
  nothingEmpty,
  noTrailingSpace,
  blocksFitRoles,
  toolResultsFollow,
  cacheMarks,
  images,
  sampling,
  thinkingFits,
  signatures,
  thinkingKept,
  toolNames,
];

/** The first rule beyond the schema that a request breaks, in Anthropic's wording. */
export function brokenRule(request: MessagesRequest | CountRequest, model: AnthropicModel): string | undefined {
  for (const check of checks) {
    const message = check(request, model);
    if (message !== undefined) return message;
  }
  return undefined;
}
