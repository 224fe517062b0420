import type { FidelityCase, Json } from "./case.ts";

const start = (usage: Json): Json => ({
  type: "message_start",
  message: { id: "msg_1", type: "message", role: "assistant", model: "claude", content: [], stop_reason: null, usage },
});
const opened = (index: number, block: Json): Json => ({ type: "content_block_start", index, content_block: block });
const delta = (index: number, one: Json): Json => ({ type: "content_block_delta", index, delta: one });
const closed = (index: number): Json => ({ type: "content_block_stop", index });
const ended = (reason: string, usage: Json): Json[] => [
  { type: "message_delta", delta: { stop_reason: reason, stop_sequence: null }, usage },
  { type: "message_stop" },
];
const message = (content: readonly Json[], reason: string, usage: Json): Json => ({
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "claude",
  content,
  stop_reason: reason,
  stop_sequence: null,
  usage,
});
const use = (id: string, city: string): Json => ({ type: "tool_use", id, name: "weather", input: { city } });

/** What Anthropic sends: https://platform.claude.com/docs/en/build-with-claude/streaming */
export const anthropicCases: readonly FidelityCase[] = [
  {
    title: "signed thinking, text and parallel calls",
    model: "anthropic",
    response: {
      body: message(
        [
          { type: "thinking", thinking: "Two cities.", signature: "sig+A/1=" },
          { type: "text", text: "Looking." },
          use("toolu_1", "Rome"),
          use("toolu_2", "Oslo"),
        ],
        "tool_use",
        { input_tokens: 10, cache_read_input_tokens: 100, cache_creation_input_tokens: 20, output_tokens: 30 },
      ),
    },
    parts: [
      { type: "thinking", text: "Two cities." },
      { type: "text", text: "Looking." },
      { type: "call", name: "weather", input: { city: "Rome" } },
      { type: "call", name: "weather", input: { city: "Oslo" } },
    ],
    finish: "tools",
    units: { input_tokens: 10, cached_input_tokens: 100, cache_write_5m_tokens: 20, output_tokens: 30 },
    costNanoUsd: 165_000,
    returned: ["sig+A/1=", "Two cities."],
  },
  {
    title: "a streamed call whose whole input is in content_block_start",
    model: "anthropic",
    response: {
      events: [
        start({ input_tokens: 10, output_tokens: 1 }),
        opened(0, use("toolu_1", "Rome")),
        closed(0),
        ...ended("tool_use", { output_tokens: 5 }),
      ],
    },
    parts: [{ type: "call", name: "weather", input: { city: "Rome" } }],
    finish: "tools",
    units: { input_tokens: 10, output_tokens: 5 },
    costNanoUsd: 30_000,
  },
  {
    title: "text before, between and after thinking in a stream",
    model: "anthropic",
    response: {
      events: [
        start({ input_tokens: 10, output_tokens: 1 }),
        opened(0, { type: "text", text: "" }),
        delta(0, { type: "text_delta", text: "First." }),
        closed(0),
        opened(1, { type: "thinking", thinking: "", signature: "" }),
        delta(1, { type: "thinking_delta", thinking: "Hm." }),
        delta(1, { type: "signature_delta", signature: "sigB" }),
        closed(1),
        opened(2, { type: "text", text: "" }),
        delta(2, { type: "text_delta", text: "Last." }),
        closed(2),
        ...ended("end_turn", { output_tokens: 9 }),
      ],
    },
    parts: [
      { type: "text", text: "First." },
      { type: "thinking", text: "Hm." },
      { type: "text", text: "Last." },
    ],
    finish: "stop",
    units: { input_tokens: 10, output_tokens: 9 },
    costNanoUsd: 46_000,
    returned: ["sigB"],
  },
  {
    title: "thinking that the provider redacted",
    model: "anthropic",
    response: {
      body: message(
        [
          { type: "redacted_thinking", data: "EncryptedA==" },
          { type: "text", text: "Done." },
        ],
        "end_turn",
        { input_tokens: 3, output_tokens: 4 },
      ),
    },
    parts: [{ type: "text", text: "Done." }],
    finish: "stop",
    units: { input_tokens: 3, output_tokens: 4 },
    costNanoUsd: 19_000,
    returned: ["EncryptedA=="],
  },
  {
    title: "a refusal",
    model: "anthropic",
    response: { body: message([], "refusal", { input_tokens: 5, output_tokens: 2 }) },
    parts: [],
    finish: "refusal",
    units: { input_tokens: 5, output_tokens: 2 },
    costNanoUsd: 13_000,
  },
  {
    title: "a response cut at its token limit",
    model: "anthropic",
    response: { body: message([{ type: "text", text: "Once" }], "max_tokens", { input_tokens: 5, output_tokens: 1 }) },
    parts: [{ type: "text", text: "Once" }],
    finish: "length",
    units: { input_tokens: 5, output_tokens: 1 },
    costNanoUsd: 9_000,
  },
];
