import { messagesFieldCosts } from "@uag/providers/passed-fields/messages";
import type { DocumentedField, DocumentedFormat, Json } from "./documented.ts";

const schema = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
const tool = (more: Json = {}): Json => ({ tools: [{ name: "weather", input_schema: schema, ...more }] });
const ask = { role: "user", content: "Hello" };
const text = { type: "text", text: "What is this?" };
const part = (name: string, one: Json): DocumentedField => ({
  name: `messages[].content[].${name}`,
  sent: { messages: [{ role: "user", content: [text, one] }] },
  without: { messages: [{ role: "user", content: [text] }] },
});
const png = { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" };
const pdf = { type: "base64", media_type: "application/pdf", data: "JVBERi0=" };
const document = (more: Json = {}): Json => ({ type: "document", source: pdf, ...more });
const use = { type: "tool_use", id: "toolu_1", name: "weather", input: { city: "Rome" } };
const used = { messages: [ask, { role: "assistant", content: [use] }] };
const thought = { type: "thinking", thinking: "A greeting.", signature: "c2ln" };

const fields: readonly DocumentedField[] = [
  { name: "system", sent: { system: "Be brief." } },
  part("image", { type: "image", source: png }),
  part("document", document()),
  { ...part("document.citations", document({ citations: { enabled: true } })), without: part("", document()).sent },
  { name: "messages[].content[].tool_use", sent: { ...tool(), ...used }, without: { ...tool(), messages: [ask] } },
  {
    name: "messages[].content[].tool_result",
    sent: {
      ...tool(),
      messages: [
        ...used.messages,
        { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "Sunny" }] },
      ],
    },
    without: { ...tool(), ...used },
  },
  {
    name: "messages[].content[].thinking",
    sent: { messages: [ask, { role: "assistant", content: [thought, { type: "text", text: "Hi" }] }, ask] },
    without: { messages: [ask, { role: "assistant", content: [{ type: "text", text: "Hi" }] }, ask] },
  },
  {
    name: "cache_control",
    sent: { system: [{ type: "text", text: "Be brief.", cache_control: { type: "ephemeral" } }] },
    without: { system: [{ type: "text", text: "Be brief." }] },
  },
  { name: "container", sent: { container: "container_1" } },
  {
    name: "context_management clear_tool_uses",
    sent: { context_management: { edits: [{ type: "clear_tool_uses_20250919" }] } },
  },
  { name: "context_management compact", sent: { context_management: { edits: [{ type: "compact_20260112" }] } } },
  { name: "fallbacks", sent: { fallbacks: [{ model: "claude-opus-4-6" }] } },
  { name: "inference_geo us", sent: { inference_geo: "us" } },
  { name: "mcp_servers", sent: { mcp_servers: [{ type: "url", name: "a", url: "https://example.com/mcp" }] } },
  { name: "metadata.user_id", sent: { metadata: { user_id: "user-1" } } },
  { name: "output_config.effort", sent: { output_config: { effort: "low" } } },
  { name: "output_config.format", sent: { output_config: { format: { type: "json_schema", schema } } } },
  { name: "service_tier", sent: { service_tier: "standard_only" } },
  { name: "speed fast", sent: { speed: "fast" } },
  { name: "stop_sequences", sent: { stop_sequences: ["END"] } },
  { name: "temperature", sent: { temperature: 0.5 } },
  { name: "thinking enabled", sent: { thinking: { type: "enabled", budget_tokens: 1_024 } } },
  { name: "thinking adaptive", sent: { thinking: { type: "adaptive" } } },
  { name: "thinking disabled", sent: { thinking: { type: "disabled" } } },
  { name: "tool_choice any", sent: { ...tool(), tool_choice: { type: "any" } }, without: tool() },
  { name: "tool_choice tool", sent: { ...tool(), tool_choice: { type: "tool", name: "weather" } }, without: tool() },
  { name: "tool_choice none", sent: { ...tool(), tool_choice: { type: "none" } }, without: tool() },
  {
    name: "tool_choice.disable_parallel_tool_use",
    sent: { ...tool(), tool_choice: { type: "auto", disable_parallel_tool_use: true } },
    without: { ...tool(), tool_choice: { type: "auto" } },
  },
  { name: "tools[] custom", sent: tool() },
  { name: "tools[].strict", sent: tool({ strict: true }), without: tool() },
  { name: "tools[].defer_loading", sent: tool({ defer_loading: true }), without: tool() },
  { name: "tools[] bash", sent: { tools: [{ type: "bash_20250124", name: "bash" }] } },
  { name: "tools[] code_execution", sent: { tools: [{ type: "code_execution_20250825", name: "code_execution" }] } },
  {
    name: "tools[] tool_search",
    sent: {
      tools: [
        { type: "tool_search_tool_bm25_20251119", name: "search" },
        ...(tool({ defer_loading: true })["tools"] as Json[]),
      ],
    },
    without: tool({ defer_loading: true }),
  },
  { name: "tools[] web_fetch", sent: { tools: [{ type: "web_fetch_20250910", name: "web_fetch", max_uses: 2 }] } },
  { name: "tools[] web_search", sent: { tools: [{ type: "web_search_20250305", name: "web_search", max_uses: 2 }] } },
  { name: "top_k", sent: { top_k: 5 } },
  { name: "top_p", sent: { top_p: 0.5 } },
];

/** Anthropic's reference, create a message. */
export const messagesFields: DocumentedFormat = {
  title: "Messages",
  path: "/v1/messages",
  source: "https://platform.claude.com/docs/en/api/messages/create",
  base: { max_tokens: 2_048, messages: [ask] },
  fields,
  costs: messagesFieldCosts,
};
