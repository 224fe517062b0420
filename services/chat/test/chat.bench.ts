// Measures the chat service alone: its process's CPU per request and per chunk, behind a real link
// and in front of a small upstream, with an admission that admits everything and writes nothing.
// node services/chat/test/chat.bench.ts [requests] [streams]

import { fork } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { parseCatalog } from "@uag/catalog/parse";
import { createLinkClient, type LinkClient } from "@uag/link/client";
import { dialGrpc } from "@uag/link/grpc-client";
import { createLinkServer } from "@uag/link/server";
import { createContext } from "@uag/pipeline/context";
import { openLinkListener } from "@uag/pipeline/link-listener";
import { handlersOf } from "@uag/pipeline/operation/operation";
import { Caller } from "@uag/proto/common/v1/caller.ts";
import { createLogger } from "@uag/runtime/log";
import { createMetrics } from "@uag/runtime/metrics";
import { insecure } from "@uag/runtime/rpc/identity";
import type { Admission } from "@uag/usage/types";
import { chatContext } from "../src/context.ts";
import { operations } from "../src/operations.ts";

const chunks = 200;
const concurrency = 64;
const role = process.argv[2];
const usage = '{"prompt_tokens":20,"completion_tokens":200,"total_tokens":220}';

function upstream(): void {
  const body = Buffer.from(
    `{"id":"chatcmpl-1","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"Hello there, how can I help?"},"finish_reason":"stop"}],"usage":${usage}}`,
  );
  const event = (inner: string): string =>
    `data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1763690000,"model":"m","choices":${inner}}\n\n`;
  const chunk = event('[{"index":0,"delta":{"content":" token"},"logprobs":null,"finish_reason":null}],"usage":null');
  const end = `${event(`[],"usage":${usage}`)}data: [DONE]\n\n`;
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      if (!Buffer.concat(parts).includes('"stream":true')) {
        response.writeHead(200, { "content-type": "application/json", "content-length": body.length });
        return response.end(body);
      }
      response.writeHead(200, { "content-type": "text/event-stream" });
      let sent = 0;
      const timer = setInterval(() => {
        response.write(chunk);
        if (++sent < chunks) return;
        clearInterval(timer);
        response.end(end);
      }, 10);
    });
  });
  server.keepAliveTimeout = 60_000;
  server.listen(0, "127.0.0.1", () => process.send?.({ port: (server.address() as AddressInfo).port }));
}

async function service(port: string): Promise<void> {
  const current = parseCatalog(
    `providers: { p: { protocol: openai, base_url: "http://127.0.0.1:${port}/v1", api_key: secret-key } }
models: [{ id: m, owned_by: o, created: 0, operations: [chat.completions], context_tokens: 100000, max_output_tokens: 1000, price: { input_tokens: 1, output_tokens: 2 }, upstreams: [{ provider: p }] }]`,
    {},
  );
  const done = Promise.resolve();
  const admitted = {
    flushStarted: () => done,
    headers: [],
    clientLeft: () => {},
    checkpoint: () => {},
    settle: () => done,
  };
  const admission: Admission = {
    admit: async () => admitted,
  };
  const log = createLogger({ service: "bench", level: "warn" });
  const catalog = { current, [Symbol.dispose]: () => {} };
  const options = { name: "chat", catalog, admission, log, metrics: createMetrics("bench"), egressAllow: [] };
  const context = chatContext(createContext(options));
  const listener = await openLinkListener({
    identity: insecure,
    link: createLinkServer({ operations: handlersOf(operations(context)) }),
    host: "127.0.0.1",
    port: 0,
    drainMs: 0,
  });
  process.on("message", () => process.send?.({ cpu: process.cpuUsage(), rss: process.memoryUsage().rss }));
  process.send?.({ port: listener.port });
}

const caller = Buffer.from(Caller.encode(Caller.fromPartial({ keyId: "k", accountId: "a" })).finish());

function call(client: LinkClient, body: Buffer): Promise<number> {
  return new Promise((resolve, reject) => {
    let bytes = 0;
    const call = client.open(
      {
        operation: "chat.completions",
        requestId: "r",
        target: "/v1/chat/completions",
        headers: ["content-type", "application/json"],
        context: caller,
      },
      {
        onHead: (status) => status !== 200 && reject(new Error(`status ${status}`)),
        onChunk: (chunk) => {
          bytes += chunk.length;
          call.consumed(chunk.length);
        },
        onEnd: () => resolve(bytes),
        onError: reject,
      },
    );
    call.writeBody(body);
    call.endBody();
  });
}

async function closedLoop(client: LinkClient, body: Buffer, count: number, width: number): Promise<void> {
  let left = count;
  const worker = async (): Promise<void> => {
    while (left-- > 0) await call(client, body);
  };
  await Promise.all(Array.from({ length: width }, worker));
}

async function main(): Promise<void> {
  const requests = Number(process.argv[2] ?? 20_000);
  const streams = Number(process.argv[3] ?? 200);
  const spawn = async (...args: string[]) => {
    const child = fork(import.meta.filename, args);
    const [message] = (await once(child, "message")) as [{ port: number }];
    return { child, port: message.port };
  };
  const up = await spawn("upstream");
  const chat = await spawn("service", String(up.port));
  const client = createLinkClient({ dial: dialGrpc(insecure, "chat"), targets: [`127.0.0.1:${chat.port}`] });
  await client.ready();
  const sample = async () => {
    chat.child.send("sample");
    const [{ cpu, rss }] = (await once(chat.child, "message")) as [{ cpu: NodeJS.CpuUsage; rss: number }];
    return { us: cpu.user + cpu.system, rss };
  };
  const json = Buffer.from(
    '{"model":"m","messages":[{"role":"system","content":"You are helpful."},{"role":"user","content":"Hello, how are you?"}],"temperature":0.7}',
  );
  const sse = Buffer.from('{"model":"m","stream":true,"messages":[{"role":"user","content":"Hello, how are you?"}]}');
  const measure = async (what: string, body: Buffer, count: number, width: number, units: number): Promise<void> => {
    const before = await sample();
    const started = performance.now();
    await closedLoop(client, body, count, width);
    const seconds = (performance.now() - started) / 1000;
    const after = await sample();
    const each = ((after.us - before.us) / (count * units)).toFixed(1);
    console.log(
      `${what}: ${each} us CPU each, ${Math.round((count * units) / seconds)}/s, RSS ${Math.round(after.rss / 1e6)} MB`,
    );
  };
  await closedLoop(client, json, Math.min(requests, 5_000), concurrency);
  await measure("JSON requests", json, requests, concurrency, 1);
  await measure("SSE chunks   ", sse, streams, 100, chunks);
  await client.close({ timeoutMs: 100 });
  chat.child.kill();
  up.child.kill();
}

if (role === "upstream") upstream();
else if (role === "service") await service(process.argv[3] as string);
else await main();
