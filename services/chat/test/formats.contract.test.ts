import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import type { OperationsHarness, ReceivedResponse } from "@uag/harness/start-operations";
import { Outcome, Pricing } from "@uag/proto/metering/v1/usage.ts";
import { startChat } from "./support.ts";

type Json = Record<string, unknown>;

const models: Readonly<Record<string, readonly string[]>> = {
  openai: ["gpt-4o-mini", "gpt-5-mini"],
  azure: ["gpt-4.1-mini"],
  dashscope: ["qwen-plus"],
  xai: ["grok-4.5"],
  anthropic: ["claude-sonnet-4-5", "claude-opus-4-8"],
  gemini: ["gemini-2.5-flash", "gemini-3-flash-preview"],
  vertex: ["gemini-2.5-flash-lite", "claude-haiku-4-5"],
  bedrock: ["us.anthropic.claude-haiku-4-5-20251001-v1:0", "us.amazon.nova-lite-v1:0"],
};
const paths: Readonly<Record<string, string>> = {
  openai: "/openai/v1",
  azure: "/azure/openai/v1",
  vertex: "/vertex/v1beta1/projects/p/locations/global",
  xai: "/xai/v1",
};
const faults = [
  "cut-6",
  "error-event-6",
  "no-terminator",
  "usage-missing",
  "split-0",
  "crlf",
  "status-529",
  "leak-key",
];
const faulty = [
  "gpt-4o-mini",
  "claude-sonnet-4-5",
  "gemini-2.5-flash",
  "us.anthropic.claude-haiku-4-5-20251001-v1:0",
  "us.amazon.nova-lite-v1:0",
];
const reasoning = new Set(["gpt-5-mini", "grok-4.5"]);
const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const schema = {
  type: "object",
  properties: { city: { type: "string" } },
  required: ["city"],
  additionalProperties: false,
};

let simulator: ChildProcess;
let url = "";
let harness: OperationsHarness;

function catalog(): string {
  const providers = Object.keys(models).map(
    (name) => `  ${name}: { protocol: ${name}, base_url: "${url}${paths[name] ?? `/${name}`}", api_key: sk-simulator }`,
  );
  const row = (provider: string, id: string, upstream: string): string =>
    `  - { id: "${id}", owned_by: o, created: 0, operations: [chat.completions, messages], context_tokens: 128000,
      max_output_tokens: 8192, input: [text, image, file],${reasoning.has(id) ? " reasoning: { efforts: [low, medium, high] }, output_cap_field: max_completion_tokens," : ""}
      price: { input_tokens: 1, output_tokens: 2 }, upstreams: [{ provider: ${provider}, model: "${upstream}" }] }`;
  const rows = Object.entries(models).flatMap(([provider, ids]) =>
    ids.flatMap((id) => [
      row(provider, id, id),
      ...(faulty.includes(id) ? faults.map((fault) => row(provider, `${id}/${fault}`, `${id}--sim-${fault}`)) : []),
    ]),
  );
  return `providers:\n${providers.join("\n")}\nmodels:\n${rows.join("\n")}\n`;
}

before(async () => {
  const main = fileURLToPath(import.meta.resolve("@uag/simulator/main"));
  const env = { ...process.env, PORT: "0", DATA_DIR: undefined, SIM_FAULTS: undefined };
  simulator = spawn(process.execPath, [main], { env, stdio: ["ignore", "pipe", "inherit"] });
  assert.ok(simulator.stdout !== null);
  for await (const line of createInterface(simulator.stdout)) {
    url = /http:\S+/.exec(line)?.[0] ?? "";
    if (url !== "") break;
  }
  harness = await startChat({ catalog: catalog() });
});
after(async () => {
  await harness?.[Symbol.asyncDispose]();
  simulator.kill();
  if (simulator.exitCode === null) await once(simulator, "exit");
});

/** One client format: how its clients send requests and read responses. */
interface Format {
  readonly operation: string;
  call(model: string, text: string, more?: Json): Json;
  readonly tools: Json;
  readonly image: Json;
  readonly format: Json;
  /** The response's text and the names of its calls. */
  read(body: Json): { text: string; calls: string[]; turn: Json };
  results(turn: Json): Json[];
  readonly terminator: RegExp;
}

const chatFormat: Format = {
  operation: "chat.completions",
  call: (model, text, more = {}) => ({ model, messages: [{ role: "user", content: text }], ...more }),
  tools: { tools: [{ type: "function", function: { name: "get_weather", parameters: schema } }] },
  image: { type: "image_url", image_url: { url: `data:image/png;base64,${png}` } },
  format: { response_format: { type: "json_schema", json_schema: { name: "place", schema, strict: true } } },
  read(body) {
    const [choice] = body["choices"] as { message: Json }[];
    const message = choice?.message ?? {};
    const calls = (message["tool_calls"] ?? []) as { id: string; function: { name: string } }[];
    // Clients unaware of extensions send back no more than this.
    const kept = calls.map(({ id, function: f }) => ({ id, type: "function", function: f }));
    const turn = { role: "assistant", content: message["content"], ...(kept.length > 0 && { tool_calls: kept }) };
    return { text: String(message["content"] ?? ""), calls: calls.map((call) => call.function.name), turn };
  },
  results: (turn) =>
    (turn["tool_calls"] as { id: string }[]).map(({ id }) => ({ role: "tool", tool_call_id: id, content: "rain" })),
  terminator: /data: \[DONE\]\r?\n\r?\n$/,
};

const messagesFormat: Format = {
  operation: "messages",
  call: (model, text, more = {}) => ({ model, max_tokens: 4000, messages: [{ role: "user", content: text }], ...more }),
  tools: { tools: [{ name: "get_weather", input_schema: schema }] },
  image: { type: "image", source: { type: "base64", media_type: "image/png", data: png } },
  format: { output_config: { format: { type: "json_schema", schema } } },
  read(body) {
    const blocks = body["content"] as Json[];
    const calls = blocks.filter(({ type }) => type === "tool_use").map(({ name }) => String(name));
    return { text: blocks.map(({ text = "" }) => text).join(""), calls, turn: { role: "assistant", content: blocks } };
  },
  results: (turn) => {
    const calls = (turn["content"] as Json[]).filter(({ type }) => type === "tool_use");
    return [
      { role: "user", content: calls.map(({ id }) => ({ type: "tool_result", tool_use_id: id, content: "rain" })) },
    ];
  },
  terminator: /event: ?message_stop\r?\ndata: ?\{[^\n]*\}\r?\n\r?\n$/,
};

interface Served {
  readonly usage: Json | null;
  readonly true_usage: Json | null;
  readonly delivered: { readonly content_tokens: number };
}

/** What the simulator served for the last request; it records that when the connection is done. */
async function lastServed(): Promise<Served> {
  const id = harness.admission.booked.at(-1)?.request.requestId;
  for (const deadline = Date.now() + 60_000; ; ) {
    const response = await fetch(`${url}/sim/log?request_id=${id}`);
    const { entries } = (await response.json()) as { entries: Served[] };
    const last = entries.at(-1);
    if (last !== undefined) return last;
    if (Date.now() > deadline) assert.fail(`the simulator served nothing for ${id}`);
  }
}

/** Prompt and output tokens in any vendor's usage object. */
function totals(usage: Json): { input: number; output: number } {
  const n = (name: string): number => Number(usage[name] ?? 0);
  if ("promptTokenCount" in usage) {
    return { input: n("promptTokenCount"), output: n("candidatesTokenCount") + n("thoughtsTokenCount") };
  }
  if ("inputTokens" in usage) return { input: n("inputTokens"), output: n("outputTokens") };
  if ("prompt_tokens" in usage) return { input: n("prompt_tokens"), output: n("total_tokens") - n("prompt_tokens") };
  const cached = n("cache_creation_input_tokens") + n("cache_read_input_tokens");
  return { input: n("input_tokens") + cached, output: n("output_tokens") };
}

function billed(): { input: number; output: number; pricing: Pricing; outcome: Outcome } {
  const { units, pricing, outcome } = harness.admission.booked.at(-1)?.settlement ?? assert.fail("nothing was settled");
  const sum = (output: boolean): number =>
    units
      .filter(({ name }) => name.startsWith("output") === output)
      .reduce((total, { quantity }) => total + Number(quantity), 0);
  return { input: sum(false), output: sum(true), pricing, outcome };
}

async function good(format: Format, body: Json): Promise<ReceivedResponse> {
  const response = await harness.call(format.operation, body);
  assert.equal(response.status, 200, response.text.slice(0, 500));
  const { usage } = await lastServed();
  const { pricing, outcome, ...tokens } = billed();
  assert.deepEqual(tokens, totals(usage ?? {}), "the bill equals the upstream's count");
  assert.equal(pricing, Pricing.EXACT);
  assert.equal(outcome, Outcome.COMPLETED);
  return response;
}

for (const [formatName, format] of Object.entries({ chat: chatFormat, messages: messagesFormat })) {
  for (const model of Object.values(models).flat()) {
    const name = `${formatName} format, ${model}`;

    test(`${name}: text, streamed or not`, async () => {
      const whole = await good(format, format.call(model, "say: Où est le 🌦?"));
      assert.equal(format.read(whole.json()).text, "Où est le 🌦?");
      const streamed = await good(format, format.call(model, "say: Où est le 🌦?", { stream: true }));
      assert.match(streamed.text, format.terminator);
    });

    test(`${name}: parallel calls and their results`, async () => {
      const requested = format.call(
        model,
        'call get_weather {"city":"Oslo"}\ncall get_weather {"city":"Rome"}',
        format.tools,
      );
      const { calls, turn } = format.read((await good(format, requested)).json());
      assert.deepEqual(calls, ["get_weather", "get_weather"]);
      const messages = [...(requested["messages"] as Json[]), turn, ...format.results(turn)];
      const { text } = format.read((await good(format, { ...requested, messages })).json());
      assert.notEqual(text, "");
      assert.match((await good(format, { ...requested, stream: true })).text, /get_weather/);
    });

    if (model !== "qwen-plus") {
      test(`${name}: an image, and a response by a schema`, async () => {
        const content = [{ type: "text", text: "say: seen" }, format.image];
        const seen = await good(format, format.call(model, "", { messages: [{ role: "user", content }] }));
        assert.equal(format.read(seen.json()).text, "seen");
        const { text } = format.read((await good(format, format.call(model, "A place?", format.format))).json());
        assert.deepEqual(Object.keys(JSON.parse(text)), ["city"]);
      });
    }
  }

  for (const model of faulty) {
    for (const fault of faults) {
      test(`${formatName} format, ${model}: ${fault} exposes no secret, and is billed by the delivered part`, async () => {
        const body = format.call(`${model}/${fault}`, `repeat 60 words\n${fault} in the ${formatName} format`);
        const response = await harness.call(format.operation, { ...body, stream: true });
        assert.doesNotMatch(response.text, /sk-simulator|127\.0\.0\.1/);
        const { pricing, outcome, input, output } = billed();
        if (fault === "status-529" || fault === "leak-key") {
          assert.ok(fault === "leak-key" ? response.status === 400 : response.status >= 500, String(response.status));
          assert.equal(outcome, Outcome.FAILED);
          const { error } = response.json() as { error: Json };
          assert.equal(typeof error["message"], "string");
          assert.equal("type" in response.json(), formatName === "messages");
          return;
        }
        assert.equal(response.status, 200, response.text);
        const isWhole = fault === "usage-missing" || fault === "split-0" || fault === "crlf";
        // Gemini has no terminator, and a stopped and counted stream is complete without one.
        if (fault !== "no-terminator") assert.equal(format.terminator.test(response.text), isWhole, response.text);
        assert.equal(pricing === Pricing.EXACT, fault === "split-0" || fault === "crlf" || fault === "no-terminator");
        const served = await lastServed();
        if (pricing === Pricing.EXACT) assert.deepEqual({ input, output }, totals(served.usage ?? {}));
        else assert.ok(output >= served.delivered.content_tokens - 3, `${output} billed`);
      });
    }
  }
}
