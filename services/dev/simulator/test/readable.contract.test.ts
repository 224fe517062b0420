import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type Simulator, startSimulator } from "../src/service.ts";
import { send } from "./support.ts";

let simulator: Simulator;

before(async () => {
  simulator = await startSimulator();
});
after(() => simulator.close());

interface Block {
  type: string;
  text?: string;
  id?: string;
  name?: string;
  input?: Record<string, unknown>;
}

async function message(
  body: object,
): Promise<{ status: number; stop_reason: string; content: Block[]; error?: object }> {
  const request = { model: "claude-sonnet-4-5", max_tokens: 1_000, ...body };
  const { text, status } = await send(simulator, "/anthropic/v1/messages", request, {
    "anthropic-version": "2023-06-01",
  });
  return { status, ...JSON.parse(text) };
}

async function completion(
  body: object,
): Promise<{ content: string; tool_calls?: { function: { arguments: string } }[] }> {
  const { text } = await send(simulator, "/openai/v1/chat/completions", { model: "gpt-4o-mini", ...body });
  return JSON.parse(text).choices[0].message;
}

const readTool = {
  name: "Read",
  input_schema: { type: "object", properties: { file_path: { type: "string" } }, required: ["file_path"] },
};

test("a response names the simulator, the model and the prompt, and explains how to reach the real model", async () => {
  const { content } = await completion({
    messages: [
      { role: "system", content: "Be brief." },
      {
        role: "user",
        content: [
          { type: "text", text: "What is in\nthis photo?" },
          { type: "image_url", image_url: { url: "https://example.com/a.png" } },
        ],
      },
    ],
  });
  assert.match(content, /simulator/);
  assert.match(content, /gpt-4o-mini/);
  assert.match(content, /“What is in this photo\?”/);
  assert.match(content, /1 image and a system prompt/);
  assert.match(content, /OPENAI_API_KEY/);
});

test("a response has the requested number of words", async () => {
  const { content } = await completion({ messages: [{ role: "user", content: "Tell me about tides in 300 words." }] });
  assert.equal(content.split(/\s+/).length, 300);
});

test("fills a schema with values that suit its properties' names", async () => {
  const schema = {
    type: "object",
    properties: { name: { type: "string" }, email: { type: "string" }, age: { type: "integer" } },
    required: ["name", "email", "age"],
  };
  const { content } = await completion({
    messages: [{ role: "user", content: "Invent a person." }],
    response_format: { type: "json_schema", json_schema: { name: "person", schema } },
  });
  const person = JSON.parse(content);
  assert.match(person.name, /^[A-Z][a-z]+ [A-Z][a-z]+$/);
  assert.match(person.email, /^\w+@example\.com$/);
  assert.ok(person.age >= 21 && person.age <= 67);
});

test("calls a file-reading tool with the file that the prompt names", async () => {
  const { content } = await message({
    messages: [{ role: "user", content: "Please read src/notes/plan.md and sum it up." }],
    tools: [readTool],
  });
  assert.deepEqual(content.find(({ type }) => type === "tool_use")?.input, { file_path: "src/notes/plan.md" });
});

test("text that a coding agent adds to the user's message triggers no tool call", async () => {
  const { content, stop_reason } = await message({
    messages: [
      {
        role: "user",
        content: [
          { type: "text", text: "<system-reminder>You can read files.</system-reminder>" },
          { type: "text", text: "say hello" },
        ],
      },
    ],
    tools: [readTool],
  });
  assert.equal(stop_reason, "end_turn");
  assert.match(content[0]?.text ?? "", /“say hello”/);
});

test("an agent's loop ends within three turns, whatever its client adds after the tool results", async () => {
  const messages: object[] = [{ role: "user", content: "read it all" }];
  const reasons: string[] = [];
  while (reasons.at(-1) !== "end_turn" && reasons.length < 6) {
    const { content, stop_reason } = await message({ messages, tools: [readTool] });
    reasons.push(stop_reason);
    const results = content
      .filter(({ type }) => type === "tool_use")
      .map(({ id }) => ({ type: "tool_result", tool_use_id: id, content: "read this and that" }));
    messages.push({ role: "assistant", content });
    if (results.length > 0) messages.push({ role: "user", content: results }, { role: "user", content: "read more" });
  }
  assert.deepEqual(reasons, ["tool_use", "tool_use", "end_turn"]);
});

test("ignores thinking with a foreign signature when thinking is off, and rejects it when thinking is on", async () => {
  const messages = [
    { role: "user", content: "hi" },
    {
      role: "assistant",
      content: [
        { type: "thinking", thinking: "hm", signature: "Zm9yZWlnbg==" },
        { type: "text", text: "hello" },
      ],
    },
    { role: "user", content: "again" },
  ];
  assert.equal((await message({ messages })).status, 200);
  const thinking = { type: "enabled", budget_tokens: 1_024 };
  assert.equal((await message({ messages, thinking, max_tokens: 2_000 })).status, 400);
});
