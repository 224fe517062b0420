import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, beforeEach, test } from "node:test";
import { parseCatalog } from "@uag/catalog/parse";
import { wavFile } from "@uag/harness/testing/wav";
import { BufferBudget } from "@uag/untrusted/buffer-budget";
import { createGuardedClient, type GuardedClient } from "@uag/untrusted/http/guarded";
import { ResponseMemory } from "@uag/untrusted/response-memory";
import { dashScopeSpeech } from "../src/dashscope/speech.ts";
import { Drains } from "../src/disconnect/drains.ts";
import { send } from "../src/http/call.ts";
import { chunksOf } from "../src/http/chunks.ts";
import { HttpPools } from "../src/http/pools.ts";
import { createAudioFetcher } from "../src/speech/fetch.ts";

const samples = Buffer.from(Array.from({ length: 400 }, (_, index) => index % 256));
const usage = { input_tokens: 0, output_tokens: 0, characters: 5 };

const wav = (): Buffer => wavFile(samples, { sampleRate: 24_000, bits: 16 });

let respond: (response: ServerResponse) => void;
let received: { path: string; headers: NodeJS.Dict<string | string[]>; body: string }[] = [];
const server = createServer(async (request, response) => {
  if (request.url === "/sound.wav") return response.end(wav());
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  received.push({ path: request.url ?? "", headers: request.headers, body: Buffer.concat(parts).toString() });
  respond(response);
});
let origin: string;
let guarded: GuardedClient;
const pools = new HttpPools();

before(async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  origin = `http://127.0.0.1:${port}`;
  guarded = createGuardedClient({ allow: [`127.0.0.1:${port}`] });
});
beforeEach(() => {
  received = [];
});
after(async () => {
  await Promise.all([pools[Symbol.asyncDispose](), guarded[Symbol.asyncDispose]()]);
  server.closeAllConnections();
  server.close();
});

function upstream() {
  const catalog = parseCatalog(
    `providers: { dash: { protocol: dashscope, base_url: "${origin}", api_key: sk-secret-key } }
models:
  - { id: m, owned_by: o, created: 0, operations: [images.generations], price: { images: 1 }, upstreams: [{ provider: dash, model: qwen3-tts-flash }] }`,
    {},
  );
  return catalog.models.get("m")?.upstreams[0] ?? assert.fail();
}

async function speak(instructions?: string) {
  const audio = createAudioFetcher(guarded);
  using memory = new ResponseMemory(new BufferBudget().open("account"));
  const call = { requestId: "req_1", text: "Hello", voice: "Cherry", instructions, audio, memory };
  const disconnect = { drains: new Drains(), onAbort: "stops" } as const;
  const site = { upstream: upstream(), pools, signal: new AbortController().signal, disconnect };
  const spoken = await dashScopeSpeech.speak(call, site);
  const pieces: Buffer[] = [];
  for await (const piece of spoken.pcm) pieces.push(piece);
  return { pcm: Buffer.concat(pieces), usage: spoken.usage() };
}

const json = (body: object) => (response: ServerResponse) => {
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
};
const event = (data: object): string => `id:1\nevent:result\n:HTTP_STATUS/200\ndata:${JSON.stringify(data)}\n\n`;
const events =
  (...parts: string[]) =>
  (response: ServerResponse) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(parts.join(""));
  };
const piece = (bytes: Buffer): string =>
  event({ output: { finish_reason: "null", audio: { data: bytes.toString("base64") } }, usage });
const last = (url?: string): string => event({ output: { finish_reason: "stop", audio: { data: "", url } }, usage });

test("requests a stream and passes its audio on unchanged", async () => {
  respond = events(piece(samples.subarray(0, 101)), piece(samples.subarray(101)), last());
  const spoken = await speak("slowly");
  assert.deepEqual(spoken.pcm, samples);
  assert.deepEqual(spoken.usage, { characters: 5, raw: Buffer.from(JSON.stringify(usage)) });
  const [{ path, headers, body } = assert.fail()] = received;
  assert.equal(path, "/api/v1/services/aigc/multimodal-generation/generation");
  assert.equal(headers["x-dashscope-sse"], "enable");
  assert.equal(headers["x-client-request-id"], "req_1");
  const input = { text: "Hello", voice: "Cherry", instructions: "slowly" };
  assert.deepEqual(JSON.parse(body), { model: "qwen3-tts-flash", input });
});

test("fetches the file that a non-streamed response refers to", async () => {
  respond = json({
    output: { finish_reason: "stop", audio: { data: "", url: `${origin}/sound.wav` } },
    usage,
    code: "",
  });
  assert.deepEqual((await speak()).pcm, samples);
});

test("fetches the file that a stream without audio refers to", async () => {
  respond = events(last(`${origin}/sound.wav`));
  assert.deepEqual((await speak()).pcm, samples);
});

test("skips a WAV header before the first samples", async () => {
  respond = events(piece(wav()), last());
  assert.deepEqual((await speak()).pcm, samples);
});

test("accepts a stream without its final line breaks", async () => {
  respond = events(piece(samples), last().trimEnd());
  assert.deepEqual((await speak()).pcm, samples);
});

test("a file that cannot be fetched is an upstream failure", async () => {
  for (const url of ["http://127.0.0.1:1/x.wav", "https://10.0.0.1/x.wav", `${origin}/nothing`, "no url"]) {
    respond = received.length % 2 === 0 ? events(last(url)) : json({ output: { audio: { data: "", url } }, usage });
    await assert.rejects(speak(), { kind: "transient" }, url);
  }
  respond = events(last());
  await assert.rejects(speak(), { kind: "transient" });
});

test("a stream that ends early is a failure", async () => {
  respond = events(piece(samples));
  await assert.rejects(speak(), { kind: "transient" });
});

test("classifies errors wherever they are reported", async () => {
  const error = (code: string) => ({ code, message: "No. sk-secret-key", request_id: "r" });
  const cases: [respond: (response: ServerResponse) => void, kind: string][] = [
    [json(error("InvalidParameter")), "client"],
    [json(error("Throttling.RateQuota")), "capacity"],
    [events(`event:error\n:HTTP_STATUS/400\ndata:${JSON.stringify(error("InvalidParameter"))}\n\n`), "client"],
    [events(`event:error\n:HTTP_STATUS/429\ndata:${JSON.stringify(error("Throttling"))}\n\n`), "capacity"],
    [events(`event:error\ndata:${JSON.stringify(error("InternalError"))}\n\n`), "transient"],
    [events(`event:error\n:HTTP_STATUS/400\ndata:${JSON.stringify(error("Arrearage"))}\n\n`), "operator"],
  ];
  for (const [reportedText, kind] of cases) {
    respond = reportedText;
    await assert.rejects(speak(), { kind });
  }
  respond = (response) => {
    response.writeHead(400, { "content-type": "application/json" });
    response.end(JSON.stringify(error("InvalidParameter")));
  };
  await assert.rejects(speak(), (failure: { kind?: string; reported?: { message: string } }) => {
    assert.equal(failure.kind, "client");
    assert.equal(failure.reported?.message, "No. [redacted]");
    return true;
  });
});

test("a slow reader applies backpressure, receives every byte and may stop at any time", async () => {
  const whole = Buffer.alloc(6 * 1024 * 1024, "0123456789");
  respond = (response) => {
    response.writeHead(200, { "content-type": "application/octet-stream" });
    response.end(whole);
  };
  const call = () =>
    send(pools, {
      origin,
      path: "/",
      method: "POST",
      headers: [],
      body: undefined,
      timeouts: upstream().provider.timeouts,
      transport: upstream().provider.transport,
      signal: new AbortController().signal,
    });
  const chunks: Buffer[] = [];
  for await (const chunk of chunksOf(await call())) {
    chunks.push(chunk);
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.ok(Buffer.concat(chunks).equals(whole));
  for await (const chunk of chunksOf(await call())) {
    assert.ok(chunk.length > 0);
    break;
  }
});
