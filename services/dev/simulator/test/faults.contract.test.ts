import assert from "node:assert/strict";
import { once } from "node:events";
import { after, before, test } from "node:test";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { type Simulator, startSimulator } from "../src/service.ts";
import { dataOf, drained, logged, rawPost, send, sendRaw } from "./support.ts";

let simulator: Simulator;
before(async () => {
  simulator = await startSimulator();
});
after(() => simulator.close());

const path = "/openai/v1/chat/completions";
const usageRequested = { stream: true, stream_options: { include_usage: true, include_obfuscation: false } };

function chat(faults: string, more: object = {}, content = "say: Hi 😀 there"): object {
  const suffix = faults === "" ? "" : `--sim-${faults.replaceAll(" ", "--sim-")}`;
  return { model: `gpt-4o${suffix}`, messages: [{ role: "user", content }], ...more };
}

function bodyOf(raw: string): string {
  return raw.slice(raw.indexOf("\r\n\r\n") + 4);
}

test("a stream is, byte for byte, role, content, finish, usage and [DONE]", async () => {
  const { text } = await send(simulator, path, chat("same-id", usageRequested));
  const created = /"created":(\d+)/.exec(text)?.[1];
  const id = /"id":"([^"]+)"/.exec(text)?.[1];
  const chunk = (choices: string, usage: string) =>
    `data: {"id":"${id}","object":"chat.completion.chunk","created":${created},"model":"gpt-4o-2024-08-06",` +
    `"service_tier":"default","system_fingerprint":"fp_simulator0","choices":[${choices}],"usage":${usage}}\n\n`;
  const delta = (value: string, finish = "null") =>
    chunk(`{"index":0,"delta":${value},"logprobs":null,"finish_reason":${finish}}`, "null");
  const usage =
    '{"prompt_tokens":12,"completion_tokens":3,"total_tokens":15,"prompt_tokens_details":{"cached_tokens":0,"audio_tokens":0},' +
    '"completion_tokens_details":{"reasoning_tokens":0,"audio_tokens":0,"accepted_prediction_tokens":0,"rejected_prediction_tokens":0}}';
  const expected = [
    delta('{"role":"assistant","content":"","refusal":null}'),
    delta('{"content":"Hi"}'),
    delta('{"content":" 😀"}'),
    delta('{"content":" there"}'),
    delta("{}", '"stop"'),
    chunk("", usage),
    "data: [DONE]\n\n",
  ];
  assert.equal(text, expected.join(""));
});

test("without stream_options a stream has no usage field", async () => {
  const { text } = await send(simulator, path, chat("", { stream: true }));
  assert.doesNotMatch(text, /"usage"/);
  assert.equal(dataOf(text).at(-1), "[DONE]");
});

test("a status fault returns the provider's error body, with each form of retry-after", async () => {
  const seconds = await send(simulator, path, chat("status-429 retry-after-7 retry-ms-250"));
  assert.deepEqual(
    [seconds.status, seconds.headers.get("retry-after"), seconds.headers.get("retry-after-ms")],
    [429, "7", "250"],
  );
  const date = await send(simulator, path, chat("status-503 retry-date-60"));
  assert.ok(Math.abs(Date.parse(date.headers.get("retry-after") ?? "") - Date.now() - 60_000) < 5000);
  for (const status of [400, 401, 403, 404, 429, 500, 502, 503, 529]) {
    const response = await send(simulator, path, chat(`status-${status}`));
    assert.equal(response.status, status);
    assert.equal(typeof JSON.parse(response.text).error.message, "string");
  }
});

test("serves a proxy's page, garbage, an empty body and an error under 200", async () => {
  const page = await send(simulator, path, chat("html"));
  assert.deepEqual([page.status, page.headers.get("content-type")], [502, "text/html"]);
  const garbage = await send(simulator, path, chat("garbage"));
  assert.throws(() => JSON.parse(garbage.text));
  assert.deepEqual([garbage.status, garbage.headers.get("content-type")], [200, "application/json"]);
  assert.equal((await send(simulator, path, chat("empty-body"))).text, "");
  const error = await send(simulator, path, chat("ok-error error-status-429"));
  assert.deepEqual([error.status, JSON.parse(error.text).error.code], [200, "rate_limit_exceeded"]);
  const typed = await send(simulator, path, chat("content-type"));
  assert.equal(typed.headers.get("content-type"), "text/html");
});

test("a leaked credential appears in the text of a 400", async () => {
  const response = await send(simulator, path, chat("leak-key"), { authorization: "Bearer sk-secret" });
  assert.equal(response.status, 400);
  assert.match(response.text, /sk-secret/);
});

test("a hanging request gets no response, and ends when the client disconnects", async () => {
  simulator.log.clear();
  const socket = await rawPost(simulator, path, chat("hang"));
  const response = once(socket, "data").then(() => "answered");
  const quiet = new Promise((resolve) => setTimeout(resolve, 100, "quiet"));
  assert.equal(await Promise.race([response, quiet]), "quiet");
  socket.destroy();
  const [entry] = await logged(simulator, 1);
  assert.deepEqual([entry?.status, entry?.outcome, entry?.delivered.bytes], [0, "disconnected", 0]);
});

test("resets the connection before the head, at a byte, or after a chunk", async () => {
  const before = await drained(await rawPost(simulator, path, chat("reset")));
  assert.deepEqual(before, { text: "", error: "ECONNRESET" });

  simulator.log.clear();
  const atByte = await drained(await rawPost(simulator, path, chat("reset-100", { stream: true })));
  assert.equal(atByte.error, "ECONNRESET");
  const afterChunks = await drained(await rawPost(simulator, path, chat("reset-chunks-2", { stream: true })));
  assert.equal(afterChunks.error, "ECONNRESET");
  const entries = await logged(simulator, 2);
  assert.deepEqual(
    entries.map(({ outcome, delivered }) => [outcome, delivered.chunks]),
    [
      ["cut", 0],
      ["cut", 2],
    ],
  );
  assert.equal(entries[0]?.delivered.bytes, 100);
});

test("a truncated body is incomplete", async () => {
  const { text, error } = await drained(await rawPost(simulator, path, chat("truncate-40")));
  assert.equal(error, undefined);
  assert.equal(bodyOf(text).length, 40);
  await assert.rejects(send(simulator, path, chat("truncate-40")), TypeError);
});

test("a cut stream ends properly without usage and [DONE]", async () => {
  simulator.log.clear();
  const { text } = await send(simulator, path, chat("cut-2", usageRequested));
  assert.equal(dataOf(text).length, 2);
  const [entry] = await logged(simulator, 1);
  assert.deepEqual(
    [entry?.outcome, entry?.delivered.chunks, entry?.delivered.content_tokens, entry?.usage],
    ["cut", 2, 1, null],
  );
  const open = await send(simulator, path, chat("no-terminator", usageRequested));
  assert.match(dataOf(open.text).at(-1) ?? "", /"total_tokens"/);
});

test("an error event replaces its chunk and ends the stream", async () => {
  const { text } = await send(simulator, path, chat("error-event-3", { stream: true }));
  const data = dataOf(text);
  assert.equal(data.length, 3);
  assert.equal(JSON.parse(data[2] ?? "").error.type, "server_error");
});

test("a broken event precedes its chunk, and the stream continues", async () => {
  const { text } = await send(simulator, path, chat("garbage-event-2", { stream: true }));
  const data = dataOf(text);
  assert.throws(() => JSON.parse(data[1] ?? ""));
  assert.equal(data.at(-1), "[DONE]");
});

test("usage is missing, wrong, repeated or cumulative under its faults, and the log records what was reported", async () => {
  simulator.log.clear();
  const missing = await send(simulator, path, chat("usage-missing", usageRequested));
  assert.doesNotMatch(missing.text, /total_tokens/);
  const lying = await send(simulator, path, chat("usage-lie"));
  assert.equal(JSON.parse(lying.text).usage.total_tokens, 150);
  const repeated = await send(simulator, path, chat("usage-repeat", usageRequested));
  assert.equal(repeated.text.match(/total_tokens/g)?.length, 2);
  const running = await send(simulator, path, chat("usage-cumulative", usageRequested));
  const counts = dataOf(running.text)
    .slice(0, -1)
    .map((data) => JSON.parse(data).usage.completion_tokens);
  assert.deepEqual(counts, [0, 1, 2, 3, 3, 3]);
  const entries = await logged(simulator, 4);
  assert.deepEqual(
    entries.map((entry) => entry.usage?.["total_tokens"]),
    [undefined, 150, 15, 15],
  );
  assert.deepEqual(
    entries.map((entry) => entry.true_usage?.["total_tokens"]),
    [15, 15, 15, 15],
  );
  const cached = await send(simulator, path, chat("cached-5"));
  assert.equal(JSON.parse(cached.text).usage.prompt_tokens_details.cached_tokens, 5);
});

test("sends tool deltas whole, without index, and with repeated or empty ids", async () => {
  const tools = [{ type: "function", function: { name: "f", parameters: {} } }];
  const deltas = async (faults: string) => {
    const { text } = await send(simulator, path, chat(faults, { stream: true, tools }, 'call f {"a":"b"}'));
    return dataOf(text)
      .filter((data) => data.includes('tool_calls":'))
      .map((data) => JSON.parse(data).choices[0].delta.tool_calls[0]);
  };
  const whole = await deltas("tool-whole");
  assert.deepEqual([whole.length, whole[0].function], [1, { name: "f", arguments: '{"a":"b"}' }]);
  assert.ok((await deltas("tool-no-index")).every((delta) => !("index" in delta)));
  assert.ok((await deltas("tool-repeat-id")).every((delta) => delta.id && delta.function.name === "f"));
  assert.equal((await deltas("tool-empty-id"))[0].id, "");
});

test("splitting the bytes does not change them", async () => {
  const whole = await send(simulator, path, chat("same-id", usageRequested));
  for (const split of ["split-1", "split-0", "split-7"]) {
    const { text } = await send(simulator, path, chat(`same-id ${split}`, usageRequested));
    assert.equal(text.replace(/"created":\d+/g, ""), whole.text.replace(/"created":\d+/g, ""));
  }
});

test("a response split into single bytes reaches the client in as many pieces", async () => {
  const socket = await rawPost(simulator, path, chat("split-1"), "connection: close\r\n");
  const { text } = await drained(socket);
  assert.match(text, /content-length/);
  const streamed = await drained(
    await rawPost(simulator, path, chat("split-1", { stream: true }), "connection: close\r\n"),
  );
  const pieces = bodyOf(streamed.text)
    .split("\r\n")
    .filter((line) => line === "1");
  assert.ok(pieces.length > 500);
});

test("a stream with other line ends, comments, missing spaces or many data lines has the same events", async () => {
  const crlf = await send(simulator, path, chat("crlf", usageRequested));
  assert.match(crlf.text, /^data: \{.*\}\r\n\r\ndata: /);
  const cr = await send(simulator, path, chat("cr", usageRequested));
  assert.match(cr.text, /^data: \{[^\n]*\}\r\rdata: /);
  const comments = await send(simulator, path, chat("comments-2", { stream: true }));
  assert.equal(comments.text.match(/^: keep-alive$/gm)?.length, 3);
  const tight = await send(simulator, path, chat("no-space", { stream: true }));
  assert.match(tight.text, /^data:\{/);
  assert.match(tight.text, /data:\[DONE\]/);
  const lines = await send(simulator, path, chat("multi-data", { stream: true }));
  const [first] = lines.text.split("\n\n");
  assert.ok((first?.split("\n").length ?? 0) > 10);
  assert.equal(JSON.parse(dataOf(first ?? "").join("\n")).object, "chat.completion.chunk");
  const open = await send(simulator, path, chat("no-final-newline", { stream: true }));
  assert.match(open.text, /data: \[DONE\]$/);
});

test("serves chunks without choices, milliseconds and joined chunks", async () => {
  const empty = await send(simulator, path, chat("keepalive-chunk-2", { stream: true }));
  assert.equal(dataOf(empty.text).filter((data) => data.includes('"choices":[]')).length, 3);
  const late = await send(simulator, path, chat("created-ms"));
  assert.ok(JSON.parse(late.text).created > 1e12);
  simulator.log.clear();
  await send(simulator, path, chat("join-4", usageRequested));
  const [entry] = await logged(simulator, 1);
  assert.equal(entry?.delivered.chunks, 7);
});

test("compressed bodies decompress to the plain ones, streamed or not", async () => {
  for (const [fault, unpack] of [
    ["gzip", gunzipSync],
    ["br", brotliDecompressSync],
  ] as const) {
    const whole = await sendRaw(simulator, path, chat(fault));
    assert.equal(whole.head.headers["content-encoding"], fault);
    assert.equal(JSON.parse(unpack(whole.bytes).toString()).object, "chat.completion");
    const streamed = await sendRaw(simulator, path, chat(fault, usageRequested));
    assert.equal(dataOf(unpack(streamed.bytes).toString()).length, 7);
  }
});

test("latency and slow chunks take the configured time", async () => {
  const before = performance.now();
  await send(simulator, path, chat("latency-60"));
  assert.ok(performance.now() - before >= 60);
  const slow = performance.now();
  await send(simulator, path, chat("slow-10", usageRequested));
  assert.ok(performance.now() - slow >= 70);
});

test("a huge response has the requested size and its tokens are counted", async () => {
  simulator.log.clear();
  const { text } = await send(simulator, path, chat("huge-2", usageRequested));
  assert.ok(text.length > 2 * 1_048_576);
  const usage = JSON.parse(dataOf(text).at(-2) ?? "").usage;
  assert.equal(usage.completion_tokens, 524_288);
  const [entry] = await logged(simulator, 1);
  assert.equal(entry?.delivered.content_tokens, 524_288);
});

test("the control API sets, lists and removes rules", async () => {
  const rule = { match: { provider: "openai", count: 1 }, faults: { status: 503, "retry-after": 2 } };
  const made = await send(simulator, "/sim/faults", rule);
  assert.equal(made.status, 201);
  assert.equal((await send(simulator, path, chat(""))).status, 503);
  assert.equal((await send(simulator, path, chat(""))).status, 200);
  const { rules } = JSON.parse((await send(simulator, "/sim/faults", undefined)).text);
  assert.deepEqual([rules[0].hits, rules[0].left], [1, 0]);
  assert.equal((await fetch(`${simulator.url}/sim/faults`, { method: "DELETE" })).status, 200);
  assert.deepEqual(JSON.parse((await send(simulator, "/sim/faults", undefined)).text), { rules: [] });
  assert.equal((await send(simulator, "/sim/faults", { faults: { sloow: 1 } })).status, 400);
  assert.equal((await send(simulator, "/sim/faults", { match: { prvider: "x" }, faults: {} })).status, 400);
});

test("times fails the first attempts of a request and then serves it", async () => {
  const body = chat("status-500 times-2", {}, "say: once more");
  const statuses = [];
  for (let i = 0; i < 3; i++) statuses.push((await send(simulator, path, body)).status);
  assert.deepEqual(statuses, [500, 500, 200]);
});

test("rejects an unknown fault", async () => {
  const response = await send(simulator, path, chat("sloow-5"));
  assert.equal(response.status, 400);
  assert.match(response.text, /unknown fault 'sloow-5'/);
});
