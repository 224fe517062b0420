/** The serving end, in a process of its own; the CPU time of both ends is added up. */
import { createServer } from "node:http2";
import type { AddressInfo } from "node:net";
import { Server, type ServerDuplexStream } from "@grpc/grpc-js";
import type { Identity } from "@uag/runtime/rpc/identity";
import { linkServerChannelOptions } from "../src/grpc-server.ts";
import { createLinkServer } from "../src/server.ts";
import { identityOf } from "./identity.ts";
import { chunks, jsonResponse, pairs, responseHeaders, sseChunk, streamPath, tickMs, unaryMethod } from "./shapes.ts";

/** Plain HTTP/2 with the same responses; resolves with its port. */
function serveHttp2(): Promise<number> {
  const head = { ":status": 200, ...Object.fromEntries(pairs(responseHeaders)) };
  const server = createServer().on("stream", (stream, { ":path": path }) => {
    stream.resume();
    stream.respond(head);
    if (path === "/json") {
      stream.on("end", () => stream.end(jsonResponse));
      return;
    }
    let left = chunks;
    const timer = setInterval(() => {
      stream.write(sseChunk);
      if (--left > 0) return;
      clearInterval(timer);
      stream.end();
    }, tickMs);
  });
  return new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port)));
}

async function serve(identity: Identity): Promise<void> {
  const link = createLinkServer({
    operations: {
      json: async (exchange) => {
        await exchange.readBody({ maxBytes: 1 << 20 });
        exchange.respond(200, responseHeaders, jsonResponse);
      },
      sse: async (exchange) => {
        exchange.head(200, responseHeaders);
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
      stream: { path: streamPath, requestStream: false, responseStream: true, ...codec },
    },
    {
      call: (_call: unknown, done: (error: null, response: Buffer) => void) => done(null, jsonResponse),
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
    server.bindAsync("127.0.0.1:0", identity.server, (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    );
  });
  process.on("message", () => process.send?.({ cpu: process.cpuUsage() }));
  process.send?.({ port, http2Port: await serveHttp2() });
}

await serve(identityOf("chat", process.argv[2]));
