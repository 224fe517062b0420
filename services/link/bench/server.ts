/** The serving end: a process of its own, so that both ends' processors are counted apart from the rest. */
import { Server, type ServerDuplexStream } from "@grpc/grpc-js";
import type { Identity } from "@uag/kit/rpc/identity.ts";
import { linkServerChannelOptions } from "../src/grpc-server.ts";
import { createLinkServer } from "../src/server.ts";
import { identityOf } from "./identity.ts";
import { ANSWER_HEADERS, CHUNKS, JSON_ANSWER, SSE_CHUNK, streamPath, TICK_MS, unaryMethod } from "./shapes.ts";

async function serve(identity: Identity): Promise<void> {
  const link = createLinkServer({
    operations: {
      json: async (exchange) => {
        await exchange.readBody({ maxBytes: 1 << 20 });
        exchange.respond(200, ANSWER_HEADERS, JSON_ANSWER);
      },
      sse: async (exchange) => {
        exchange.head(200, ANSWER_HEADERS);
        let left = CHUNKS;
        const timer = setInterval(() => {
          exchange.write(SSE_CHUNK);
          if (--left > 0) return;
          clearInterval(timer);
          exchange.end();
        }, TICK_MS);
        while (left > 0) await new Promise((resolve) => setTimeout(resolve, TICK_MS * 4));
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
      call: (_call: unknown, done: (error: null, answer: Buffer) => void) => done(null, JSON_ANSWER),
      stream: (call: ServerDuplexStream<Buffer, Buffer>) => {
        let left = CHUNKS;
        const timer = setInterval(() => {
          call.write(SSE_CHUNK);
          if (--left > 0) return;
          clearInterval(timer);
          call.end();
        }, TICK_MS);
      },
    },
  );
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", identity.server, (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    );
  });
  process.on("message", () => process.send?.({ cpu: process.cpuUsage() }));
  process.send?.({ port });
}

await serve(identityOf("chat", process.argv[2]));
