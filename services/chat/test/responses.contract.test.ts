import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { OperationsHarness } from "@uag/harness/start-operations";
import { startUpstream, type TestUpstream } from "@uag/harness/upstream";
import { catalogOf, chunk, completion, done, sendJson, usage } from "./fixtures.ts";
import { startChat } from "./support.ts";

let upstream: TestUpstream;
let harness: OperationsHarness;
const resources = new AsyncDisposableStack();
let sent: Record<string, unknown> = {};

before(async () => {
  upstream = resources.use(
    await startUpstream(({ json }, response) => {
      sent = json as Record<string, unknown>;
      sendJson(response, 200, completion);
    }),
  );
  harness = resources.use(await startChat({ catalog: catalogOf(upstream.url) }));
});
after(() => resources.disposeAsync());

const call = (fields: object) => harness.call("responses", { model: "plain", input: "Hi", ...fields });
const image = (url: string) => [{ role: "user", content: [{ type: "input_image", image_url: url }] }];

const sound = (data: string, format = "wav") => [
  { role: "user", content: [{ type: "input_audio", input_audio: { data, format } }] },
];

const refused: readonly [title: string, fields: object, param: string][] = [
  ["no input", { input: undefined }, "input"],
  ["an empty list", { input: [] }, "input"],
  ["an unknown role", { input: [{ role: "tool", content: "x" }] }, "input[0].role"],
  ["a message without content", { input: [{ role: "user" }] }, "input[0].content"],
  ["a part without text", { input: [{ role: "user", content: [{ type: "input_text" }] }] }, "input[0].content[0].text"],
  ["an invalid image", { input: image("data:image/png;base64,!!!") }, "input[0].content[0].image_url"],
  ["an image in a private network", { input: image("http://10.0.0.1/x.png") }, "input[0].content[0].image_url"],
  ["audio that is not base64", { model: "listener", input: sound("!!!") }, "input[0].content[0].input_audio.data"],
  [
    "audio in a private network",
    { model: "listener", input: sound("http://10.0.0.1/x.wav") },
    "input[0].content[0].input_audio.data",
  ],
  ["audio for a model that takes none", { model: "deaf", input: sound("AAAA") }, "input[0].content[0]"],
  ["a call without its id", { input: [{ type: "function_call", name: "f", arguments: "{}" }] }, "input[0].call_id"],
  ["a provider's own item", { input: [{ type: "web_search_call", id: "x" }] }, "input[0].type"],
  ["a previous response", { previous_response_id: "resp_1" }, "previous_response_id"],
  ["a stored conversation", { conversation: { id: "c" } }, "conversation"],
  ["a background response", { background: true }, "background"],
  ["a tool without a price", { tools: [{ type: "web_search" }] }, "tools[0].type"],
  ["a tool without a name", { tools: [{ type: "function" }] }, "tools[0].name"],
  ["a temperature that is too high", { temperature: 3 }, "temperature"],
];

for (const [title, fields, param] of refused) {
  test(`rejects a request with ${title}, naming ${param}`, async () => {
    const { status, text } = await call(fields);
    assert.equal(status, 400, text);
    assert.equal(JSON.parse(text).error.param, param, text);
  });
}

test("does not send a reasoning model sampling parameters that it would reject", async () => {
  const { status, text } = await call({ model: "thinker", temperature: 3, top_p: 0.5 });
  assert.equal(status, 200, text);
  assert.equal("temperature" in sent || "top_p" in sent, false);
});

test("does not repeat a long request in its response", async () => {
  const { text } = await call({ instructions: "x".repeat(70_000) });
  const response = JSON.parse(text);
  assert.equal(response.instructions, null);
  assert.equal(response.output[0].content[0].text, "Hello there.");
  assert.ok(text.length < 2_000);
});

test("a broken stream ends with an error event in the format's own form", async () => {
  upstream.script = (_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(chunk({ content: "Hel" }));
  };
  const { text } = await call({ stream: true });
  const last = text.split("\n\n").findLast((event) => event.startsWith("event: ")) ?? "";
  const [, json = ""] = /^event: error\ndata: (.*)$/.exec(last) ?? assert.fail(last);
  const { type, code, message, param } = JSON.parse(json);
  assert.deepEqual({ type, code, param }, { type: "error", code: "upstream_error", param: null });
  assert.ok(message.length > 10);
});

for (const [model, data, expected] of [
  ["listener", "AAAA", { data: "AAAA", format: "mp3" }],
  ["listener", "data:audio/x-wav;base64,AAAA", { data: "AAAA", format: "wav" }],
  ["omni", "AAAA", { data: "data:audio/mp3;base64,AAAA", format: "mp3" }],
  ["omni", "https://files.example/a.wav", { data: "https://files.example/a.wav", format: "wav" }],
] as const) {
  test(`sends ${model} audio given as ${data.slice(0, 20)}, held and billed at the price of audio`, async () => {
    upstream.script = ({ json }, response) => {
      sent = json as Record<string, unknown>;
      const counted = { ...usage, prompt_tokens_details: { audio_tokens: 8 } };
      if (sent["stream"] !== true) return sendJson(response, 200, { ...completion, usage: counted });
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(chunk({ content: "Hi" }) + chunk({}, { choices: [], usage: counted }) + done);
    };
    const { status, text } = await call({ model, input: sound(data, "mp3"), max_output_tokens: 10 });
    assert.equal(status, 200, text);
    assert.deepEqual(sent["messages"], [{ role: "user", content: [{ type: "input_audio", input_audio: expected }] }]);
    const { request, settlement } = harness.admission.booked.at(-1) ?? assert.fail();
    assert.equal(settlement?.units.find(({ name }) => name === "audio_input_tokens")?.quantity, 8n);
    // Two text tokens at 1 USD per million, eight of audio at 10, five of output at 2.
    assert.equal(settlement?.costNanoUsd, 2_000n + 80_000n + 10_000n);
    assert.ok(request.holdNanoUsd >= (settlement?.costNanoUsd ?? 0n), `${request.holdNanoUsd}`);
  });
}
