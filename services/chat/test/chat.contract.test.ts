import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { after, before, beforeEach, test } from "node:test";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import type { OperationsHarness } from "@uag/harness/start-operations";
import { Stopwatch } from "@uag/harness/testing/durations";
import { waitFor } from "@uag/harness/testing/wait-for";
import { startUpstream, type TestUpstream } from "@uag/harness/upstream";
import { Outcome, Pricing, SettlementRule } from "@uag/proto/metering/v1/usage.ts";
import { Drains } from "@uag/providers/disconnect/drains";
import { catalogOf, chat, chunk, completion, done, sendJson, startEvents, usage, usageChunk } from "./fixtures.ts";
import { startChat } from "./support.ts";

let upstream: TestUpstream;
let second: TestUpstream;
let harness: OperationsHarness;
const operation = "chat.completions";
const last = () => harness.admission.booked.at(-1);
const settlement = () => last()?.settlement ?? assert.fail("nothing was settled");

before(async () => {
  upstream = await startUpstream(() => {});
  second = await startUpstream(() => {});
});
after(async () => {
  await harness[Symbol.asyncDispose]();
  await upstream[Symbol.asyncDispose]();
  await second[Symbol.asyncDispose]();
});
beforeEach(async () => {
  await harness?.[Symbol.asyncDispose]();
  harness = await startChat({ catalog: catalogOf(upstream.url, second.url) });
  upstream.received.length = 0;
  second.received.length = 0;
  upstream.script = (_, response) => sendJson(response, 200, completion);
  second.script = (_, response) => sendJson(response, 200, completion);
});

test("returns a non-streamed response byte for byte, billed by the upstream's count, with its cost in a header", async () => {
  const odd = `{ "id":"x",  "big":9007199254740993,"choices":[{"index":0,"message":{"content":"\\u00e9"}}],\n"usage":${JSON.stringify(usage)} }`;
  upstream.script = (_, response) =>
    sendJson(response, 200, odd, { "x-ratelimit-limit-requests": "9", "x-request-id": "up" });
  const response = await harness.call(operation, chat());
  assert.equal(response.status, 200);
  assert.equal(response.text, odd);
  assert.equal(response.header("content-type"), "application/json");
  assert.equal(response.header("x-gateway-model"), "plain");
  assert.equal(response.header("x-gateway-attempts"), "1");
  assert.equal(response.header("x-gateway-cost-usd"), "0.000020000");
  assert.equal(response.header("x-ratelimit-limit-requests"), "60");
  assert.deepEqual(
    { ...settlement(), rawUsage: Buffer.from(settlement().rawUsage).toString() },
    {
      outcome: Outcome.COMPLETED,
      settlementRule: SettlementRule.COMPLETED,
      pricing: Pricing.EXACT,
      units: [
        { name: "input_tokens", quantity: 10n },
        { name: "output_tokens", quantity: 5n },
      ],
      costNanoUsd: 20_000n,
      upstream: "one",
      upstreamRequestId: "up",
      upstreamModel: "plain",
      upstreamCredential: "sk-...-one",
      upstreamReason: undefined,
      credentialReason: undefined,
      upstreamCredentialId: undefined,
      upstreamCostNanoUsd: undefined,
      rawUsage: JSON.stringify(usage),
      attempts: 1,
      status: 200,
      errorCode: undefined,
      firstByteMs: undefined,
      failedAttempts: [],
    },
  );
});

test("forwards a request that needs no change byte for byte, with our key and without the client's headers", async () => {
  const body =
    '{"seed":9007199254740993,"model":"plain", "unknown_field":{"a":[1]},"messages":[{"role":"user","content":"\\u00e9"}]}';
  await harness.call(operation, body, { headers: ["content-type", "application/json", "x-evil", "1"] });
  const [requested] = upstream.received;
  assert.equal(requested?.text, body);
  assert.equal(requested?.path, "/v1/chat/completions");
  assert.equal(requested?.headers.authorization, "Bearer sk-upstream-secret-one");
  assert.equal(requested?.headers["accept-encoding"], "identity");
  assert.equal(requested?.headers["x-evil"], undefined);
});

test("renames the model for the upstream and changes nothing else", async () => {
  const body = '{"seed":9007199254740993,"model":"renamed","messages":[{"role":"user","content":"x"}]}';
  await harness.call(operation, body);
  assert.equal(upstream.received[0]?.text, body.replace('"renamed"', '"real-name"'));
});

test("passes a stream through unchanged, after requesting and removing its usage", async () => {
  const events = [
    chunk({ role: "assistant", content: "" }),
    ": ping\n\n",
    chunk({ content: "Hel" }),
    chunk({ content: "lo" }),
  ];
  upstream.script = (_, response) => {
    startEvents(response);
    response.end([...events, usageChunk, done].join(""));
  };
  const response = await harness.call(
    operation,
    chat({ stream: true, stream_options: { include_obfuscation: false } }),
  );
  assert.equal(response.text, [...events, done].join(""));
  assert.equal(response.header("content-type"), "text/event-stream; charset=utf-8");
  assert.equal(response.header("cache-control"), "no-cache");
  assert.deepEqual(upstream.received[0]?.json["stream_options"], { include_obfuscation: false, include_usage: true });
  assert.equal(settlement().costNanoUsd, 20_000n);
  assert.equal(settlement().pricing, Pricing.EXACT);
});

test("a stream with requested usage ends with the usage and the exact cost, in place of the upstream's own", async () => {
  upstream.script = (_, response) => {
    startEvents(response);
    response.end(chunk({ content: "Hi" }) + chunk({}, { choices: [], usage: { ...usage, cost: 7 } }) + done);
  };
  const response = await harness.call(operation, chat({ stream: true, stream_options: { include_usage: true } }));
  assert.equal(settlement().costNanoUsd, 20_000n);
  const last = usageChunk.replace('"total_tokens":15', '"total_tokens":15,"cost":0.000020000');
  assert.equal(response.text, chunk({ content: "Hi" }) + last + done);
});

test("a chunk that ends every choice and reports usage has the cost; earlier ones pass unchanged", async () => {
  const running = chunk({ content: "a" }, { usage: { prompt_tokens: 10, completion_tokens: 1 } });
  const choices = [{ index: 0, delta: { content: "b" }, finish_reason: "stop" }];
  upstream.script = (_, response) => {
    startEvents(response);
    response.end(running + chunk({}, { choices, usage }) + done);
  };
  const response = await harness.call(operation, chat({ stream: true, stream_options: { include_usage: true } }));
  const last = chunk({}, { choices, usage: { ...usage, cost: 0 } }).replace('"cost":0', '"cost":0.000020000');
  assert.equal(response.text, running + last + done);
});

test("a usage chunk that is not the last is passed on without a cost, also when the stream breaks after it", async () => {
  const output = usageChunk + chunk({ content: "more" }) + usageChunk;
  upstream.script = (_, response) => {
    startEvents(response);
    response.end(output);
  };
  const response = await harness.call(operation, chat({ stream: true, stream_options: { include_usage: true } }));
  assert.ok(response.text.startsWith(output), response.text);
  assert.match(response.text.slice(output.length), /"error"/);
});

test("sends the first chunk when it arrives, and the last only once the bill is on disk", async () => {
  const { promise: goOn, resolve: release } = Promise.withResolvers<void>();
  const { promise: onDisk, resolve: flush } = Promise.withResolvers<void>();
  harness.admission.settling = () => onDisk;
  upstream.script = async (_, response) => {
    startEvents(response);
    response.write(chunk({ content: "one" }));
    await goOn;
    response.end(chunk({ content: "two" }) + usageChunk + done);
  };
  const stream = harness.open(operation, JSON.stringify(chat({ stream: true })));
  const reader = stream[Symbol.asyncIterator]();
  assert.equal((await reader.next()).value?.toString(), chunk({ content: "one" }));
  release();
  assert.equal((await reader.next()).value?.toString(), chunk({ content: "two" }));
  const terminator = reader.next();
  await waitFor(() => last()?.settlement !== undefined, { what: "the settlement" });
  assert.equal(
    await Promise.race([terminator, new Promise((resolve) => setTimeout(resolve, 30, "still waiting"))]),
    "still waiting",
  );
  flush();
  assert.equal((await terminator).value?.toString(), done);
  assert.equal((await reader.next()).done, true);
});

test("passes an upstream's 400 to the client with its message, without our key or address, at no cost", async () => {
  const message = `Unsupported value: 'minimal'. Supported values are: 'low'. (key sk-upstream-secret-one at ${upstream.url}/v1/chat)`;
  upstream.script = (_, response) =>
    sendJson(response, 400, {
      error: { message, type: "invalid_request_error", param: "reasoning_effort", code: "unsupported_value" },
    });
  const response = await harness.call(operation, chat());
  assert.equal(response.status, 400);
  assert.deepEqual(response.json(), {
    error: {
      message: "Unsupported value: 'minimal'. Supported values are: 'low'. (key [redacted] at [upstream]/chat)",
      type: "invalid_request_error",
      code: "unsupported_value",
      param: "reasoning_effort",
    },
  });
  assert.equal(upstream.received.length, 1, "the same request would fail the same way");
  assert.equal(settlement().outcome, Outcome.FAILED);
  assert.equal(settlement().costNanoUsd, 0n);
  assert.equal(settlement().status, 400);
});

const statuses: [upstream: number, body: unknown, client: number, code: string, tries: number][] = [
  [401, { error: { message: "Incorrect API key provided: sk-upst*****-one" } }, 502, "upstream_error", 1],
  [403, { error: { message: "no" } }, 502, "upstream_error", 1],
  [402, { error: { message: "pay" } }, 503, "upstream_unavailable", 1],
  [404, { error: { message: "The model `plain` does not exist", code: "model_not_found" } }, 400, "model_not_found", 1],
  [429, { error: { message: "slow down", code: "rate_limit_exceeded" } }, 429, "upstream_rate_limited", 3],
  [
    429,
    { error: { message: "pay", type: "insufficient_quota", code: "insufficient_quota" } },
    503,
    "upstream_unavailable",
    1,
  ],
  [500, { error: { message: "oops" } }, 502, "upstream_error", 3],
  [502, "<html>Bad gateway</html>", 502, "upstream_error", 3],
  [503, { error: { message: "overloaded" } }, 503, "upstream_unavailable", 3],
  [200, "<html>hello</html>", 502, "upstream_error", 3],
  [200, { error: { message: "odd", type: "server_error" } }, 502, "upstream_error", 3],
  [200, { error: { message: "no such parameter", type: "invalid_request_error", code: "x" } }, 400, "x", 1],
  [200, "null", 502, "upstream_error", 3],
];
for (const [status, body, client, code, tries] of statuses) {
  test(`maps an upstream's ${status} with ${JSON.stringify(body).slice(0, 60)} to ${client} ${code}`, async () => {
    upstream.script = (_, response) => sendJson(response, status, body);
    const response = await harness.call(operation, chat());
    assert.equal(response.status, client);
    const { error } = response.json() as { error: { code: string; message: string } };
    assert.equal(error.code, code);
    assert.doesNotMatch(response.text, /sk-upst|127\.0\.0\.1|<html>|slow down|pay/);
    assert.equal(upstream.received.length, tries);
    assert.equal(response.header("x-gateway-attempts"), String(tries));
    assert.equal(settlement().costNanoUsd, 0n);
    assert.equal(settlement().attempts, tries);
  });
}

test("treats DashScope's insufficient_quota as a rate limit", async () => {
  upstream.script = (_, response) =>
    sendJson(response, 429, { error: { message: "quota", code: "insufficient_quota" } });
  assert.equal((await harness.call(operation, chat({ model: "qwen" }))).status, 429);
  assert.equal(upstream.received[0]?.path, "/compatible-mode/v1/chat/completions");
});

test("reports the upstream's retry delay to the client", async () => {
  upstream.script = (_, response) => sendJson(response, 429, { error: { message: "x" } }, { "retry-after": "17" });
  const response = await harness.call(operation, chat());
  assert.equal(response.header("retry-after"), "17");
  assert.equal(upstream.received.length, 1, "too long to wait for");
});

test("falls back to another upstream, and counts both calls", async () => {
  upstream.script = (_, response) => sendJson(response, 500, "no");
  const response = await harness.call(operation, chat({ model: "two-homes" }));
  assert.equal(response.status, 200);
  assert.equal(response.header("x-gateway-attempts"), "2");
  assert.equal(settlement().upstream, "two");
  assert.equal(second.received[0]?.headers.authorization, "Bearer sk-upstream-secret-two");
});

test("retries a stream that breaks before its first event at another upstream, but not one that breaks later", async () => {
  upstream.script = (_, response) => {
    startEvents(response);
    response.flushHeaders();
    response.destroy();
  };
  second.script = (_, response) => {
    startEvents(response);
    response.write(chunk({ content: "Once upon a time there was" }), () => response.destroy());
  };
  const response = await harness.call(operation, chat({ model: "two-homes", stream: true }));
  assert.equal(response.header("x-gateway-attempts"), "2");
  assert.equal(upstream.received.length, 1);
  assert.equal(second.received.length, 1);
  assert.ok(response.text.startsWith(chunk({ content: "Once upon a time there was" })));
  assert.match(
    response.text,
    /data: \{"error":\{"message":.*"upstream_error".*\}\}\n\n<cut: link failed: upstream_error>$/,
  );
  assert.doesNotMatch(response.text, /DONE/);
  assert.equal(settlement().pricing, Pricing.ESTIMATED);
  assert.deepEqual(
    settlement().units.map(({ name }) => name),
    ["input_tokens", "output_tokens"],
  );
  assert.equal(settlement().units[1]?.quantity, 6n);
  const failures = settlement().failedAttempts.map(({ upstream: name, midStream, failure }) => [
    name,
    midStream,
    failure,
  ]);
  assert.deepEqual(failures, [
    ["one", false, "transient"],
    ["two", true, "transient"],
  ]);
  assert.equal(settlement().errorCode, "upstream_error");
});

test("the record of a failed request has the client's error code and, of each call, the provider's code, message and request id", async () => {
  const key = "sk-upstream-secret-one";
  const error = { message: `Incorrect API key provided: ${key}. ${"x".repeat(500)}`, code: "invalid_api_key" };
  upstream.script = (_, response) => sendJson(response, 401, { error }, { "x-request-id": "req_of_the_provider" });
  await harness.call(operation, chat());
  const { errorCode, failedAttempts } = settlement();
  assert.equal(errorCode, "upstream_error");
  const [attempt] = failedAttempts;
  assert.deepEqual(
    [attempt?.failure, attempt?.status, attempt?.code, attempt?.upstreamRequestId, attempt?.midStream],
    ["operator", 401, "invalid_api_key", "req_of_the_provider", false],
  );
  assert.match(attempt?.message ?? "", /^Incorrect API key provided: \[redacted\]\. x+$/);
  assert.equal(attempt?.message?.length, 300);
});

test("reports an error event in mid-stream once, with the upstream's message only if it concerns the request", async () => {
  upstream.script = (_, response) => {
    startEvents(response);
    response.end(
      `${chunk({ content: "Hi" })}data: {"error":{"message":"boom at ${upstream.url}","type":"server_error"}}\n\n${done}`,
    );
  };
  const response = await harness.call(operation, chat({ stream: true }));
  assert.equal(response.text.match(/"error"/g)?.length, 1);
  assert.doesNotMatch(response.text, /boom|127\.0\.0\.1|DONE/);
  assert.equal(settlement().pricing, Pricing.ESTIMATED);
});

test("a stream without its terminator is broken, even if it looks complete", async () => {
  upstream.script = (_, response) => {
    startEvents(response);
    response.end(
      chunk({ content: "Hi" }) + chunk({}, { choices: [{ index: 0, delta: {}, finish_reason: "stop" }] }) + usageChunk,
    );
  };
  const response = await harness.call(operation, chat({ stream: true }));
  assert.match(response.text, /"error"/);
  assert.equal(settlement().costNanoUsd, 20_000n, "bills the received usage");
});

test("bills a stream without usage by its text, and marks it as estimated", async () => {
  upstream.script = (_, response) => {
    startEvents(response);
    response.end(chunk({ content: "The quick brown fox " }) + chunk({ content: "jumps over the lazy dog." }) + done);
  };
  const response = await harness.call(operation, chat({ stream: true }));
  assert.ok(response.text.endsWith(done));
  assert.equal(settlement().outcome, Outcome.COMPLETED);
  assert.equal(settlement().pricing, Pricing.ESTIMATED);
  assert.equal(settlement().units[1]?.quantity, 10n);
});

test("bills a non-streamed response without usage by its text, and marks it as estimated", async () => {
  const { usage: _, ...rest } = completion;
  upstream.script = (_, response) => sendJson(response, 200, rest);
  assert.equal((await harness.call(operation, chat())).status, 200);
  assert.equal(settlement().pricing, Pricing.ESTIMATED);
  assert.equal(settlement().units[1]?.quantity, 3n);
});

test("counts only the last usage when chunks report it repeatedly", async () => {
  const running = (completionTokens: number) =>
    chunk({ content: "a" }, { usage: { prompt_tokens: 10, completion_tokens: completionTokens } });
  upstream.script = (_, response) => {
    startEvents(response);
    response.end(running(1) + running(2) + running(3) + done);
  };
  await harness.call(operation, chat({ stream: true }));
  assert.equal(settlement().units[1]?.quantity, 3n);
});

test("passes unusual chunks of compatible vendors unchanged", async () => {
  const odd = [
    'data:{"choices":[{"delta":{"tool_calls":[{"id":"","function":{"name":"f","arguments":"{}"}}]}}]}\r\n\r\n',
    'event: message\ndata: {"choices":[]}\n\n',
  ].join("");
  upstream.script = (_, response) => {
    startEvents(response);
    response.end(`${odd}data:[DONE]\n\n`);
  };
  assert.equal((await harness.call(operation, chat({ stream: true }))).text, odd + done);
});

test("a client that disconnects ends the upstream call at once and is billed for the delivered part", async () => {
  const gone = Promise.withResolvers<void>();
  upstream.script = (requested, response) => {
    startEvents(response);
    response.write(chunk({ content: "The quick brown fox jumps over the lazy dog." }));
    void requested.left.then(gone.resolve);
  };
  const stream = harness.open(operation, JSON.stringify(chat({ stream: true })));
  for await (const _ of stream) break;
  using watch = new Stopwatch();
  await gone.promise;
  assert.ok(watch.ms < 1_000, `${watch.ms} ms`);
  await waitFor(() => last()?.settlement !== undefined, { what: "the settlement" });
  assert.equal(settlement().outcome, Outcome.DISCONNECTED);
  assert.equal(settlement().pricing, Pricing.ESTIMATED);
  assert.equal(settlement().units[1]?.quantity, 10n);
  assert.ok(settlement().costNanoUsd < (last()?.request.holdNanoUsd ?? 0n));
});

test("a client that disconnects from a non-streamed response pays the upstream's final count, and its permit is released", async () => {
  const opened = Promise.withResolvers<ServerResponse>();
  upstream.script = (_, response) => opened.resolve(response);
  const stream = harness.open(operation, JSON.stringify(chat()));
  const response = await opened.promise;
  stream.call.cancel("the client disconnected");
  await waitFor(() => last()?.left === true, { what: "the permit to be released" });
  assert.equal(last()?.settlement, undefined, "the hold remains until the upstream's count");
  sendJson(response, 200, completion);
  await waitFor(() => last()?.settlement !== undefined, { what: "the settlement" });
  const { outcome, settlementRule, pricing, costNanoUsd } = settlement();
  assert.deepEqual(
    [outcome, settlementRule, pricing, costNanoUsd],
    [Outcome.DISCONNECTED, SettlementRule.DRAINED, Pricing.EXACT, 20_000n],
  );
});

test("bills invisible thinking by the upstream's count, even after an early disconnect", async () => {
  const thought = {
    prompt_tokens: 10,
    completion_tokens: 8_001,
    completion_tokens_details: { reasoning_tokens: 8_000 },
  };
  const goOn = Promise.withResolvers<void>();
  upstream.script = async (_, response) => {
    startEvents(response);
    response.write(chunk({ content: "Hi" }));
    await goOn.promise;
    response.end(chunk({}, { choices: [], usage: thought }) + done);
  };
  const stream = harness.open(operation, JSON.stringify(chat({ model: "thinker", stream: true })));
  for await (const _ of stream) break;
  await waitFor(() => last()?.left === true, { what: "the permit to be released" });
  goOn.resolve();
  await waitFor(() => last()?.settlement !== undefined, { what: "the settlement" });
  assert.equal(settlement().settlementRule, SettlementRule.DRAINED);
  assert.equal(settlement().units.find(({ name }) => name === "output_tokens")?.quantity, 8_001n);
});

test("a client that disconnects before a stream's first byte pays at least for the prompt", async () => {
  const requested = Promise.withResolvers<void>();
  upstream.script = ({ left }) => void left.then(requested.resolve);
  // Too short to be read from a cache, whose usage only the upstream reports.
  const content = "word ".repeat(150);
  const body = chat({ stream: true, messages: [{ role: "user", content }] });
  const stream = harness.open(operation, JSON.stringify(body));
  await waitFor(() => upstream.received.length === 1, { what: "the upstream call" });
  stream.call.cancel("the client disconnected");
  await requested.promise;
  await waitFor(() => last()?.settlement !== undefined, { what: "the settlement" });
  const { outcome, settlementRule, pricing, units } = settlement();
  assert.deepEqual(
    [outcome, settlementRule, pricing],
    [Outcome.DISCONNECTED, SettlementRule.ABORTED_ESTIMATE, Pricing.ESTIMATED],
  );
  assert.ok((units[0]?.quantity ?? 0n) >= 150n, String(units[0]?.quantity));
  assert.ok(settlement().costNanoUsd < (last()?.request.holdNanoUsd ?? 0n));
});

test("reads an upstream that continues after a disconnect to its end, and bills its full usage", async () => {
  const goOn = Promise.withResolvers<void>();
  upstream.script = async (_, response) => {
    startEvents(response);
    response.write(chunk({ content: "Hi" }));
    await goOn.promise;
    // More than fits into the buffers of a client that does not read.
    for (let n = 0; n < 40; n++) response.write(chunk({ content: "x".repeat(16_000) }));
    response.end(usageChunk + done);
  };
  const stream = harness.open(operation, JSON.stringify(chat({ model: "qwen", stream: true })));
  for await (const _ of stream) break;
  goOn.resolve();
  await waitFor(() => last()?.settlement !== undefined, { what: "the settlement" });
  assert.deepEqual([settlement().settlementRule, settlement().costNanoUsd], [SettlementRule.DRAINED, 20_000n]);
});

test("a call that fails after its client disconnected costs nothing", async () => {
  const opened = Promise.withResolvers<ServerResponse>();
  upstream.script = (_, response) => opened.resolve(response);
  const stream = harness.open(operation, JSON.stringify(chat()));
  const response = await opened.promise;
  stream.call.cancel("the client disconnected");
  await waitFor(() => last()?.left === true, { what: "the permit to be released" });
  sendJson(response, 500, { error: { message: "oops" } });
  await waitFor(() => last()?.settlement !== undefined, { what: "the settlement" });
  assert.deepEqual([settlement().settlementRule, settlement().costNanoUsd], [SettlementRule.NOTHING_OWED, 0n]);
  assert.equal(upstream.received.length, 1, "no retry for a disconnected client");
});

test("a client that disconnects before an upstream is reached pays nothing", async () => {
  await harness[Symbol.asyncDispose]();
  harness = await startChat({ catalog: catalogOf(upstream.url) });
  const stream = harness.open(operation, JSON.stringify(chat({ model: "nowhere" })));
  await waitFor(() => last() !== undefined, { what: "admission" });
  stream.call.cancel("the client disconnected");
  await waitFor(() => last()?.settlement !== undefined, { what: "the settlement" });
  assert.deepEqual([settlement().settlementRule, settlement().costNanoUsd], [SettlementRule.NOTHING_OWED, 0n]);
});

for (const [what, limits] of [
  ["too many calls are being drained", { atOnce: 0 }],
  ["it exceeds the time limit", { maxMs: 50 }],
] as const) {
  test(`bills a call that cannot be drained by the upper bound of its output: ${what}`, async () => {
    await harness[Symbol.asyncDispose]();
    harness = await startChat({ catalog: catalogOf(upstream.url, second.url), drains: new Drains(limits) });
    const gone = Promise.withResolvers<void>();
    upstream.script = ({ left }) => void left.then(gone.resolve);
    const stream = harness.open(operation, JSON.stringify(chat({ max_tokens: 1_000 })));
    await waitFor(() => upstream.received.length === 1, { what: "the upstream call" });
    stream.call.cancel("the client disconnected");
    await gone.promise;
    await checkUpperBound(1_000n);
  });
}

async function checkUpperBound(outputTokens: bigint): Promise<void> {
  await waitFor(() => last()?.settlement !== undefined, { what: "the settlement" });
  const { outcome, settlementRule, pricing, units, costNanoUsd } = settlement();
  assert.deepEqual(
    [outcome, settlementRule, pricing],
    [Outcome.DISCONNECTED, SettlementRule.UPPER_BOUND, Pricing.ESTIMATED],
  );
  assert.equal(units.find(({ name }) => name === "output_tokens")?.quantity, outputTokens);
  assert.ok(costNanoUsd <= (last()?.request.holdNanoUsd ?? 0n));
}

for (const model of ["plain", "thinker"] as const) {
  const isStream = model === "thinker";
  test(`bills a ${isStream ? "stream with hidden thinking" : "response"} that breaks while it is drained by its upper bound`, async () => {
    const opened = Promise.withResolvers<ServerResponse>();
    upstream.script = (_, response) => {
      if (isStream) {
        startEvents(response);
        response.write(chunk({ role: "assistant", content: "" }));
      }
      opened.resolve(response);
    };
    const body = chat({ model, stream: isStream, max_completion_tokens: 1_000 });
    const stream = harness.open(operation, JSON.stringify(body));
    const response = await opened.promise;
    if (isStream) for await (const _ of stream) break;
    else stream.call.cancel("the client disconnected");
    await waitFor(() => last()?.left === true, { what: "the permit to be released" });
    response.destroy();
    await checkUpperBound(1_000n);
    assert.equal(upstream.received.length, 1, "no retry for a disconnected client");
  });
}

for (const [what, end] of [
  ["is cut off", ""],
  ["ends with an error of its provider", 'data: {"error":{"message":"overloaded","type":"server_error"}}\n\n'],
] as const) {
  for (const text of ["", "Hello"]) {
    test(`a stream that ${what} after ${text === "" ? "no" : "some"} text, with its client connected, is billed for hidden thinking by its upper bound`, async () => {
      upstream.script = (_, response) => {
        startEvents(response);
        response.end(chunk({ role: "assistant", content: text }) + end);
      };
      const response = await harness.call(operation, chat({ model: "thinker", stream: true }));
      assert.notEqual(response.broken, undefined, response.text);
      const { outcome, settlementRule, units, costNanoUsd } = settlement();
      assert.deepEqual([outcome, settlementRule], [Outcome.FAILED, SettlementRule.UPPER_BOUND]);
      assert.equal(units.find(({ name }) => name === "output_tokens")?.quantity, 1_000n);
      assert.ok(costNanoUsd <= (last()?.request.holdNanoUsd ?? 0n));
      assert.equal(upstream.received.length, 1, "the call is not retried");
    });
  }
}

test("a stream whose output is all visible and that is cut off before any text costs nothing", async () => {
  upstream.script = (_, response) => {
    startEvents(response);
    response.end(chunk({ role: "assistant", content: "" }));
  };
  const response = await harness.call(operation, chat({ stream: true }));
  assert.notEqual(response.broken, undefined, response.text);
  assert.deepEqual([settlement().settlementRule, settlement().costNanoUsd], [SettlementRule.NOTHING_OWED, 0n]);
});

for (const [model, isUpperBound, output] of [
  ["thinker", true, 1_000n],
  ["plain", false, 500n],
] as const) {
  test(`a checkpoint bills ${isUpperBound ? "hidden thinking by its upper bound" : "what is delivered"}, at most the hold`, async () => {
    upstream.script = (_, response) => {
      startEvents(response);
      // The padding counts as no output, and makes the checkpoint due.
      response.write(chunk({ role: "assistant", content: "x".repeat(2_000) }));
      response.write(chunk({ content: "" }, { padding: "x".repeat(70_000) }));
    };
    const stream = harness.open(operation, JSON.stringify(chat({ model, stream: true })));
    await waitFor(() => (last()?.checkpoints.length ?? 0) >= 1, { what: "a checkpoint" });
    stream.call.cancel("enough");
    const [checkpoint] = last()?.checkpoints ?? [];
    assert.equal(checkpoint?.isUpperBound, isUpperBound);
    assert.equal(checkpoint?.units.find(({ name }) => name === "output_tokens")?.quantity, output);
    assert.ok(checkpoint.costNanoUsd <= (last()?.request.holdNanoUsd ?? 0n));
    await waitFor(() => last()?.settlement !== undefined, { what: "the settlement" });
  });
}

test("a checkpoint of a longer response than the request may have costs at most its hold", async () => {
  upstream.script = (_, response) => {
    startEvents(response);
    response.write(chunk({ role: "assistant", content: "x".repeat(70_000) }));
  };
  const stream = harness.open(operation, JSON.stringify(chat({ stream: true })));
  await waitFor(() => (last()?.checkpoints.length ?? 0) >= 1, { what: "a checkpoint" });
  stream.call.cancel("enough");
  const { costNanoUsd = 0n, units } = last()?.checkpoints[0] ?? {};
  assert.ok(costNanoUsd <= (last()?.request.holdNanoUsd ?? 0n), `${costNanoUsd} nano-USD`);
  assert.equal(units?.find(({ name }) => name === "output_tokens")?.quantity, 1_000n);
  await waitFor(() => last()?.settlement !== undefined, { what: "the settlement" });
});

test("for a reasoning model ignores sampling fields of any value, and sends the cap under its new name", async () => {
  const body = chat({
    model: "thinker",
    temperature: "warm",
    top_p: 7,
    stop: 3,
    frequency_penalty: 9,
    presence_penalty: -9,
    logit_bias: [],
    logprobs: "yes",
    top_logprobs: 99,
    modalities: "x",
    audio: 1,
    prediction: 2,
    max_tokens: 50,
    reasoning_effort: "low",
  });
  assert.equal((await harness.call(operation, body)).status, 200);
  const sent = upstream.received[0]?.json ?? {};
  assert.deepEqual(Object.keys(sent).sort(), ["max_completion_tokens", "messages", "model", "reasoning_effort"]);
  assert.equal(sent["max_completion_tokens"], 50);
});

test("tools given as strings reach the upstream as objects", async () => {
  const tool = '{"type":"function","function":{"name":"f","parameters":{"minimum":9007199254740993}}}';
  await harness.call(operation, chat({ tools: [tool, { type: "function", function: { name: "g" } }] }));
  assert.ok(upstream.received[0]?.text.includes(`"tools":[${tool},{"type":"function","function":{"name":"g"}}]`));
});

test("uses the last of duplicate keys, here and at the upstream", async () => {
  await harness.call(operation, '{"model":"image-only","messages":[{"role":"user","content":"x"}],"model":"plain"}');
  assert.equal(upstream.received[0]?.text, '{"messages":[{"role":"user","content":"x"}],"model":"plain"}');
});

const refused: [what: string, body: unknown, status: number, code: string, param: string | null, models?: string[]][] =
  [
    ["no body", "", 422, "invalid_json", null],
    ["half an object", "{", 422, "invalid_json", null],
    ["a raw line break in a string", '{"model":"pl\nain"}', 422, "invalid_json", null],
    ["trailing garbage", `${JSON.stringify(chat())} x`, 422, "invalid_json", null],
    ["invalid UTF-8", Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), 422, "invalid_json", null],
    [
      "half a character",
      '{"model":"plain","messages":[{"role":"user","content":"\\ud800"}]}',
      422,
      "invalid_json",
      null,
    ],
    ["null", "null", 400, "invalid_request", null],
    ["a list", "[]", 400, "invalid_request", null],
    ["text", '"text"', 400, "invalid_request", null],
    [
      "a number beyond doubles",
      '{"model":"plain","messages":[{"role":"user","content":"x"}],"temperature":1e400}',
      400,
      "invalid_request",
      null,
    ],
    [
      "65 levels",
      `{"model":"plain","messages":[{"role":"user","content":"x"}],"x":${"[".repeat(64)}${"]".repeat(64)}}`,
      400,
      "invalid_request",
      "x",
    ],
    ["an unknown model", chat({ model: "gpt-99" }), 400, "model_not_found", "model"],
    ["a model the key may not use", chat(), 400, "model_not_found", "model", ["other*"]],
    ["a model of another endpoint", chat({ model: "image-only" }), 400, "endpoint_model_mismatch", "model"],
    ["no model", { messages: [] }, 400, "invalid_request", "model"],
  ];
for (const [what, body, status, code, param, models] of refused) {
  test(`rejects before admission: ${what}`, async () => {
    const response = await harness.call(operation, body, models === undefined ? {} : { models });
    assert.equal(response.status, status);
    const { error } = response.json() as { error: { code: string; param: unknown; message: string; type: string } };
    assert.equal(error.code, code);
    assert.equal(error.param, param);
    assert.equal(harness.admission.booked.length, 0);
    assert.equal(upstream.received.length, 0);
    assert.equal(({} as Record<string, unknown>)["x"], undefined);
  });
}

test("holds for a field that its provider declares free as if it were not there, and for any other as the worst case", async () => {
  const holdOf = async (model: string, fields: Record<string, unknown> = {}): Promise<bigint> => {
    assert.equal((await harness.call(operation, chat({ model, max_tokens: 10, ...fields }))).status, 200);
    return last()?.request.holdNanoUsd ?? 0n;
  };
  const plain = await holdOf("turbine");
  const bytes = 1_000n * BigInt(Buffer.byteLength(',"turbo":1'));
  assert.equal(await holdOf("turbine", { turbo: 1 }), plain + bytes);
  const worstCase = 100_000n * 1_000n;
  assert.ok((await holdOf("turbine", { turbo: 1, other: 1 })) >= worstCase);
  assert.ok((await holdOf("plain", { turbo: 1 })) >= worstCase);
  assert.ok((await holdOf("turbine-elsewhere", { turbo: 1 })) >= worstCase, "one of its providers does not declare it");
});

test("lists a misspelled field in a header of the response and of an error", async () => {
  const served = await harness.call(operation, chat({ temprature: 1 }));
  const expected = "unknown fields: temprature (did you mean temperature?)";
  assert.deepEqual([served.status, served.header("x-gateway-warnings")], [200, expected]);
  const refused = await harness.call(operation, { model: "plain", message: [] });
  const meant = "unknown fields: message (did you mean messages?)";
  assert.deepEqual([refused.status, refused.header("x-gateway-warnings")], [400, meant]);
});

test("a refused hold names the field that makes it smaller, and how many tokens it reserves", async () => {
  harness.admission.onAdmit = () => {
    throw new GatewayError("insufficient_balance", "Too expensive.", { cause: { availableNanoUsd: 0n } });
  };
  const messageOf = async (body: object): Promise<string> => {
    const response = await harness.call(operation, body);
    assert.equal(response.status, 402);
    return (response.json() as { error: { message: string } }).error.message;
  };
  const { max_tokens: _, ...uncapped } = chat();
  assert.match(
    await messageOf(uncapped),
    /^Too expensive\. Without max_tokens it reserves the model's longest output, [\d,]+ tokens: send a smaller max_tokens\.$/,
  );
  assert.equal(
    await messageOf(chat({ max_tokens: 5_000 })),
    "Too expensive. It reserves max_tokens, 5,000 tokens: send a smaller max_tokens.",
  );
});

test("accepts keys named like Object's own members", async () => {
  const body =
    '{"__proto__":{"x":1},"constructor":{"prototype":{"x":1}},"logit_bias":{"toString":5},"model":"plain","messages":[{"role":"user","content":"x","__proto__":{"role":"tool"}}]}';
  assert.equal((await harness.call(operation, body)).status, 200);
  assert.equal(({} as Record<string, unknown>)["x"], undefined);
  assert.equal(upstream.received[0]?.text, body);
});

test("responds 503 after three attempts at an unreachable upstream, and releases the hold", async () => {
  harness = await (async () => {
    await harness[Symbol.asyncDispose]();
    return await startChat({ catalog: catalogOf(upstream.url) });
  })();
  const response = await harness.call(operation, chat({ model: "nowhere" }));
  assert.equal(response.status, 503);
  assert.equal(response.header("retry-after"), "1");
  assert.equal(settlement().upstream, "");
  assert.equal(settlement().attempts, 3);
});

for (const [what, fields] of [
  ["web_search_options", { web_search_options: {} }],
  ["enable_search", { enable_search: true }],
  ["search_parameters", { search_parameters: { mode: "auto" } }],
  ["builtin_function", { tools: [{ type: "builtin_function", function: { name: "$web_search" } }] }],
  ["web_search", { tools: ['{"type":"web_search"}'] }],
  ["mcp", { tools: [{ type: "mcp", server_url: "https://x.test" }] }],
] as const) {
  test(`rejects a provider-side tool without a price by name: ${what}`, async () => {
    const response = await harness.call(operation, chat(fields));
    assert.equal(response.status, 400, response.text);
    const { message } = response.json()["error"] as { message: string };
    assert.ok(message.includes(what) && message.endsWith("this model has no price for it."), message);
    assert.deepEqual([upstream.received.length, harness.admission.booked.length], [0, 0]);
  });
}

test("accepts empty fields of such tools", async () => {
  const fields = { enable_search: false, search_parameters: { mode: "off" }, web_search_options: null };
  assert.equal((await harness.call(operation, chat(fields))).status, 200);
});
