import assert from "node:assert/strict";
import { test } from "node:test";
import { Pricing } from "@uag/proto/metering/v1/usage.ts";
import { sendJson } from "./fixtures.ts";
import { chatForEachTest } from "./support.ts";

const model = "gemini-3-flash-preview";
const catalog = (url: string): string => `
providers:
  gemini: { protocol: gemini, base_url: "${url}", api_key: sk-upstream-secret }
  probable: { protocol: gemini, base_url: "${url}", api_key: sk-upstream-secret, openai_options: [logprobs] }
models:
  - &m
    id: ${model}
    owned_by: o
    created: 0
    operations: [messages, chat.completions, responses]
    context_tokens: 100000
    max_output_tokens: 1000
    price: { input_tokens: 1, output_tokens: 2 }
    upstreams: [{ provider: gemini }]
  - { <<: *m, id: gemini-2.0-flash, upstreams: [{ provider: probable }] }
`;
const chat = chatForEachTest(catalog);
type Json = Record<string, unknown>;
const turns = [{ role: "user", content: "Hi" }];
const formats = {
  messages: { model, max_tokens: 100, messages: turns },
  "chat.completions": { model, messages: turns },
  responses: { model, input: "Hi" },
} as const;
type Format = keyof typeof formats;
const names = Object.keys(formats) as Format[];

const settlement = () => chat.harness.admission.booked.at(-1)?.settlement ?? assert.fail("nothing was settled");
const usageMetadata = { promptTokenCount: 30, candidatesTokenCount: 4, thoughtsTokenCount: 6, totalTokenCount: 40 };
const cost = 30n * 1_000n + 10n * 2_000n;
const ask = (format: Format, more: Json = {}) => chat.harness.call(format, { ...formats[format], ...more });

/** Serves these events, as one body if the client did not ask for a stream. */
function serve(...responses: readonly Json[]): void {
  chat.upstream.script = (request, response) => {
    if (!request.path.includes("alt=sse")) {
      const candidates = responses.flatMap(({ candidates: some }) => (some ?? []) as Json[]);
      const parts = candidates.flatMap(({ content }) => ((content as Json | undefined)?.["parts"] ?? []) as Json[]);
      const candidate = { ...candidates.at(-1), content: { role: "model", parts } };
      sendJson(response, 200, { ...responses.at(-1), ...(candidates.length > 0 && { candidates: [candidate] }) });
      return;
    }
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(responses.map((data) => `data: ${JSON.stringify(data)}\r\n\r\n`).join(""));
  };
}

const said = (...parts: readonly Json[]): Json => ({ candidates: [{ content: { role: "model", parts } }] });
const ended = (finishReason: string, more: Json = {}): Json => ({
  candidates: [{ finishReason, ...more }],
  usageMetadata,
});

/** How a response ended, for a client of the format. */
function endOf(format: Format, body: string): unknown {
  if (format === "responses") return /"status":"(incomplete)"/.exec(body)?.[1] ?? "completed";
  return [...body.matchAll(/"(?:finish|stop)_reason":"(\w+)"/g)].at(-1)?.[1];
}
const refused = {
  messages: "refusal",
  "chat.completions": "content_filter",
  responses: "incomplete",
};
const called = { messages: "tool_use", "chat.completions": "tool_calls", responses: "completed" };

const abnormal = [
  "MALFORMED_FUNCTION_CALL",
  "UNEXPECTED_TOOL_CALL",
  "TOO_MANY_TOOL_CALLS",
  "MISSING_THOUGHT_SIGNATURE",
  "MALFORMED_RESPONSE",
  "OTHER",
  "LANGUAGE",
  "MODEL_ARMOR",
  "SAFETY",
  "IMAGE_OTHER",
  "NO_IMAGE",
  "A_REASON_OF_TOMORROW",
];

for (const format of names) {
  for (const stream of [false, true]) {
    const how = `${format}, ${stream ? "streamed" : "whole"}`;

    test(`delivers and bills a response that ended abnormally, after one call (${how})`, async () => {
      for (const reason of abnormal) {
        chat.upstream.received.length = 0;
        serve(said({ text: "Let me see." }), ended(reason, { finishMessage: "Malformed call: print(x)" }));
        const response = await ask(format, { stream });
        assert.equal(response.status, 200, reason);
        assert.match(response.text, /Let me see\./, reason);
        assert.match(response.text, new RegExp(`The provider ended the response: ${reason}\\. Malformed call`));
        assert.equal(endOf(format, response.text), refused[format], reason);
        assert.equal(chat.upstream.received.length, 1, reason);
        assert.deepEqual([settlement().costNanoUsd, settlement().pricing], [cost, Pricing.EXACT], reason);
      }
    });

    test(`bills an abnormal end without content by its usage (${how})`, async () => {
      serve(ended("MALFORMED_FUNCTION_CALL", { content: {} }));
      const response = await ask(format, { stream });
      assert.deepEqual([response.status, chat.upstream.received.length], [200, 1]);
      assert.match(response.text, /The provider ended the response: MALFORMED_FUNCTION_CALL\./);
      assert.equal(settlement().costNanoUsd, cost);
    });

    test(`shows a blocked prompt as refused, whatever the reason (${how})`, async () => {
      for (const blockReason of ["MODEL_ARMOR", "JAILBREAK"]) {
        serve({ promptFeedback: { blockReason, blockReasonMessage: "By policy." }, usageMetadata });
        const response = await ask(format, { stream });
        assert.match(response.text, new RegExp(`blocked the prompt: ${blockReason}\\. By policy\\.`));
        assert.equal(endOf(format, response.text), refused[format]);
      }
    });

    test(`assembles the input of a call that arrives value by value (${how})`, async () => {
      const more = (path: string, value: Json) =>
        said({ functionCall: { partialArgs: [{ jsonPath: path, ...value }], willContinue: true } });
      serve(
        said({ functionCall: { name: "add", willContinue: true }, thoughtSignature: "c2ln" }),
        more("$.items[0].name", { stringValue: "app", willContinue: true }),
        more("$.items[0].name", { stringValue: "le" }),
        more("$.items[0].price", { numberValue: 0.5 }),
        more("$.items[1]['in stock']", { boolValue: true }),
        said({ functionCall: {} }),
        said({ functionCall: { name: "list", args: { all: true } } }),
        said({ functionCall: { name: "open", willContinue: true } }),
        more("$.id", { stringValue: "A" }),
        ended("STOP"),
      );
      const response = await ask(format, { stream });
      const text = response.text.replaceAll("\\", "");
      assert.match(text, /{"items":\[{"name":"apple","price":0.5},{"in stock":true}\]}/);
      assert.match(text, /{"all":true}/);
      assert.match(text, /{"id":"A"}/);
      assert.equal(endOf(format, response.text), called[format]);
    });
  }
}

test("treats a body without a finish reason as complete, with its calls", async () => {
  serve({ ...said({ text: "Hm." }, { functionCall: { name: "roll", args: {} } }), usageMetadata });
  const response = await ask("chat.completions");
  assert.equal(endOf("chat.completions", response.text), "tool_calls");
  assert.equal(settlement().costNanoUsd, cost);
});

test("bills a body without a candidate that reports usage, after one call", async () => {
  serve({ usageMetadata });
  const response = await ask("chat.completions");
  assert.deepEqual([response.status, chat.upstream.received.length, settlement().costNanoUsd], [200, 1, cost]);
  assert.equal(endOf("chat.completions", response.text), "content_filter");
});

const signature = "c2lnbmF0dXJl+/8=";

/** The conversation that a client of the format sends after a response. */
const nextTurn: Readonly<Record<Format, (response: Json) => Json>> = {
  messages: ({ content }) => ({
    messages: [...turns, { role: "assistant", content }, { role: "user", content: "And?" }],
  }),
  "chat.completions": ({ choices }) => ({
    messages: [...turns, (choices as [Json])[0]["message"], { role: "user", content: "And?" }],
  }),
  responses: ({ output }) => ({
    input: [{ role: "user", content: "Hi" }, ...(output as Json[]), { role: "user", content: "And?" }],
  }),
};

for (const format of names) {
  test(`returns a text's thought signature to the client and back to Gemini with the text (${format})`, async () => {
    serve(
      said({ text: "Hm.", thought: true }),
      { ...said({ text: "Hello.", thoughtSignature: signature }) },
      ended("STOP"),
    );
    const response = await ask(format);
    serve(said({ text: "Bye." }), ended("STOP"));
    assert.equal((await ask(format, nextTurn[format](response.json() as Json))).status, 200);
    const sent = chat.upstream.received.at(-1)?.json["contents"] as Json[];
    assert.deepEqual(sent[1], { role: "model", parts: [{ text: "Hello.", thoughtSignature: signature }] });
  });

  test(`delivers a thought signature that follows the text of a stream (${format})`, async () => {
    serve(said({ text: "Hello." }), said({ text: "", thoughtSignature: signature }), ended("STOP"));
    const { text } = await ask(format, { stream: true });
    const sealed = [...text.matchAll(/"encrypted_content":"([\w-]+)"/g)].map(([, seal = ""]) => seal);
    const opened = sealed.map((seal) => Buffer.from(seal, "base64url").toString()).join("");
    assert.ok(text.includes(signature) || opened.includes(signature), text);
  });
}

const chosen = { token: "Hé", tokenId: 5, logProbability: -0.25 };
const probability = { token: "Hé", bytes: [72, 195, 169], logprob: -0.25 };
const expected = [{ ...probability, top_logprobs: [probability] }];
const probableText = (more: Json): Json => ({
  candidates: [
    {
      content: { role: "model", parts: [{ text: "Hé" }] },
      logprobsResult: { chosenCandidates: [chosen], topCandidates: [{ candidates: [chosen] }] },
      index: 0,
      ...more,
    },
  ],
});

for (const stream of [false, true])
  test(`returns Gemini's log probabilities in OpenAI's form ${stream ? "with the chunk of their text" : "in the choice"}`, async () => {
    serve({ ...probableText({ finishReason: "STOP" }), usageMetadata });
    const fields = { model: "gemini-2.0-flash", logprobs: true, top_logprobs: 1, stream };
    const { status, text } = await ask("chat.completions", fields);
    assert.equal(status, 200);
    assert.deepEqual(chat.upstream.received[0]?.json["generationConfig"], { responseLogprobs: true, logprobs: 1 });
    assert.ok(text.includes(`"logprobs":${JSON.stringify({ content: expected, refusal: null })}`), text);
  });

test("requests no log probabilities from a provider that does not declare them", async () => {
  serve({ ...probableText({ finishReason: "STOP" }), usageMetadata });
  assert.equal((await ask("chat.completions", { logprobs: true, top_logprobs: 1 })).status, 200);
  assert.equal(chat.upstream.received[0]?.json["generationConfig"], undefined);
});
