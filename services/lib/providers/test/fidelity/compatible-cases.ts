import type { FidelityCase, Json } from "./case.ts";

const completion = (message: Json, finish: unknown, usage: Json): Json => ({
  id: "chatcmpl-1",
  object: "chat.completion",
  created: 1,
  model: "m",
  choices: [{ index: 0, message: { role: "assistant", ...message }, finish_reason: finish }],
  usage,
});
const chunk = (delta: Json, finish: unknown = null): Json => ({
  id: "chatcmpl-1",
  object: "chat.completion.chunk",
  created: 1,
  model: "m",
  choices: [{ index: 0, delta, finish_reason: finish }],
});
const counted = (usage: Json): Json => ({
  id: "chatcmpl-1",
  object: "chat.completion.chunk",
  created: 1,
  model: "m",
  choices: [],
  usage,
});
const call = (id: string, city: string): Json => ({
  id,
  type: "function",
  function: { name: "weather", arguments: JSON.stringify({ city }) },
});
const usage = (prompt: number, output: number, more: Json = {}): Json => ({
  prompt_tokens: prompt,
  completion_tokens: output,
  total_tokens: prompt + output,
  ...more,
});
const rome = { type: "call", name: "weather", input: { city: "Rome" } } as const;

/** Responses of providers that use OpenAI's chat format. */
export const compatibleCases: readonly FidelityCase[] = [
  {
    title: "parallel calls in pieces",
    model: "openai",
    response: {
      events: [
        chunk({ role: "assistant", content: null }),
        chunk({
          tool_calls: [{ index: 0, id: "call_1", type: "function", function: { name: "weather", arguments: "" } }],
        }),
        chunk({ tool_calls: [{ index: 0, function: { arguments: '{"city":' } }] }),
        chunk({ tool_calls: [{ index: 0, function: { arguments: '"Rome"}' } }] }),
        chunk({ tool_calls: [{ index: 1, ...call("call_2", "Oslo") }] }),
        chunk({}, "tool_calls"),
        counted(usage(50, 20, { prompt_tokens_details: { cached_tokens: 40 } })),
        "[DONE]",
      ],
    },
    parts: [rome, { type: "call", name: "weather", input: { city: "Oslo" } }],
    finish: "tools",
    units: { input_tokens: 10, cached_input_tokens: 40, output_tokens: 20 },
    costNanoUsd: 94_000,
  },
  {
    title: "a refusal",
    model: "openai",
    response: { body: completion({ content: null, refusal: "I cannot." }, "stop", usage(5, 3)) },
    parts: [{ type: "text", text: "I cannot." }],
    finish: "stop",
    units: { input_tokens: 5, output_tokens: 3 },
    costNanoUsd: 17_000,
  },
  {
    title: "billed cache writes",
    model: "openai",
    response: {
      body: completion(
        { content: "Hi" },
        "stop",
        usage(100, 2, { prompt_tokens_details: { cached_tokens: 30, cache_write_tokens: 50 } }),
      ),
    },
    parts: [{ type: "text", text: "Hi" }],
    finish: "stop",
    units: { input_tokens: 20, cached_input_tokens: 30, cache_write_5m_tokens: 50, output_tokens: 2 },
    costNanoUsd: 93_500,
  },
  {
    title: "reasoning before a call",
    model: "deepseek",
    response: {
      body: completion(
        { content: "", reasoning_content: "A city.", tool_calls: [call("call_1", "Rome")] },
        "tool_calls",
        usage(40, 9, { prompt_cache_hit_tokens: 30, prompt_cache_miss_tokens: 10 }),
      ),
    },
    parts: [{ type: "thinking", text: "A city." }, rome],
    finish: "tools",
    units: { input_tokens: 10, cached_input_tokens: 30, output_tokens: 9 },
    costNanoUsd: 49_000,
    returned: ["A city."],
  },
  {
    title: "reasoning in a stream",
    model: "moonshot",
    response: {
      events: [
        chunk({ role: "assistant", content: "" }),
        chunk({ reasoning_content: "A greet" }),
        chunk({ reasoning_content: "ing." }),
        chunk({ tool_calls: [{ index: 0, ...call("call_1", "Rome") }] }),
        chunk({}, "tool_calls"),
        counted(usage(10, 5, { cached_tokens: 4 })),
        "[DONE]",
      ],
    },
    parts: [{ type: "thinking", text: "A greeting." }, rome],
    finish: "tools",
    units: { input_tokens: 6, cached_input_tokens: 4, output_tokens: 5 },
    costNanoUsd: 26_400,
    returned: ["A greeting."],
  },
  {
    title: "a list of content that includes thinking",
    model: "mistral",
    response: {
      body: completion(
        {
          content: [
            { type: "thinking", thinking: [{ type: "text", text: "Simple." }] },
            { type: "text", text: "Four." },
          ],
        },
        "stop",
        usage(10, 6),
      ),
    },
    parts: [
      { type: "thinking", text: "Simple." },
      { type: "text", text: "Four." },
    ],
    finish: "stop",
    units: { input_tokens: 10, output_tokens: 6 },
    costNanoUsd: 34_000,
  },
  {
    title: "calls and no finish reason",
    model: "groq",
    response: {
      events: [
        chunk({ role: "assistant", content: null }),
        chunk({ tool_calls: [{ index: 0, ...call("call_1", "Rome") }] }, ""),
        counted(usage(10, 5)),
        "[DONE]",
      ],
    },
    parts: [rome],
    finish: "tools",
    chatFinish: "",
    units: { input_tokens: 10, output_tokens: 5 },
    costNanoUsd: 30_000,
  },
  {
    title: "reasoning in the field `reasoning`",
    model: "openrouter",
    response: {
      body: completion(
        { content: "Yes.", reasoning: "Sure.", reasoning_details: [{ type: "reasoning.text", text: "Sure." }] },
        "stop",
        usage(10, 4, { cost: 0.001, cost_details: { upstream_inference_cost: null } }),
      ),
    },
    parts: [
      { type: "thinking", text: "Sure." },
      { type: "text", text: "Yes." },
    ],
    finish: "stop",
    units: { input_tokens: 10, output_tokens: 4 },
    costNanoUsd: 26_000,
  },
];
