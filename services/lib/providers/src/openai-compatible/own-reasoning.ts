/** Families of models that take their own reasoning back, in a field of its own. */
const inField = /deepseek|kimi/;
/** Those that take it back as a part of the content. */
const inContent = /mistral/;

interface AssistantText {
  readonly thought: string;
  readonly content: string;
  /** The request has tools. */
  readonly required: boolean;
}

/**
 * The reasoning of an earlier message, in the form that the model wants back: DeepSeek and Kimi
 * refuse a request with tools whose messages lack the field, even if it is empty
 * (https://api-docs.deepseek.com/guides/thinking_mode, "Tool Calls"); Mistral has parts
 * (https://docs.mistral.ai/capabilities/reasoning).
 */
export function ownReasoning(model: string, { thought, content, required }: AssistantText): object {
  if (inField.test(model)) return thought !== "" || required ? { reasoning_content: thought } : {};
  if (thought === "" || !inContent.test(model)) return {};
  const part = { type: "thinking", thinking: [{ type: "text", text: thought }] };
  return { content: content === "" ? [part] : [part, { type: "text", text: content }] };
}
