import { responsesFieldCosts } from "@uag/providers/passed-fields/responses";
import type { DocumentedField, DocumentedFormat, Json } from "./documented.ts";

const parameters = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
const tool = (more: Json = {}): Json => ({ tools: [{ type: "function", name: "weather", parameters, ...more }] });
const ask = { role: "user", content: "Hello" };
const part = (name: string, one: Json): DocumentedField => ({
  name: `input[].content[].${name}`,
  sent: { input: [{ role: "user", content: [{ type: "input_text", text: "What is this?" }, one] }] },
  without: { input: [{ role: "user", content: [{ type: "input_text", text: "What is this?" }] }] },
});
const call = { type: "function_call", call_id: "call_1", name: "weather", arguments: '{"city":"Rome"}' };
const format = (more: Json = {}): Json => ({
  text: { format: { type: "json_schema", name: "place", schema: parameters, ...more } },
});

const fields: readonly DocumentedField[] = [
  { name: "instructions", sent: { instructions: "Be brief." } },
  { name: "input[].role developer", sent: { input: [{ role: "developer", content: "Be brief." }, ask] } },
  part("input_image", { type: "input_image", image_url: "data:image/png;base64,iVBORw0KGgo=" }),
  part("input_file", { type: "input_file", filename: "a.pdf", file_data: "data:application/pdf;base64,JVBERi0=" }),
  { name: "input[] function_call", sent: { ...tool(), input: [ask, call] }, without: { ...tool(), input: [ask] } },
  {
    name: "input[] function_call_output",
    sent: { ...tool(), input: [ask, call, { type: "function_call_output", call_id: "call_1", output: "Sunny" }] },
    without: { ...tool(), input: [ask, call] },
  },
  {
    name: "input[] reasoning.summary",
    sent: {
      input: [
        ask,
        { type: "reasoning", id: "rs_1", summary: [{ type: "summary_text", text: "A greeting." }] },
        { role: "assistant", content: "Hi" },
        ask,
      ],
    },
    without: { input: [ask, { role: "assistant", content: "Hi" }, ask] },
  },
  { name: "background", sent: { background: true } },
  { name: "conversation", sent: { conversation: "conv_1" } },
  { name: "include message.output_text.logprobs", sent: { include: ["message.output_text.logprobs"] } },
  { name: "include reasoning.encrypted_content", sent: { include: ["reasoning.encrypted_content"] } },
  { name: "max_output_tokens", sent: { max_output_tokens: 64 } },
  { name: "max_tool_calls", sent: { max_tool_calls: 3 } },
  { name: "metadata", sent: { metadata: { team: "a" } } },
  { name: "parallel_tool_calls", sent: { ...tool(), parallel_tool_calls: false }, without: tool() },
  { name: "previous_response_id", sent: { previous_response_id: "resp_1" } },
  { name: "prompt", sent: { prompt: { id: "pmpt_1" } } },
  { name: "prompt_cache_key", sent: { prompt_cache_key: "user-1" } },
  { name: "prompt_cache_retention", sent: { prompt_cache_retention: "24h" } },
  { name: "reasoning.effort", sent: { reasoning: { effort: "low" } } },
  { name: "reasoning.effort none", sent: { reasoning: { effort: "none" } } },
  {
    name: "reasoning.summary",
    sent: { reasoning: { effort: "low", summary: "auto" } },
    without: { reasoning: { effort: "low" } },
  },
  { name: "safety_identifier", sent: { safety_identifier: "user-1" } },
  { name: "service_tier", sent: { service_tier: "default" } },
  { name: "service_tier priority", sent: { service_tier: "priority" } },
  { name: "store", sent: { store: true } },
  { name: "temperature", sent: { temperature: 0.5 } },
  { name: "text.format json_object", sent: { text: { format: { type: "json_object" } } } },
  { name: "text.format json_schema", sent: format() },
  { name: "text.format.strict", sent: format({ strict: true }), without: format() },
  { name: "text.verbosity", sent: { text: { verbosity: "low" } } },
  { name: "tool_choice required", sent: { ...tool(), tool_choice: "required" }, without: tool() },
  { name: "tool_choice none", sent: { ...tool(), tool_choice: "none" }, without: tool() },
  {
    name: "tool_choice function",
    sent: { ...tool(), tool_choice: { type: "function", name: "weather" } },
    without: tool(),
  },
  { name: "tools[] function", sent: tool() },
  { name: "tools[].strict", sent: tool({ strict: false }), without: tool() },
  { name: "tools[] custom", sent: { tools: [{ type: "custom", name: "run" }] } },
  {
    name: "tools[] tool_search",
    sent: { tools: [{ type: "tool_search" }, ...(tool()["tools"] as Json[])] },
    without: tool(),
  },
  { name: "tools[].defer_loading", sent: tool({ defer_loading: true }), without: tool() },
  { name: "tools[] web_search", sent: { tools: [{ type: "web_search" }] } },
  { name: "top_logprobs", sent: { top_logprobs: 2 } },
  { name: "top_p", sent: { top_p: 0.5 } },
  { name: "truncation", sent: { truncation: "auto" } },
  { name: "user", sent: { user: "user-1" } },
];

/** OpenAI's reference, create a model response. */
export const responsesFields: DocumentedFormat = {
  title: "Responses",
  path: "/v1/responses",
  source: "https://platform.openai.com/docs/api-reference/responses/create",
  base: { input: [ask] },
  fields,
  costs: responsesFieldCosts,
};
