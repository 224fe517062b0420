import { type Fields, fieldsOf, isFields, listOf } from "../conversation/fields.ts";

/** Members that parts of every type may have. */
const ofEveryPart = ["type", "id", "cache_control", "prompt_cache_breakpoint", "annotations", "citations"] as const;

/**
 * Members of a message's parts, by type, whose size is that of their bytes. A part of another type,
 * and a member that is not listed, may refer to content of any size.
 */
const textParts: Readonly<Record<string, readonly string[]>> = {
  text: ["text", "logprobs"],
  refusal: ["refusal"],
  // Anthropic's blocks
  thinking: ["thinking", "signature"],
  redacted_thinking: ["data"],
  tool_use: ["name", "input", "caller"],
  server_tool_use: ["name", "input", "caller"],
  tool_result: ["tool_use_id", "content", "is_error"],
  web_search_tool_result: ["tool_use_id", "content", "caller"],
  tool_search_tool_result: ["tool_use_id", "content"],
  tool_reference: ["tool_name"],
  search_result: ["source", "title", "content"],
  tool_addition: ["tool"],
  tool_removal: ["tool"],
  compaction: ["content", "encrypted_content"],
  // Parts of the Responses format
  input_text: ["text"],
  output_text: ["text", "logprobs"],
  reasoning_text: ["text"],
  summary_text: ["text"],
};

/** Members of a chat message whose size is that of their bytes; `audio.id` is sized apart. */
const messageMembers: ReadonlySet<string> = new Set([
  "role",
  "content",
  "name",
  "audio",
  "annotations",
  "cache_control",
  "extra_content",
  "function_call",
  "id",
  "partial",
  "prefix",
  "provider_specific_fields",
  "reasoning",
  "reasoning_content",
  "reasoning_details",
  "refusal",
  "thinking_blocks",
  "tool_call_id",
  "tool_calls",
  "type",
]);

const members = new Map(Object.entries(textParts).map(([type, own]) => [type, new Set([...ofEveryPart, ...own])]));
const everyPart: ReadonlySet<string> = new Set(ofEveryPart);

const ofEveryItem = ["type", "id", "call_id", "status", "created_by"] as const;

/**
 * Members of items of the Responses format, by type, whose size is that of their bytes: see
 * {@link textParts}. Parts in `content` and `output` are sized apart.
 */
const itemMembers: Readonly<Record<string, readonly string[]>> = {
  message: ["role", "content", "phase"],
  reasoning: ["summary", "content", "encrypted_content"],
  function_call: ["name", "namespace", "arguments"],
  function_call_output: ["output"],
  custom_tool_call: ["name", "namespace", "input"],
  custom_tool_call_output: ["output"],
  web_search_call: ["action"],
  tool_search_call: ["execution", "arguments"],
  tool_search_output: ["execution", "tools"],
  local_shell_call: ["action"],
  local_shell_call_output: ["output"],
  shell_call: ["action", "environment", "max_output_length"],
  shell_call_output: ["output", "max_output_length"],
  apply_patch_call: ["operation"],
  apply_patch_call_output: ["output"],
  // Nothing is stored that it could refer to.
  item_reference: [],
};

const items = new Map(
  Object.entries(itemMembers).map(([type, own]) => [type, new Set<string>([...ofEveryItem, ...own])]),
);

/** Whether a request in the Responses format has an item that may refer to content of any size. */
export function hasUnknownItem({ input }: Fields): boolean {
  return listOf(input).some((item) => {
    const { type, ...members } = fieldsOf(item);
    const known = items.get(String(type ?? "message"));
    return known === undefined || !hasOnly(members, (name) => known.has(name));
  });
}

/** Whether a part's tokens are those of its bytes. */
export function isTextPart(part: Fields): boolean {
  const known = members.get(String(part["type"]));
  return known !== undefined && hasOnly(part, (name) => known.has(name));
}

/** Whether a part has none but these members, and those that every part may have. */
export function hasOnlyMembers(part: Fields, own: readonly string[]): boolean {
  return hasOnly(part, (name) => everyPart.has(name) || own.includes(name));
}

/** Whether a chat message has a member that may refer to content of any size. */
export function hasUnknownMember(message: unknown): boolean {
  return isFields(message) && !hasOnly(message, (name) => messageMembers.has(name));
}

function hasOnly(fields: Fields, isKnown: (name: string) => boolean): boolean {
  for (const name in fields) if (!isKnown(name) && fields[name] != null) return false;
  return true;
}

/** Members of a part of Gemini's format whose size is that of their bytes. */
const geminiText: ReadonlySet<string> = new Set([
  "text",
  "thought",
  "thoughtSignature",
  "functionCall",
  "functionResponse",
  "partMetadata",
]);

/** All parts of a request in Gemini's format, those of functions' responses included. */
export function geminiParts({ contents, systemInstruction }: Fields): Fields[] {
  return [...listOf(contents), systemInstruction].flatMap((content) => partsIn(fieldsOf(content)["parts"]));
}

function partsIn(parts: unknown): Fields[] {
  return listOf(parts)
    .map(fieldsOf)
    .flatMap((part) => [part, ...partsIn(fieldsOf(part["functionResponse"])["parts"])]);
}

/** Whether the tokens of a part in Gemini's format are those of its bytes. */
export const isGeminiText = (part: Fields): boolean => hasOnly(part, (name) => geminiText.has(name));
