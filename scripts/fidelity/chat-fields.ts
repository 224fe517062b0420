import { chatFieldCosts } from "@uag/providers/passed-fields/chat";
import type { DocumentedField, DocumentedFormat, Json } from "./documented.ts";

const parameters = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
const tool = (more: Json = {}): Json => ({
  tools: [{ type: "function", function: { name: "weather", parameters, ...more } }],
});
const ask = { role: "user", content: "Hello" };
const part = (name: string, one: Json): DocumentedField => ({
  name: `messages[].content[].${name}`,
  sent: { messages: [{ role: "user", content: [{ type: "text", text: "What is this?" }, one] }] },
  without: { messages: [{ role: "user", content: [{ type: "text", text: "What is this?" }] }] },
});
const png = "data:image/png;base64,iVBORw0KGgo=";
const call = { id: "call_1", type: "function", function: { name: "weather", arguments: '{"city":"Rome"}' } };
const called = { messages: [ask, { role: "assistant", tool_calls: [call] }] };
const image = (more: Json = {}): Json => ({ type: "image_url", image_url: { url: png, ...more } });
const schema = (more: Json = {}): Json => ({
  response_format: { type: "json_schema", json_schema: { name: "place", schema: parameters, ...more } },
});

const fields: readonly DocumentedField[] = [
  { name: "messages[].role developer", sent: { messages: [{ role: "developer", content: "Be brief." }, ask] } },
  { name: "messages[].role system", sent: { messages: [{ role: "system", content: "Be brief." }, ask] } },
  { name: "messages[].name", sent: { messages: [{ ...ask, name: "ann" }] } },
  part("image_url", image()),
  { ...part("image_url.detail", image({ detail: "low" })), without: part("", image()).sent },
  part("input_audio", { type: "input_audio", input_audio: { data: "AAAA", format: "wav" } }),
  part("file", { type: "file", file: { filename: "a.pdf", file_data: "data:application/pdf;base64,JVBERi0=" } }),
  part("video_url", { type: "video_url", video_url: { url: "https://example.com/a.mp4" } }),
  { name: "messages[].tool_calls", sent: { ...tool(), ...called }, without: { ...tool(), messages: [ask] } },
  {
    name: "messages[].role tool",
    sent: { ...tool(), messages: [...called.messages, { role: "tool", tool_call_id: "call_1", content: "Sunny" }] },
    without: { ...tool(), ...called },
  },
  { name: "messages[].refusal", sent: { messages: [ask, { role: "assistant", refusal: "No." }, ask] } },
  {
    name: "messages[].reasoning_content",
    sent: { messages: [ask, { role: "assistant", content: "Hi", reasoning_content: "A greeting." }, ask] },
    without: { messages: [ask, { role: "assistant", content: "Hi" }, ask] },
  },
  { name: "audio", sent: { modalities: ["text", "audio"], audio: { voice: "alloy", format: "mp3" } } },
  { name: "frequency_penalty", sent: { frequency_penalty: 0.5 } },
  { name: "logit_bias", sent: { logit_bias: { "50256": -100 } } },
  { name: "logprobs", sent: { logprobs: true } },
  { name: "top_logprobs", sent: { logprobs: true, top_logprobs: 2 }, without: { logprobs: true } },
  { name: "max_completion_tokens", sent: { max_completion_tokens: 64 } },
  { name: "max_tokens", sent: { max_tokens: 64 } },
  { name: "metadata", sent: { metadata: { team: "a" } } },
  { name: "modalities", sent: { modalities: ["text"] } },
  { name: "n", sent: { n: 2 } },
  { name: "parallel_tool_calls", sent: { ...tool(), parallel_tool_calls: false }, without: tool() },
  { name: "prediction", sent: { prediction: { type: "content", content: "Hello" } } },
  { name: "presence_penalty", sent: { presence_penalty: 0.5 } },
  { name: "prompt_cache_key", sent: { prompt_cache_key: "user-1" } },
  { name: "prompt_cache_retention", sent: { prompt_cache_retention: "24h" } },
  { name: "reasoning_effort", sent: { reasoning_effort: "low" } },
  { name: "reasoning_effort none", sent: { reasoning_effort: "none" } },
  { name: "response_format json_object", sent: { response_format: { type: "json_object" } } },
  { name: "response_format json_schema", sent: schema() },
  { name: "response_format.json_schema.strict", sent: schema({ strict: true }), without: schema() },
  { name: "safety_identifier", sent: { safety_identifier: "user-1" } },
  { name: "seed", sent: { seed: 7 } },
  { name: "service_tier", sent: { service_tier: "default" } },
  { name: "service_tier priority", sent: { service_tier: "priority" } },
  { name: "stop", sent: { stop: ["END"] } },
  { name: "store", sent: { store: true } },
  { name: "temperature", sent: { temperature: 0.5 } },
  { name: "tool_choice required", sent: { ...tool(), tool_choice: "required" }, without: tool() },
  { name: "tool_choice none", sent: { ...tool(), tool_choice: "none" }, without: tool() },
  {
    name: "tool_choice function",
    sent: { ...tool(), tool_choice: { type: "function", function: { name: "weather" } } },
    without: tool(),
  },
  { name: "tools[] function", sent: tool() },
  { name: "tools[].function.strict", sent: tool({ strict: true }), without: tool() },
  { name: "tools[] custom", sent: { tools: [{ type: "custom", custom: { name: "run" } }] } },
  { name: "top_p", sent: { top_p: 0.5 } },
  { name: "user", sent: { user: "user-1" } },
  { name: "verbosity", sent: { verbosity: "low" } },
  { name: "web_search_options", sent: { web_search_options: {} } },
];

/** OpenAI's reference, create chat completion. */
export const chatFields: DocumentedFormat = {
  title: "Chat completions",
  path: "/v1/chat/completions",
  source: "https://platform.openai.com/docs/api-reference/chat/create",
  base: { messages: [ask] },
  fields,
  costs: chatFieldCosts,
};
