import assert from "node:assert/strict";
import { test } from "node:test";
import type { Upstream } from "@uag/catalog/types";
import { testModel } from "../../test/support.ts";
import { dashScopeVariant } from "../dashscope/variant.ts";
import { UpstreamFailure } from "../failure.ts";
import { collectChat } from "./collect.ts";

const upstream = { provider: { name: "p", apiKey: "secret", origin: "http://127.0.0.1:1", basePath: "" } } as Upstream;
const event = (value: unknown): string => `data: ${typeof value === "string" ? value : JSON.stringify(value)}\n\n`;
const delta = (fields: object, more: object = {}): string =>
  event({
    id: "c",
    object: "chat.completion.chunk",
    created: 1,
    model: "m",
    choices: [{ index: 0, delta: fields, finish_reason: null, ...more }],
    usage: null,
  });
const usage = { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 };
const ending = delta({}, { finish_reason: "stop" }) + event({ choices: [], usage }) + event("[DONE]");
const call = { model: testModel() };
const collect = (text: string) => collectChat(Buffer.from(text), { call, upstream, variant: dashScopeVariant });
const completion = async (text: string) => JSON.parse((await collect(text)).body.toString());

test("assembles text, reasoning, finish reason and usage into one completion", async () => {
  const response = await completion(
    delta({ role: "assistant", content: "" }) +
      delta({ reasoning_content: "Hm." }) +
      delta({ content: "Hel" }) +
      delta({ content: "lo" }) +
      ending,
  );
  assert.deepEqual(response, {
    id: "c",
    object: "chat.completion",
    created: 1,
    model: "m",
    choices: [
      {
        index: 0,
        message: { role: "assistant", content: "Hello", reasoning_content: "Hm." },
        logprobs: null,
        finish_reason: "stop",
      },
    ],
    usage,
  });
});

test("distinguishes parallel tool calls by index, or by id if the vendor omits the index", async () => {
  const part = (fields: object) => delta({ tool_calls: [fields] });
  const indexed =
    part({ index: 0, id: "a", type: "function", function: { name: "f", arguments: "" } }) +
    part({ index: 1, id: "b", type: "function", function: { name: "g", arguments: "{" } }) +
    part({ index: 0, function: { arguments: "{}" } }) +
    part({ index: 1, function: { arguments: "}" } });
  const expected = [
    { id: "a", type: "function", function: { name: "f", arguments: "{}" } },
    { id: "b", type: "function", function: { name: "g", arguments: "{}" } },
  ];
  assert.deepEqual((await completion(indexed + ending)).choices[0].message.tool_calls, expected);
  const odd =
    part({ id: "a", function: { name: "f", arguments: "{" } }) +
    part({ id: "", function: { arguments: "}" } }) +
    part({ id: "b", function: { name: "g", arguments: "{}" } });
  assert.deepEqual((await completion(odd + ending)).choices[0].message.tool_calls, expected);
});

test("returns audio as one WAV file", async () => {
  const samples = [Buffer.from([1, 2, 3, 4]), Buffer.from([5, 6])];
  const { choices } = await completion(
    samples.map((part) => delta({ audio: { id: "x", data: part.toString("base64"), transcript: "Hi" } })).join("") +
      ending,
  );
  const { audio } = choices[0].message;
  const wave = Buffer.from(audio.data, "base64");
  assert.equal(wave.subarray(0, 4).toString(), "RIFF");
  assert.equal(wave.readUInt32LE(40), 6);
  assert.deepEqual([...wave.subarray(44)], [1, 2, 3, 4, 5, 6]);
  assert.equal(audio.transcript, "HiHi");
});

test("rejects a stream that is cut off, contains an error or is not JSON", async () => {
  const kind = async (text: string): Promise<string | undefined> => {
    try {
      await collect(text);
      return undefined;
    } catch (error) {
      assert.ok(error instanceof UpstreamFailure);
      return error.kind;
    }
  };
  assert.equal(await kind(delta({ content: "x" })), "transient");
  assert.equal(await kind(event("[DONE]")), "transient");
  assert.equal(await kind(event("nonsense") + ending), "transient");
  assert.equal(await kind(event({ error: { message: "x", code: "data_inspection_failed" } })), "client");
  assert.equal(await kind(event({ error: { message: "x", code: "limit_requests" } })), "capacity");
  assert.equal(await kind(event({ error: { message: "x", code: "Arrearage", type: "Arrearage" } })), "operator");
  assert.equal(await kind(ending), undefined);
});
