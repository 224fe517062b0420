/**
 * CPU of the link at both ends, per exchange and per chunk, beside a gRPC call for each; and of its
 * codec beside the generated one. With `BENCH_TLS_DIR` (the `tls` folder of a fleet's data
 * directory) over mutual TLS, without it in the clear.
 */

import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { Client, Server, type ServerDuplexStream } from "@grpc/grpc-js";
import type { Peer as PeerName } from "@uag/kit/rpc/access.ts";
import { internalChannel } from "@uag/kit/rpc/channel.ts";
import { type Identity, identityFrom, insecure } from "@uag/kit/rpc/identity.ts";
import { FrameBatch } from "@uag/proto/link/v1/link.ts";
import { BatchReader } from "../src/batch-reader.ts";
import { BatchWriter } from "../src/batch-writer.ts";
import type { LinkAnswer, LinkCall } from "../src/call.ts";
import { createLinkClient, type LinkClient } from "../src/client.ts";
import type { LinkError } from "../src/errors.ts";
import type { FrameSink, OpenFrame } from "../src/frames.ts";
import { dialGrpc } from "../src/grpc-client.ts";
import { linkServerChannelOptions } from "../src/grpc-server.ts";
import { createLinkServer } from "../src/server.ts";

const inFlight = 64;
const streamCount = 50;
const chunks = 100;
const tickMs = 10;
const jsonBody = Buffer.alloc(600, "a");
const jsonAnswer = Buffer.alloc(900, "b");
const sseChunk = Buffer.alloc(220, "c");
const requestHeaders = [
  "content-type",
  "application/json",
  "accept",
  "application/json",
  "user-agent",
  "OpenAI/JS 5.1.0",
  "x-stainless-lang",
  "js",
  "x-stainless-os",
  "Linux",
  "x-stainless-arch",
  "x64",
  "x-stainless-runtime",
  "node",
  "x-stainless-retry-count",
  "0",
  "content-length",
  "600",
  "accept-encoding",
  "gzip, deflate",
];
const answerHeaders = ["content-type", "application/json", "x-request-id", "req_01k", "openai-processing-ms", "12"];
const unaryMethod = { path: "/bench.Unary/Call", same: (bytes: Buffer): Buffer => bytes };

function identityOf(name: PeerName): Identity {
  const dir = process.env["BENCH_TLS_DIR"];
  if (dir === undefined) return insecure;
  return identityFrom({ cert: `${dir}/${name}.crt`, key: `${dir}/${name}.key`, ca: `${dir}/ca.crt` });
}

function openFrame(n: number): OpenFrame {
  return {
    operation: "chat.completions",
    requestId: `req_${n.toString(36).padStart(24, "0")}`,
    target: "/v1/chat/completions",
    headers: requestHeaders,
    context: Buffer.alloc(120, "k"),
    deadlineMs: 600_000,
    bodyless: false,
  };
}

async function serve(): Promise<void> {
  const link = createLinkServer({
    operations: {
      json: async (exchange) => {
        await exchange.readBody({ maxBytes: 1 << 20 });
        exchange.respond(200, answerHeaders, jsonAnswer);
      },
      sse: async (exchange) => {
        exchange.head(200, answerHeaders);
        let left = chunks;
        const timer = setInterval(() => {
          exchange.write(sseChunk);
          if (--left > 0) return;
          clearInterval(timer);
          exchange.end();
        }, tickMs);
        while (left > 0) await new Promise((resolve) => setTimeout(resolve, tickMs * 4));
      },
    },
  });
  const server = new Server(linkServerChannelOptions);
  server.addService(link.rpc.definition, link.rpc.implementation);
  const { path, same } = unaryMethod;
  const codec = {
    requestSerialize: same,
    requestDeserialize: same,
    responseSerialize: same,
    responseDeserialize: same,
  };
  server.addService(
    {
      call: { path, requestStream: false, responseStream: false, ...codec },
      stream: { path: "/bench.Unary/Stream", requestStream: false, responseStream: true, ...codec },
    },
    {
      call: (_call: unknown, done: (error: null, answer: Buffer) => void) => done(null, jsonAnswer),
      stream: (call: ServerDuplexStream<Buffer, Buffer>) => {
        let left = chunks;
        const timer = setInterval(() => {
          call.write(sseChunk);
          if (--left > 0) return;
          clearInterval(timer);
          call.end();
        }, tickMs);
      },
    },
  );
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", identityOf("chat").server, (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    );
  });
  process.on("message", () => process.send?.({ cpu: process.cpuUsage() }));
  process.send?.({ port });
}

class Peer {
  readonly child: ChildProcess;
  constructor(child: ChildProcess) {
    this.child = child;
  }
  async cpuUs(): Promise<number> {
    this.child.send("cpu");
    const [{ cpu }] = (await once(this.child, "message")) as [{ cpu: NodeJS.CpuUsage }];
    const own = process.cpuUsage();
    return cpu.user + cpu.system + own.user + own.system;
  }
}

class Sink implements LinkAnswer {
  call: LinkCall | undefined;
  readonly #done: (error?: LinkError) => void;
  constructor(done: (error?: LinkError) => void) {
    this.#done = done;
  }
  onHead(): void {}
  onChunk(chunk: Buffer): void {
    this.call?.consumed(chunk.length);
  }
  onEnd(): void {
    this.#done();
  }
  onError(error: LinkError): void {
    this.#done(error);
  }
}

type Once = (n: number, done: (error?: Error | null) => void) => void;

function viaLink(client: LinkClient, operation: string): Once {
  return (n, done) => {
    const sink = new Sink(done);
    sink.call = client.open({ ...openFrame(n), operation }, sink);
    sink.call.writeBody(jsonBody);
    sink.call.endBody();
  };
}

function closedLoop(options: { count: number; concurrency: number; once: Once }): Promise<void> {
  return new Promise((resolve, reject) => {
    let started = 0;
    let finished = 0;
    const next = (): void => {
      if (started >= options.count) return;
      options.once(started++, (error) => {
        if (error) reject(error);
        if (++finished === options.count) resolve();
        else next();
      });
    };
    for (let i = 0; i < options.concurrency; i++) next();
  });
}

interface Load {
  name: string;
  count: number;
  concurrency: number;
  per: number;
  unit: string;
  once: Once;
}

async function run(peer: Peer, load: Load): Promise<void> {
  await closedLoop({ ...load, count: Math.ceil(load.count / 2) });
  const cpu = await peer.cpuUs();
  const started = performance.now();
  await closedLoop(load);
  const seconds = (performance.now() - started) / 1000;
  const used = (await peer.cpuUs()) - cpu;
  const total = load.count * load.per;
  const rate = `${Math.round(total / seconds)} ${load.unit}s/s`;
  process.stdout.write(`${load.name.padEnd(44)} ${(used / total).toFixed(1)} us CPU a ${load.unit}, ${rate}\n`);
}

const nothing = (): void => {};
const ignore: FrameSink = {
  onOpen: nothing,
  onBody: nothing,
  onEnd: nothing,
  onHead: nothing,
  onChunk: nothing,
  onTrailer: nothing,
  onCancel: nothing,
  onCredit: nothing,
  onDrain: nothing,
};

/** One exchange each way: open, body, end; head, chunk, trailer; eight of them in a batch. */
function tuned(writer: BatchWriter, reader: BatchReader): void {
  for (let i = 1; i <= 8; i++) {
    writer.open(i, openFrame(i));
    writer.beginBytes("body", i, jsonBody.length);
    writer.append(jsonBody, 0, jsonBody.length);
    writer.end(i);
    writer.head(i, 200, answerHeaders);
    writer.beginBytes("chunk", i, jsonAnswer.length);
    writer.append(jsonAnswer, 0, jsonAnswer.length);
    writer.trailer(i, "");
  }
  reader.read(writer.take(), ignore);
}

function generated(): void {
  const frames: FrameBatch["frames"] = [];
  for (let i = 1; i <= 8; i++) {
    const open = openFrame(i);
    frames.push({ exchange: i, kind: { $case: "open", value: { ...open, headers: [...open.headers] } } });
    frames.push({ exchange: i, kind: { $case: "body", value: jsonBody } });
    frames.push({ exchange: i, kind: { $case: "end", value: {} } });
    frames.push({ exchange: i, kind: { $case: "head", value: { status: 200, headers: answerHeaders } } });
    frames.push({ exchange: i, kind: { $case: "chunk", value: jsonAnswer } });
    frames.push({ exchange: i, kind: { $case: "trailer", value: { errorCode: "" } } });
  }
  FrameBatch.decode(FrameBatch.encode({ frames }).finish());
}

function codec(name: string, once: () => void): void {
  for (let i = 0; i < 5_000; i++) once();
  const rounds = 20_000;
  const before = process.cpuUsage();
  for (let i = 0; i < rounds; i++) once();
  const { user, system } = process.cpuUsage(before);
  const us = (user + system) / rounds / 8;
  process.stdout.write(`${name.padEnd(44)} ${us.toFixed(2)} us CPU an exchange (encoded and decoded, both ways)\n`);
}

async function bench(): Promise<void> {
  const writer = new BatchWriter();
  const reader = new BatchReader();
  codec("codec: generated", generated);
  codec("codec: the link's own", () => tuned(writer, reader));
  const child = fork(import.meta.filename, ["serve"]);
  const [{ port }] = (await once(child, "message")) as [{ port: number }];
  const peer = new Peer(child);
  const client = createLinkClient({ dial: dialGrpc(identityOf("router"), "chat"), targets: [`127.0.0.1:${port}`] });
  const plain = new Client(`127.0.0.1:${port}`, identityOf("router").channel(["chat"]), internalChannel);
  await client.ready();
  const { path, same } = unaryMethod;
  const json = { count: 40_000, concurrency: inFlight, per: 1, unit: "exchange" };
  const sse = { count: 400, concurrency: streamCount, per: chunks, unit: "chunk" };
  await run(peer, { ...json, name: "JSON: the link", once: viaLink(client, "json") });
  await run(peer, {
    ...json,
    name: "JSON: a unary gRPC call each",
    count: 10_000,
    once: (_n, done) => plain.makeUnaryRequest(path, same, same, jsonBody, done),
  });
  await run(peer, {
    ...json,
    name: "JSON, one at a time: the link",
    concurrency: 1,
    count: 5_000,
    once: viaLink(client, "json"),
  });
  await run(peer, { ...sse, name: "SSE, 50 streams: the link", once: viaLink(client, "sse") });
  await run(peer, {
    ...sse,
    name: "SSE, 50 streams: a gRPC stream each",
    once: (_n, done) => {
      const call = plain.makeServerStreamRequest("/bench.Unary/Stream", same, same, jsonBody);
      call.on("data", nothing);
      call.on("error", done);
      call.on("end", () => done());
    },
  });
  await client.close();
  plain.close();
  child.kill();
}

await (process.argv[2] === "serve" ? serve() : bench());
