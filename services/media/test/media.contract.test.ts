import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { after, before, beforeEach, test } from "node:test";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import { waitFor } from "@uag/harness/testing/wait-for";
import { startUpstream, type TestUpstream } from "@uag/harness/upstream";
import { Outcome, Pricing, SettlementRule } from "@uag/proto/metering/v1/usage.ts";
import { Drains } from "@uag/providers/disconnect/drains";
import { png } from "../src/images/testing/pictures.ts";
import { type MediaHarness, startMedia, typed } from "./support.ts";

let upstream: TestUpstream;
let harness: MediaHarness;

const catalogOf = (url: string): string => `
providers:
  openai: { protocol: openai, base_url: "${url}/v1", api_key: sk-upstream-secret }
  dash: { protocol: dashscope, base_url: "${url}", api_key: sk-upstream-secret }
  ark: { protocol: ark, base_url: "${url}/ark", api_key: sk-upstream-secret }
  gemini: { protocol: gemini, base_url: "${url}", api_key: sk-upstream-secret }
  xai: { protocol: xai, base_url: "${url}/v1", api_key: sk-upstream-secret }
models:
  - &base
    { id: alpha-image-2.0, owned_by: a, created: 2026-01-01, operations: [images.generations], price: { images: 0.05 },
      upstreams: [{ provider: dash }], image: { family: alpha, sizes: ["1024*1024"], default_size: "1024*1024" } }
  - { <<: *base, id: alpha-image-edit, image: { family: alpha, references: { min: 1, max: 3 } } }
  - &gamma
    { <<: *base, id: gamma, operations: [images.generations, images.edits], upstreams: [{ provider: openai }],
      image_tokens: 7000, price: { input_tokens: 5, image_input_tokens: 10, image_output_tokens: 40 },
      image: { family: gamma, most_images: 10, references: { max: 16 }, mask: true,
        edit_sizes: [1024x1024], output_tokens: { low: 272, medium: 1056, high: 4160 } } }
  - { <<: *base, id: delta, operations: [images.generations, images.edits], upstreams: [{ provider: openai }],
      price: { images: { 256x256: 0.016, 1024x1024: 0.02 } },
      image: { family: delta, sizes: [256x256, 1024x1024], default_size: 1024x1024, most_images: 10, references: { max: 1 }, mask: true } }
  - { <<: *base, id: seedream, upstreams: [{ provider: ark }], price: { images: 0.03 },
      image: { family: seedream, most_images: 10, references: { max: 2 } } }
  - { <<: *base, id: grok, upstreams: [{ provider: xai }], price: { images: { 1k: 0.05, 2k: 0.07 } },
      image: { family: grok, most_images: 10 } }
  - { <<: *base, id: gemini, upstreams: [{ provider: gemini }], max_output_tokens: 8192,
      price: { input_tokens: 0.3, output_tokens: 2.5, image_output_tokens: 30 },
      image: { family: gemini, most_images: 4, references: { max: 2 }, output_tokens: { low: 1290, medium: 1290, high: 1290 } } }
`;

const options = () => ({ catalog: catalogOf(upstream.url), egressAllow: [new URL(upstream.url).host] });

const generations = "images.generations";
const edits = "images.edits";
const picture = png({ width: 4, height: 4, colour: "rgb" });
const b64 = picture.toString("base64");
const usage = {
  total_tokens: 1_010,
  input_tokens: 10,
  output_tokens: 1_000,
  input_tokens_details: { text_tokens: 10, image_tokens: 0 },
};
const effective = { background: "opaque", output_format: "png", quality: "low", size: "1024x1024" };
const made = { created: 1, data: [{ b64_json: b64 }], ...effective, usage };
const alphaBody = { model: "alpha-image-2.0", input: { messages: [{ role: "user", content: [{ text: "a cat" }] }] } };
const alphaMade = {
  request_id: "0d3a4f3c-0000-4000-8000-000000000000",
  output: { choices: [{ finish_reason: "stop", message: { role: "assistant", content: [{ image: "https://x/1" }] } }] },
  usage: { image_count: 1, height: 1024, width: 1024 },
};

const sendJson = (response: ServerResponse, status: number, body: unknown): void => {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(typeof body === "string" || Buffer.isBuffer(body) ? body : JSON.stringify(body));
};
const sendFile = (response: ServerResponse): void => void response.end(picture);
const settlement = () => harness.admission.booked.at(-1)?.settlement ?? assert.fail("nothing was settled");
const hold = () => harness.admission.booked.at(-1)?.request.holdNanoUsd ?? assert.fail("nothing was admitted");
const rawOf = () => Buffer.from(settlement().rawUsage).toString();
const unitsOf = () => Object.fromEntries(settlement().units.map(({ name, quantity }) => [name, Number(quantity)]));

before(async () => {
  upstream = await startUpstream();
});
after(async () => {
  await harness[Symbol.asyncDispose]();
  await upstream[Symbol.asyncDispose]();
});
beforeEach(async () => {
  await harness?.[Symbol.asyncDispose]();
  harness = await startMedia(options());
  upstream.received.length = 0;
  upstream.script = (_, response) => sendJson(response, 200, made);
});

test("alpha responds in its own format, and is held and billed by image", async () => {
  upstream.script = (_, response) => sendJson(response, 200, alphaMade);
  const response = await harness.call(generations, alphaBody);
  assert.equal(response.status, 200);
  assert.deepEqual(response.json(), alphaMade);
  assert.equal(response.header("x-gateway-cost-usd"), "0.050000000");
  assert.equal(response.header("x-gateway-model"), "alpha-image-2.0");
  assert.deepEqual([unitsOf(), settlement().costNanoUsd, hold()], [{ images: 1 }, 50_000_000n, 50_000_000n]);
  assert.equal(rawOf(), JSON.stringify(alphaMade.usage));
});

test("alpha's errors are flat, but nested before the model is known", async () => {
  const flat = async (body: unknown, status: number): Promise<Record<string, unknown>> => {
    const response = await harness.call(generations, body);
    assert.equal(response.status, status);
    assert.deepEqual(Object.keys(response.json()), ["code", "message", "request_id"]);
    return response.json();
  };
  assert.equal((await flat({ ...alphaBody, model: "alpha-image-edit" }, 400))["code"], "InvalidParameter");
  assert.equal((await flat({ ...alphaBody, model: "unknown" }, 400))["code"], "InvalidParameter");
  upstream.script = (_, response) =>
    sendJson(response, 400, { request_id: "r", code: "DataInspectionFailed", message: "no" });
  assert.deepEqual((await flat(alphaBody, 400))["code"], "DataInspectionFailed");
  assert.equal(settlement().costNanoUsd, 0n);
  upstream.script = (_, response) => sendJson(response, 429, { code: "Throttling.AllocationQuota", message: "slow" });
  assert.equal((await flat(alphaBody, 429))["code"], "Throttling.RateQuota");
  upstream.script = (_, response) => sendJson(response, 401, { code: "InvalidApiKey", message: "sk-upstream-secret" });
  assert.doesNotMatch(JSON.stringify(await flat(alphaBody, 502)), /sk-upstream|127\.0\.0\.1/);
  harness.admission.onAdmit = () => {
    throw new GatewayError("rate_limit_exceeded");
  };
  assert.equal((await flat(alphaBody, 429))["code"], "Throttling.RateQuota");
  harness.admission.onAdmit = () => {
    throw new GatewayError("insufficient_balance");
  };
  assert.equal((await flat(alphaBody, 402))["code"], "insufficient_balance");
  const nested = await harness.call(generations, "{");
  assert.deepEqual([nested.status, (nested.json()["error"] as { code: string }).code], [422, "invalid_json"]);
});

test("passes gamma's response through byte for byte and bills its tokens within the hold", async () => {
  const odd = Buffer.from(`{ "created":1, "data":[{"b64_json":"${b64}"}],"background":"opaque","output_format":"png",
    "quality":"low","size":"1024x1024","usage":${JSON.stringify(usage)} }`);
  upstream.script = (_, response) => sendJson(response, 200, odd);
  const response = await harness.call(generations, {
    model: "gamma",
    prompt: "a cat",
    size: "1024x1024",
    quality: "medium",
  });
  assert.ok(response.body.equals(odd));
  assert.deepEqual(unitsOf(), { input_tokens: 10, image_output_tokens: 1_000 });
  assert.equal(settlement().costNanoUsd, 40_050_000n);
  assert.equal(rawOf(), JSON.stringify(usage));
  assert.ok(hold() >= settlement().costNanoUsd);
  assert.equal("response_format" in (upstream.received[0]?.json ?? {}), false, "gamma's upstream rejects that field");
});

test("a hold covers the cost of the largest image of each quality", async () => {
  for (const [quality, size, tokens] of [
    ["low", "1024x1024", 272],
    ["hd", "1024x1536", 6_240],
    ["auto", "auto", 6_240],
    ["high", "3840x2160", 32_906],
  ] as const) {
    await harness.call(generations, { model: "gamma", prompt: "x", quality, size, n: 2 });
    assert.ok(hold() >= BigInt(2 * tokens) * 40_000n, `${quality} ${size}`);
  }
});

test("estimates unreported tokens by the generated image, and marks them as estimated", async () => {
  upstream.script = (_, response) => sendJson(response, 200, { ...made, usage: undefined });
  const response = await harness.call(generations, {
    model: "gamma",
    prompt: "a cat",
    size: "1024x1024",
    quality: "low",
  });
  assert.equal(response.status, 200);
  assert.equal(settlement().pricing, Pricing.ESTIMATED);
  assert.deepEqual(unitsOf(), { input_tokens: 2, image_output_tokens: 272 });
});

test("hosts an inline image for a requested URL, and fetches a linked one for requested content", async () => {
  const requested = { model: "gamma", prompt: "a cat", response_format: "url" };
  const { data } = (await harness.call(generations, requested)).json() as { data: { url: string }[] };
  assert.deepEqual(harness.hosted.get(data[0]?.url ?? ""), { contentType: "image/png", bytes: picture });
  upstream.script = ({ path }, response) =>
    path === "/file.png"
      ? sendFile(response)
      : sendJson(response, 200, { created: 1, data: [{ url: `${upstream.url}/file.png` }] });
  const inline = (await harness.call(generations, { model: "delta", prompt: "x", response_format: "b64_json" })).json();
  assert.deepEqual(inline["data"], [{ b64_json: b64 }]);
});

test("an image that cannot be fetched fails the call, and is billed as the provider bills it", async () => {
  for (const url of [`${upstream.url}/gone`, "http://10.0.0.1/x.png", "https://localhost/x.png"]) {
    upstream.script = ({ path }, response) =>
      path === "/gone" ? sendJson(response, 404, {}) : sendJson(response, 200, { data: [{ url }] });
    const response = await harness.call(generations, { model: "delta", prompt: "x", response_format: "b64_json" });
    assert.equal(response.status, 502);
    const { outcome, settlementRule, costNanoUsd } = settlement();
    assert.deepEqual([outcome, settlementRule], [Outcome.FAILED, SettlementRule.FAILED_USAGE]);
    assert.equal(costNanoUsd, 20_000_000n);
  }
});

test("bills delta by image and size", async () => {
  upstream.script = (_, response) => sendJson(response, 200, { created: 1, data: [{ url: "u1" }, { url: "u2" }] });
  await harness.call(generations, { model: "delta", prompt: "x", n: 2, size: "256x256" });
  assert.deepEqual([unitsOf(), settlement().costNanoUsd], [{ "images:256x256": 2 }, 32_000_000n]);
  await harness.call(generations, { model: "delta", prompt: "x", n: 2 });
  assert.deepEqual([unitsOf(), hold()], [{ "images:1024x1024": 2 }, 40_000_000n]);
});

test("splits a request for many images into several calls, and reports failed ones without billing them", async () => {
  let calls = 0;
  upstream.script = (_, response) => {
    const one = { url: `https://x/${++calls}`, size: "1x1" };
    if (calls === 2) return sendJson(response, 400, { error: { code: "Sensitive", message: "not that" } });
    sendJson(response, 200, { created: 1, data: [one], usage: { generated_images: 1, output_tokens: calls } });
  };
  const response = await harness.call(generations, { model: "seedream", prompt: "x", n: 3 });
  assert.equal(response.status, 200);
  const { data, usage: shown } = response.json() as { data: object[]; usage: object };
  assert.equal(data.filter((item) => "url" in item).length, 2);
  assert.deepEqual(shown, { generated_images: 2, output_tokens: 4 });
  assert.deepEqual([unitsOf(), settlement().costNanoUsd, hold()], [{ images: 2 }, 60_000_000n, 90_000_000n]);
  assert.equal((JSON.parse(rawOf()) as object[]).length, 2);
});

test("when none of several calls succeeds, the request fails with the upstream's message and costs nothing", async () => {
  upstream.script = (_, response) => sendJson(response, 400, { error: { code: "Sensitive", message: "not that" } });
  const response = await harness.call(generations, { model: "seedream", prompt: "x", n: 2 });
  assert.equal(response.status, 400);
  assert.equal((response.json()["error"] as { message: string }).message, "not that");
  assert.deepEqual([settlement().outcome, settlement().costNanoUsd], [Outcome.FAILED, 0n]);
});

test("fetches images by URL for an upstream that does not accept URLs", async () => {
  upstream.script = ({ path }, response) =>
    path === "/in.png"
      ? sendFile(response)
      : sendJson(response, 200, {
          candidates: [{ content: { parts: [{ inlineData: { mimeType: "image/png", data: b64 } }] } }],
          usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 1_290, totalTokenCount: 1_295 },
        });
  const requested = { model: "gemini", prompt: "x", image: `${upstream.url}/in.png`, response_format: "b64_json" };
  const response = await harness.call(generations, requested);
  assert.equal(response.status, 200);
  const sent = JSON.stringify(upstream.received.at(-1)?.json);
  assert.ok(sent.includes(b64));
  const missing = await harness.call(generations, { ...requested, image: "https://localhost/in.png" });
  assert.equal(missing.status, 400);
  assert.equal(harness.admission.booked.length, 1, "a URL that the guard refuses is not admitted");
});

test("fetches images by URL only after admission, and a missing one costs nothing", async () => {
  upstream.script = (_, response) => sendJson(response, 404, {});
  const requested = { model: "gemini", prompt: "x", image: `${upstream.url}/in.png` };
  harness.admission.onAdmit = () => {
    throw new GatewayError("insufficient_balance");
  };
  assert.equal((await harness.call(generations, requested)).status, 402);
  assert.equal(upstream.received.length, 0);
  harness.admission.onAdmit = () => {};
  const missing = await harness.call(generations, requested);
  assert.equal(missing.status, 400);
  assert.match(String((missing.json()["error"] as { message: string }).message), /returned status 404/);
  assert.deepEqual(
    upstream.received.map(({ path }) => path),
    ["/in.png"],
  );
  assert.deepEqual(settlement().units, []);
  await waitFor(() => harness.buffers.held === 0, { what: "all memory to be released" });
});

const settled = () => waitFor(() => harness.admission.booked.at(-1)?.settlement !== undefined, { what: "the bill" });

test("a client that disconnects during generation pays by the provider's usage", async () => {
  const opened = Promise.withResolvers<ServerResponse>();
  upstream.script = (_, response) => opened.resolve(response);
  const stream = harness.open(generations, Buffer.from(JSON.stringify({ model: "gamma", prompt: "x" })));
  stream.head.catch(() => {});
  const response = await opened.promise;
  stream.call.cancel("left");
  await waitFor(() => harness.admission.booked.at(-1)?.left === true, { what: "the disconnect to be noticed" });
  sendJson(response, 200, made);
  await settled();
  const { outcome, settlementRule, pricing, costNanoUsd } = settlement();
  assert.deepEqual([outcome, settlementRule], [Outcome.DISCONNECTED, SettlementRule.DRAINED]);
  assert.deepEqual([pricing, costNanoUsd], [Pricing.EXACT, 10n * 5_000n + 1_000n * 40_000n]);
});

test("bills by the price table an image that cannot be awaited after a disconnect, and none before the provider is called", async () => {
  await harness[Symbol.asyncDispose]();
  harness = await startMedia({ ...options(), drains: new Drains({ atOnce: 0 }) });
  upstream.script = () => {};
  for (const [model, units] of [
    ["gamma", { input_tokens: 1, image_output_tokens: 4_160 * 1.5 }],
    ["seedream", { images: 1 }],
  ] as const) {
    const before = upstream.received.length;
    const stream = harness.open(generations, Buffer.from(JSON.stringify({ model, prompt: "x" })));
    stream.head.catch(() => {});
    await waitFor(() => upstream.received.length > before, { what: "the upstream call" });
    stream.call.cancel("left");
    await settled();
    assert.deepEqual([settlement().settlementRule, unitsOf()], [SettlementRule.ABORTED_ESTIMATE, units]);
  }
});

test("a client that disconnects owes the generated images and those in progress", async () => {
  let calls = 0;
  const waiting: ServerResponse[] = [];
  const drawn = { data: [{ url: "u" }], usage: { generated_images: 1 } };
  upstream.script = (_, response) => {
    // Four calls run at once; the fifth and sixth start when the first two are done.
    if (++calls < 3) sendJson(response, 200, drawn);
    else waiting.push(response);
  };
  const stream = harness.open(generations, Buffer.from(JSON.stringify({ model: "seedream", prompt: "x", n: 6 })));
  stream.head.catch(() => {});
  await waitFor(() => waiting.length === 4, { what: "all upstream calls" });
  stream.call.cancel("left");
  await waitFor(() => harness.admission.booked.at(-1)?.left === true, { what: "the disconnect to be noticed" });
  for (const response of waiting) sendJson(response, 200, drawn);
  await settled();
  assert.deepEqual([settlement().outcome, unitsOf()], [Outcome.DISCONNECTED, { images: 6 }]);
});

const event = (name: string, more: object): string =>
  `event: ${name}\ndata: ${JSON.stringify({ type: name, b64_json: b64, ...more })}\n\n`;
const sketch = event("image_generation.partial_image", { partial_image_index: 0 });
const whole = event("image_generation.completed", { usage });
const streamed = { model: "gamma", prompt: "x", stream: true, partial_images: 1, size: "1024x1024", quality: "low" };

test("passes a stream through unchanged, with its last image after the bill", async () => {
  const { promise: onDisk, resolve: flush } = Promise.withResolvers<void>();
  harness.admission.settling = () => onDisk;
  upstream.script = (_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(sketch + whole);
  };
  const stream = harness.open(generations, Buffer.from(JSON.stringify(streamed)));
  let text = "";
  const reading = (async () => {
    for await (const chunk of stream) text += chunk.toString();
  })();
  await waitFor(() => text === sketch, { what: "the sketch" });
  await waitFor(() => harness.admission.booked[0]?.settlement !== undefined, { what: "the bill" });
  assert.equal(text, sketch, "the last image was sent before the bill was on disk");
  flush();
  await reading;
  assert.equal(text, sketch + whole);
  assert.deepEqual(unitsOf(), { input_tokens: 10, image_output_tokens: 1_000 });
  assert.equal(rawOf(), JSON.stringify(usage));
});

test("a stream that breaks after a partial image ends with an error event and is billed for the requested image; one whose client disconnects is completed and billed", async () => {
  upstream.script = (_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(sketch);
  };
  const broken = await harness.call(generations, streamed);
  assert.match(broken.body.toString(), /event: error\ndata: \{"type":"error","error":\{.*upstream_error.*\n\n<cut/);
  const { outcome, settlementRule } = settlement();
  assert.deepEqual([outcome, settlementRule], [Outcome.FAILED, SettlementRule.FAILED_ESTIMATE]);
  assert.ok((unitsOf()["image_output_tokens"] ?? 0) > 100, "the image and its sketch");
  const goOn = Promise.withResolvers<void>();
  upstream.script = async (_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(sketch);
    await goOn.promise;
    response.end(whole);
  };
  const stream = harness.open(generations, Buffer.from(JSON.stringify(streamed)));
  await stream.head;
  stream.call.cancel("left");
  await waitFor(() => harness.admission.booked.at(-1)?.left === true, { what: "the disconnect to be noticed" });
  goOn.resolve();
  await settled();
  assert.deepEqual([settlement().outcome, settlement().pricing], [Outcome.DISCONNECTED, Pricing.EXACT]);
  assert.deepEqual(unitsOf(), { input_tokens: 10, image_output_tokens: 1_000 });
});

test("a stream that its provider ends with an error is billed for its partial image, and is free without one", async () => {
  const error = `event: error\ndata: ${JSON.stringify({ type: "error", error: { message: "boom", type: "server_error" } })}\n\n`;
  for (const [shown, drawn] of [
    [sketch, 100],
    ["", undefined],
  ] as const) {
    upstream.script = (_, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(shown + error);
    };
    await harness.call(generations, streamed);
    assert.equal(settlement().outcome, Outcome.FAILED);
    assert.equal(unitsOf()["image_output_tokens"], drawn, shown);
  }
});

interface Part {
  readonly name: string;
  readonly content: string | Buffer;
  readonly file?: string;
}

const boundary = "----test";
const formOf = (parts: Part[]): Buffer =>
  Buffer.concat([
    ...parts.flatMap(({ name, content, file }) => [
      Buffer.from(
        `--${boundary}\r\ncontent-disposition: form-data; name="${name}"${file === undefined ? "" : `; filename="${file}"`}\r\n\r\n`,
      ),
      Buffer.from(content),
      Buffer.from("\r\n"),
    ]),
    Buffer.from(`--${boundary}--\r\n`),
  ]);
const formType = `multipart/form-data; boundary=${boundary}`;
const model = { name: "model", content: "gamma" };
const prompt = { name: "prompt", content: "a cat" };
const image = { name: "image", content: picture, file: "../../a" };
const maskFile = { name: "mask", content: png({ width: 4, height: 4, colour: "rgba" }), file: "m" };

test("sends an edit to the provider as a form of known fields and returns the whole result", async () => {
  const parts = [model, prompt, image, maskFile, { name: "quality", content: "hd" }, { name: "n", content: "1" }];
  const received = [...parts, { name: "response_format", content: "url" }, { name: "user", content: "u1" }];
  const response = await harness.call(edits, formOf(received), typed(formType));
  assert.equal(response.status, 200);
  assert.deepEqual(response.json(), made);
  const sent = upstream.received[0]?.body.toString("latin1") ?? "";
  assert.equal(upstream.received[0]?.path, "/v1/images/edits");
  assert.match(sent, /name="image"; filename="image-1\.png"\r\ncontent-type: image\/png/);
  assert.match(sent, /name="mask"; filename="mask\.png"\r\ncontent-type: image\/png/);
  assert.match(sent, /name="quality"\r\n\r\nhigh\r\n/);
  assert.doesNotMatch(sent, /response_format|\.\.\//);
  assert.ok(hold() >= settlement().costNanoUsd);
  assert.equal(harness.buffers.held, 0);
});

test("an edit that breaks, whole or streamed, is billed for its input images by their upper bound", async () => {
  for (const stream of [false, true]) {
    upstream.script = (_, response) => {
      response.writeHead(200, { "content-type": stream ? "text/event-stream" : "application/json" });
      response.end(stream ? sketch : '{"data":[{');
    };
    const more = stream
      ? [
          { name: "stream", content: "true" },
          { name: "partial_images", content: "1" },
        ]
      : [];
    await harness.call(edits, formOf([model, prompt, image, maskFile, ...more]), typed(formType));
    const { settlementRule, costNanoUsd } = settlement();
    assert.equal(settlementRule, SettlementRule.UPPER_BOUND);
    assert.equal(unitsOf()["image_input_tokens"], 2 * 7_000);
    assert.ok(costNanoUsd <= hold(), `${costNanoUsd} of ${hold()}`);
  }
});

test("a checkpoint is written at each image of a stream, and bills what has arrived", async () => {
  upstream.script = (_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(sketch);
    setTimeout(() => response.end(event("image_generation.completed", {}) + whole), 50);
  };
  await harness.call(generations, { ...streamed, n: 2 });
  const { checkpoints = [] } = harness.admission.booked.at(-1) ?? {};
  const drawn = checkpoints.map(({ units }) => units.find(({ name }) => name === "image_output_tokens")?.quantity);
  assert.deepEqual(drawn, [100n + 272n, 100n + 2n * 272n]);
});

test("fills in fields that an edit's upstream omits", async () => {
  const square = { name: "image", content: picture, file: "a.png" };
  upstream.script = (_, response) => sendJson(response, 200, { created: 1, data: [{ b64_json: b64 }] });
  const parts = [{ name: "model", content: "delta" }, prompt, square, { name: "size", content: "256x256" }];
  const response = await harness.call(edits, formOf(parts), typed(formType));
  const { created, data, ...rest } = response.json();
  assert.deepEqual([typeof created, data], ["number", [{ b64_json: b64 }]]);
  assert.deepEqual(rest, { background: "opaque", output_format: "png", quality: "standard", size: "256x256" });
  assert.deepEqual(unitsOf(), { "images:256x256": 1 });
});

const smallMask = { ...maskFile, content: png({ width: 2, height: 4, colour: "rgba" }) };
const faults: [what: string, parts: Part[], code: string, param: string | null][] = [
  ["no model", [prompt, image], "invalid_request", "model"],
  ["an unknown model", [{ name: "model", content: "nope" }, prompt, image], "model_not_found", "model"],
  [
    "a model of another endpoint",
    [{ name: "model", content: "seedream" }, prompt, image],
    "endpoint_model_mismatch",
    "model",
  ],
  ["no prompt", [model, image], "invalid_request", "prompt"],
  ["no image", [model, prompt], "invalid_request", "image"],
  ["an image as text", [model, prompt, { name: "image", content: "x" }], "invalid_request", "image"],
  ["an empty image", [model, prompt, { ...image, content: "" }], "invalid_image", "image"],
  ["a truncated image", [model, prompt, { ...image, content: picture.subarray(0, 50) }], "invalid_image", "image"],
  [
    "a decompression bomb",
    [
      model,
      prompt,
      { ...image, content: png({ width: 50_000, height: 50_000, colour: "rgb", data: Buffer.alloc(9) }) },
    ],
    "invalid_image",
    "image",
  ],
  ["a mask of another size", [model, prompt, image, smallMask], "invalid_mask", "mask"],
  ["a mask without transparency", [model, prompt, image, { ...maskFile, content: picture }], "invalid_mask", "mask"],
  ["eleven images", [model, prompt, image, { name: "n", content: "11" }], "invalid_request", "n"],
  ["n as a word", [model, prompt, image, { name: "n", content: "two" }], "invalid_request", "n"],
  ["4K", [model, prompt, image, { name: "size", content: "4K" }], "invalid_request", "size"],
  ["a size of other models", [model, prompt, image, { name: "size", content: "512x512" }], "invalid_request", "size"],
  [
    "a transparent JPEG",
    [model, prompt, image, { name: "background", content: "transparent" }, { name: "output_format", content: "jpeg" }],
    "invalid_request",
    "background",
  ],
  [
    "another output_format",
    [model, prompt, image, { name: "output_format", content: "gif" }],
    "invalid_request",
    "output_format",
  ],
  [
    "JPEG of delta",
    [{ name: "model", content: "delta" }, prompt, image, { name: "output_format", content: "jpeg" }],
    "invalid_request",
    "output_format",
  ],
  ["a stray file", [model, prompt, image, { ...image, name: "other" }], "invalid_request", "other"],
  [
    "seventeen images",
    [model, prompt, ...Array.from({ length: 17 }, () => ({ ...image, name: "image[]" }))],
    "invalid_request",
    "image",
  ],
];
for (const [what, parts, code, param] of faults) {
  test(`rejects an edit with ${what} in a nested error, without a hold`, async () => {
    const response = await harness.call(edits, formOf(parts), typed(formType));
    assert.equal(response.status, 400);
    const { error } = response.json() as { error: Record<string, unknown> };
    assert.deepEqual([error["code"], error["param"]], [code, param]);
    assert.equal(error["type"], "invalid_request_error");
    assert.equal(harness.admission.booked.length + upstream.received.length + harness.buffers.held, 0);
  });
}

const files: Readonly<Record<string, Buffer>> = {
  "/image": picture,
  "/mask": maskFile.content,
  "/small-mask": smallMask.content,
  "/wide": png({ width: 8, height: 4, colour: "rgb" }),
};
/** The upstream, and a site with files. */
const withSite = (received: { path: string }, response: ServerResponse): void => {
  const file = files[received.path];
  if (file === undefined) sendJson(response, 200, made);
  else response.end(file);
};

test("an edit's image and mask can be URLs in text fields, which are fetched after admission and held like files", async () => {
  upstream.script = withSite;
  const linked = [model, prompt, ...["image", "mask"].map((name) => ({ name, content: `${upstream.url}/${name}` }))];
  const response = await harness.call(edits, formOf(linked), typed(formType));
  assert.equal(response.status, 200, response.body.toString());
  const sent = upstream.received.find(({ path }) => path === "/v1/images/edits")?.body ?? Buffer.alloc(0);
  assert.ok(sent.includes(picture) && sent.includes(maskFile.content), "the upstream gets the files");
  const linkedHold = hold();
  await harness.call(edits, formOf([model, prompt, image, maskFile]), typed(formType));
  assert.equal(linkedHold, hold());
  assert.equal(harness.buffers.held, 0);
});

test("an edit's fetched images are checked like files, and rejected without a charge", async () => {
  upstream.script = withSite;
  const at = (name: string, path: string): Part => ({ name, content: `${upstream.url}${path}` });
  const delta = { name: "model", content: "delta" };
  for (const [parts, code, param] of [
    [[model, prompt, image, at("mask", "/small-mask")], "invalid_mask", "mask"],
    [[model, prompt, at("image", "/wide"), maskFile], "invalid_mask", "mask"],
    [[delta, prompt, at("image", "/wide")], "unsupported_image_format", "image"],
    [[model, prompt, at("image", "/v1/nothing")], "unsupported_image_format", "image"],
    [[model, prompt, { name: "image", content: "https://10.0.0.1/a" }], "invalid_request", "image"],
  ] as const) {
    upstream.received.length = 0;
    const response = await harness.call(edits, formOf([...parts]), typed(formType));
    const { error } = response.json() as { error: Record<string, unknown> };
    assert.deepEqual([response.status, error["code"], error["param"]], [400, code, param], JSON.stringify(error));
    assert.ok(upstream.received.every(({ path }) => path !== "/v1/images/edits"));
    assert.equal(harness.admission.booked.at(-1)?.settlement?.costNanoUsd ?? 0n, 0n);
  }
});

test("rejects a variant without a price before admission and any upstream call", async () => {
  const response = await harness.call(generations, { model: "grok", prompt: "x", n: 10, resolution: "1.5k" });
  assert.equal(response.status, 503, response.body.toString());
  assert.equal((response.json()["error"] as { code: string }).code, "unpriced_model");
  assert.equal(response.header("x-should-retry"), "false");
  assert.deepEqual([upstream.received.length, harness.admission.booked.length], [0, 0]);
});
