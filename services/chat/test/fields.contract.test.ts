import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { OperationsHarness } from "@uag/harness/start-operations";
import { startUpstream, type TestUpstream } from "@uag/harness/upstream";
import { chat, completion, sendJson } from "./fixtures.ts";
import { startChat } from "./support.ts";

type Json = Record<string, unknown>;

/**
 * A field of the public contract's table, and what upstreams with other protocols than OpenAI's
 * receive for it.
 */
interface Row {
  readonly good: unknown;
  readonly bad: unknown;
  /** Fields it requires. */
  readonly beside?: Json;
  /**
   * Beyond what the same request without the field sends; or the parameter that a refusal names.
   */
  readonly anthropic: Json | string;
  readonly gemini: Json | string;
}

const f = { type: "function", function: { name: "f", parameters: { type: "object", properties: { a: {} } } } };
const inputSchema = { type: "object", properties: { a: {} } };
const schema = { type: "object", properties: { a: { type: "string" } }, required: ["a"], additionalProperties: false };
const format = { type: "json_schema", json_schema: { name: "s", schema } };
const config = (fields: Json): Json => ({ generationConfig: fields });
const mode = (fields: Json): Json => ({ toolConfig: { functionCallingConfig: fields } });
const nothing: Pick<Row, "anthropic" | "gemini"> = { anthropic: {}, gemini: {} };

const rows: Readonly<Record<string, Row>> = {
  stream: { good: false, bad: "true", ...nothing },
  temperature: { good: 0.5, bad: 2.01, anthropic: { temperature: 0.5 }, gemini: config({ temperature: 0.5 }) },
  top_p: { good: 0.25, bad: -0.1, anthropic: { top_p: 0.25 }, gemini: config({ topP: 0.25 }) },
  max_tokens: { good: 7, bad: 0, anthropic: { max_tokens: 7 }, gemini: config({ maxOutputTokens: 7 }) },
  max_completion_tokens: { good: 9, bad: 1.5, anthropic: { max_tokens: 9 }, gemini: config({ maxOutputTokens: 9 }) },
  tools: {
    good: [f],
    bad: ["f"],
    anthropic: { tools: [{ name: "f", input_schema: inputSchema }] },
    gemini: { tools: [{ functionDeclarations: [{ name: "f", parametersJsonSchema: inputSchema }] }] },
  },
  tool_choice: {
    good: { type: "function", function: { name: "f" } },
    bad: 5,
    beside: { tools: [f] },
    anthropic: { tool_choice: { type: "tool", name: "f" } },
    gemini: mode({ mode: "ANY", allowedFunctionNames: ["f"] }),
  },
  parallel_tool_calls: {
    good: false,
    bad: "no",
    beside: { tools: [f] },
    anthropic: { tool_choice: { type: "auto", disable_parallel_tool_use: true } },
    gemini: {},
  },
  response_format: {
    good: format,
    bad: "json",
    anthropic: { output_config: { format: { type: "json_schema", schema } } },
    gemini: config({ responseMimeType: "application/json", responseJsonSchema: schema }),
  },
  stop: { good: ["x"], bad: 5, anthropic: { stop_sequences: ["x"] }, gemini: config({ stopSequences: ["x"] }) },
  n: { good: 2, bad: 0, anthropic: "n", gemini: config({ candidateCount: 2 }) },
  seed: { good: 5, bad: 1.5, anthropic: {}, gemini: config({ seed: 5 }) },
  frequency_penalty: { good: -2, bad: 2.1, anthropic: {}, gemini: config({ frequencyPenalty: -2 }) },
  presence_penalty: { good: 2, bad: -2.1, anthropic: {}, gemini: config({ presencePenalty: 2 }) },
  logit_bias: { good: { 5: 1 }, bad: [1], ...nothing },
  logprobs: { good: true, bad: 1, ...nothing },
  top_logprobs: { good: 3, bad: 21, beside: { logprobs: true }, ...nothing },
  reasoning_effort: {
    good: "low",
    bad: 5,
    anthropic: { output_config: { effort: "low" }, thinking: { type: "adaptive" } },
    gemini: config({ thinkingConfig: { includeThoughts: true, thinkingLevel: "low" } }),
  },
  verbosity: { good: "low", bad: "max", ...nothing },
  modalities: { good: ["text"], bad: "text", ...nothing },
  audio: {
    good: { voice: "v" },
    bad: "v",
    beside: { modalities: ["text", "audio"] },
    anthropic: "modalities",
    gemini: "modalities",
  },
  prediction: { good: { type: "content", content: "x" }, bad: "x", ...nothing },
  stream_options: { good: { include_usage: true }, bad: { include_usage: 1 }, beside: { stream: true }, ...nothing },
  store: { good: true, bad: "no", ...nothing },
  metadata: { good: { a: "b" }, bad: "x", ...nothing },
  user: { good: "u", bad: 5, anthropic: { metadata: { user_id: "u" } }, gemini: {} },
  prompt_cache_key: { good: "k", bad: 5, ...nothing },
  prompt_cache_retention: { good: "24h", bad: 5, ...nothing },
};

let upstream: TestUpstream;
let harness: OperationsHarness;

before(async () => {
  upstream = await startUpstream(({ path, json }, response) => {
    if (json["stream"] === true || path.includes("stream")) sendJson(response, 400, { error: { message: "no" } });
    else if (path.startsWith("/o/")) sendJson(response, 200, completion);
    else if (path.startsWith("/a/")) {
      const usage = { input_tokens: 1, output_tokens: 1 };
      sendJson(response, 200, { type: "message", content: [], stop_reason: "end_turn", usage });
    } else {
      const usageMetadata = { promptTokenCount: 1, totalTokenCount: 1 };
      sendJson(response, 200, { candidates: [{ finishReason: "STOP", content: { parts: [] } }], usageMetadata });
    }
  });
  const provider = (name: string, protocol: string): string =>
    `  ${name}: { protocol: ${protocol}, base_url: "${upstream.url}/${name}", api_key: sk-upstream-secret }\n`;
  const model = (anchor: string, id: string, name: string): string =>
    `  - ${anchor} id: ${id}, upstreams: [{ provider: ${id}, model: ${name} }] }\n`;
  const common =
    "&m { owned_by: x, created: 0, operations: [chat.completions], context_tokens: 9999, max_output_tokens: 99, input: [text, image], output: [text, audio], price: { input_tokens: 1, output_tokens: 1, audio_output_tokens: 1 },";
  const catalog = `providers:\n${provider("o", "openai")}${provider("a", "anthropic")}${provider("g", "gemini")}models:\n${model(common, "o", "gpt")}${model("{ <<: *m,", "a", "claude-sonnet-4-6")}${model("{ <<: *m,", "g", "gemini-3-flash")}`;
  harness = await startChat({ catalog });
});
after(async () => {
  await harness?.[Symbol.asyncDispose]();
  await upstream?.[Symbol.asyncDispose]();
});

/** What the upstream receives for a request. */
async function sent(model: string, fields: Json): Promise<Json> {
  upstream.received.length = 0;
  await harness.call("chat.completions", chat({ ...fields, model }));
  return upstream.received[0]?.json ?? assert.fail("nothing was sent");
}

/** The members of one object that another lacks, recursively. */
function beyond(more: Json, less: Json): Json {
  const isObject = (value: unknown): value is Json =>
    typeof value === "object" && value !== null && !Array.isArray(value);
  return Object.fromEntries(
    Object.entries(more).flatMap(([key, value]) => {
      const other = less[key];
      if (isObject(value) && isObject(other)) {
        const inner = beyond(value, other);
        return Object.keys(inner).length === 0 ? [] : [[key, inner]];
      }
      return JSON.stringify(value) === JSON.stringify(other) ? [] : [[key, value]];
    }),
  );
}

for (const [field, { good, bad, beside = {}, anthropic, gemini }] of Object.entries(rows)) {
  test(`passes ${field} to OpenAI-compatible providers unchanged, and rejects an invalid value by name`, async () => {
    assert.deepEqual((await sent("o", { ...beside, [field]: good }))[field], good);
    const response = await harness.call("chat.completions", chat({ ...beside, [field]: bad, model: "o" }));
    assert.equal(response.status, 400);
    const { code, param } = response.json()["error"] as Json;
    assert.equal(code, "invalid_request");
    assert.match(String(param), new RegExp(`^${field}\\b`));
  });

  for (const [model, becomes] of Object.entries({ a: anthropic, g: gemini })) {
    test(`translates, omits or rejects ${field} for ${model === "a" ? "Claude" : "Gemini"}`, async () => {
      const fields = { ...beside, [field]: good };
      if (typeof becomes === "object") {
        assert.deepEqual(beyond(await sent(model, fields), await sent(model, beside)), becomes);
        return;
      }
      const response = await harness.call("chat.completions", chat({ ...fields, model }));
      assert.equal(response.status, 400);
      assert.equal((response.json()["error"] as Json)["param"], becomes);
    });
  }
}
