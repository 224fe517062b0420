import assert from "node:assert/strict";
import { test } from "node:test";
import { EventStreamCodec } from "@smithy/eventstream-codec";
import type { Upstream } from "@uag/catalog/types";
import { firstUpstream, testCall, testModel } from "../../test/support.ts";
import type { UpstreamFailure } from "../failure.ts";
import { chatFormat } from "../formats/chat/format.ts";
import { geminiFormat } from "../formats/gemini/format.ts";
import { messagesFormat } from "../formats/messages/format.ts";
import { responsesFormat } from "../formats/responses/format.ts";
import type { HttpResponse } from "../http/call.ts";
import type { BodySink } from "../http/response-body.ts";
import { generationAdapter } from "../registry.ts";
import { bedrockOwnModels } from "./own-models.ts";

const formats = [chatFormat, messagesFormat, responsesFormat, geminiFormat];
const model = testModel("", "bedrock");
const claude: Upstream = { ...firstUpstream(model), model: "us.anthropic.claude-haiku-4-5-20251001-v1:0" };
const { signal } = new AbortController();
const body = {
  model: "m",
  max_tokens: 10,
  messages: [{ role: "user", content: "Hi" }],
  input: "Hi",
  contents: [{ role: "user", parts: [{ text: "Hi" }] }],
};
const adapterOf = (format: (typeof formats)[number], upstream = claude) =>
  generationAdapter(format, upstream) ?? assert.fail();
const encoded = async (format: (typeof formats)[number], more: object = {}, headers = ["anthropic-beta", "b-1, b-2"]) =>
  await adapterOf(format).encode(testCall(JSON.stringify({ ...body, ...more }), model, { headers }), claude, signal);
const named = (headers: readonly string[], name: string) => headers[headers.indexOf(name) + 1];

test("Claude is invoked by its id in the path, with version and without model and stream in the body", async () => {
  for (const format of formats) {
    const path = "/model/us.anthropic.claude-haiku-4-5-20251001-v1%3A0";
    for (const stream of [false, true]) {
      const call = await encoded(format, stream ? { stream } : {});
      assert.equal(call.path, `${path}/${stream ? "invoke-with-response-stream" : "invoke"}`);
      const sent = JSON.parse(call.body.toString()) as Record<string, unknown>;
      assert.deepEqual(
        [sent["anthropic_version"], "model" in sent, "stream" in sent],
        ["bedrock-2023-05-31", false, false],
      );
      assert.equal(named(call.headers, "authorization"), "Bearer sk-secret-key");
      assert.ok(!call.headers.some((name) => name === "x-api-key" || name.startsWith("anthropic-")));
    }
  }
});

test("a messages request passes to Claude as it is, with its beta features in the body", async () => {
  const call = await encoded(messagesFormat, { metadata: { user_id: "u" }, top_k: 3, anthropic_version: "other" });
  const { model: _, ...rest } = body;
  assert.deepEqual(JSON.parse(call.body.toString()), {
    ...rest,
    metadata: { user_id: "u" },
    top_k: 3,
    anthropic_version: "bedrock-2023-05-31",
    anthropic_beta: ["b-1", "b-2"],
  });
});

test("an image's URL is fetched, and the image is sent to Claude in base64", async () => {
  const fetched: string[] = [];
  const media = {
    fetch: async (url: string) => {
      fetched.push(url);
      return { type: "inline" as const, mediaType: "image/png", base64: "iVBORw0KGgo=" };
    },
  };
  const url = "https://images.example/cat.png";
  const content = [
    { type: "text", text: "What is it?" },
    { type: "image_url", image_url: { url } },
  ];
  const call = testCall(JSON.stringify({ model: "m", messages: [{ role: "user", content }] }), model);
  const sent = await adapterOf(chatFormat).encode({ ...call, media }, claude, signal);
  const { messages } = JSON.parse(sent.body.toString()) as { messages: { content: object[] }[] };
  const source = { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" };
  assert.deepEqual(messages[0]?.content[1], { type: "image", source });
  assert.deepEqual(fetched, [url]);
});

test("errors are classified by their type, and by their status without one", () => {
  const of = (status: number, type: string | undefined, message: string) =>
    adapterOf(chatFormat).failureOf(
      {
        status,
        header: (name) => (name === "x-amzn-errortype" ? type : undefined),
        body: Buffer.from(JSON.stringify({ message })),
      },
      claude,
    );
  const cases: [status: number, type: string | undefined, kind: UpstreamFailure["kind"], message?: string][] = [
    [400, "ValidationException:http://internal/", "client"],
    [400, "ValidationException", "unknown_model", "The provided model identifier is invalid."],
    [
      400,
      "ValidationException",
      "unknown_model",
      "Invocation of model ID x with on-demand throughput isn’t supported.",
    ],
    [400, "ServiceQuotaExceededException", "quota"],
    [400, "IncompleteSignatureException", "operator"],
    [403, "UnrecognizedClientException", "operator"],
    [403, "ExpiredTokenException", "operator"],
    [403, "AccessDeniedException", "operator"],
    [404, "ResourceNotFoundException", "unknown_model"],
    [408, "ModelTimeoutException", "transient"],
    [424, "ModelErrorException", "transient"],
    [429, "ThrottlingException", "capacity"],
    [429, "ModelNotReadyException", "transient"],
    [500, "InternalServerException", "transient"],
    [503, "ServiceUnavailableException", "transient"],
    [403, undefined, "operator"],
    [429, undefined, "capacity"],
    [424, undefined, "transient"],
    [422, undefined, "client"],
  ];
  for (const [status, type, kind, message = "words"] of cases) {
    const failure = of(status, type, message);
    assert.deepEqual([failure.kind, failure.reported?.message], [kind, message], `${status} ${type}`);
  }
  assert.equal(of(400, "ValidationException", "the key sk-secret-key is").reported?.message, "the key [redacted] is");
});

const codec = new EventStreamCodec(
  (bytes) => Buffer.from(bytes as Uint8Array).toString("utf8"),
  (value) => Buffer.from(value),
);
function frame(headers: Readonly<Record<string, string>>, payload: unknown): Buffer {
  const texts = Object.entries(headers).map(([name, value]) => [name, { type: "string" as const, value }] as const);
  return Buffer.from(codec.encode({ headers: Object.fromEntries(texts), body: Buffer.from(JSON.stringify(payload)) }));
}
const chunk = (event: object): Buffer =>
  frame(
    { ":event-type": "chunk", ":message-type": "event" },
    { bytes: Buffer.from(JSON.stringify(event)).toString("base64"), p: "abc" },
  );

/** What a reader gets of a response of these chunks. */
function read(chunks: readonly Buffer[]) {
  const seen = { text: "", ended: false, failure: undefined as UpstreamFailure | undefined, cancelled: false };
  let sink: BodySink | undefined;
  const response: HttpResponse = {
    status: 200,
    header: () => undefined,
    consume(given) {
      sink = given;
    },
    read: () => assert.fail(),
    pause() {},
    resume() {},
    cancel() {
      seen.cancelled = true;
    },
  };
  adapterOf(messagesFormat)
    .unframed?.(response, claude)
    .consume({
      data(bytes) {
        seen.text += bytes.toString();
      },
      end() {
        seen.ended = true;
      },
      error(failure) {
        seen.failure = failure;
      },
    });
  for (const bytes of chunks) sink?.data(bytes);
  sink?.end();
  return seen;
}

test("events in an event stream are read as server-sent events, without Bedrock's measurements", () => {
  const start = { type: "message_start", message: { id: "m" } };
  const stop = { type: "message_stop" };
  const bytes = Buffer.concat([chunk(start), chunk({ ...stop, "amazon-bedrock-invocationMetrics": { a: 1 } })]);
  const expected = [start, stop].map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");
  const seen = read([bytes.subarray(0, 50), bytes.subarray(50)]);
  assert.deepEqual([seen.text, seen.ended, seen.failure], [expected, true, undefined]);
});

test("a body of another kind is passed on as it is", () => {
  assert.equal(read([Buffer.from('{"type":'), Buffer.from('"message"}')]).text, '{"type":"message"}');
});

test("an exception ends a stream with its kind, after the events before it, and only once", () => {
  const exception = (type: string) =>
    frame({ ":exception-type": type, ":message-type": "exception" }, { message: "Too many tokens" });
  const kinds = {
    throttlingException: "capacity",
    modelStreamErrorException: "transient",
    validationException: "client",
  };
  for (const [type, kind] of Object.entries(kinds)) {
    const seen = read([
      Buffer.concat([chunk({ type: "ping" }), exception(type), chunk({ type: "ping" })]),
      exception(type),
    ]);
    assert.equal(seen.text, 'event: ping\ndata: {"type":"ping"}\n\n');
    assert.deepEqual([seen.failure?.kind, seen.failure?.reported?.message], [kind, "Too many tokens"]);
    assert.deepEqual([seen.ended, seen.cancelled], [false, true]);
  }
  const unmodeled = frame(
    { ":message-type": "error", ":error-code": "InternalFailure", ":error-message": "words" },
    {},
  );
  assert.deepEqual(
    [read([unmodeled]).failure?.kind, read([unmodeled]).failure?.reported?.message],
    ["transient", "words"],
  );
});

test("an event that is not an object, or is damaged, ends the stream, which is charged", () => {
  const noBytes = frame({ ":event-type": "chunk", ":message-type": "event" }, { p: "abc" });
  const damaged = Buffer.from(chunk({ type: "ping" }));
  damaged.writeUInt8(1, 40);
  for (const bytes of [noBytes, damaged]) {
    const { failure } = read([bytes]);
    assert.deepEqual([failure?.kind, failure?.received], ["transient", ""]);
  }
});

test("models are listed at the host of the control plane, by the ids of inference profiles", () => {
  const provider = { ...claude.provider, origin: "https://bedrock-runtime.eu-west-1.amazonaws.com" };
  assert.equal(bedrockOwnModels.originOf?.(provider), "https://bedrock.eu-west-1.amazonaws.com");
  assert.equal(bedrockOwnModels.originOf?.(claude.provider), claude.provider.origin);
  const listed = { inferenceProfileId: "eu.anthropic.claude", inferenceProfileName: "EU Claude", status: "ACTIVE" };
  assert.deepEqual(bedrockOwnModels.modelsIn({ inferenceProfileSummaries: [listed, {}] }), [
    { id: "eu.anthropic.claude", displayName: "EU Claude" },
  ]);
  assert.equal(bedrockOwnModels.modelsIn({ models: [] }), undefined);
});
