/**
 * The provider behind the benchmark's gateways: chat completions, embeddings and Gemini's
 * generateContent on raw sockets, several times as fast as any of them. It runs as its own process and reports its port to its
 * parent.
 */
import { createServer, type Socket } from "node:net";
import { serveParent } from "./child.ts";
import { embeddingsResponse, type VectorFormat } from "./embeddings.ts";
import { geminiResponse } from "./gemini.ts";
import { MessageReader } from "./message-reader.ts";
import { chunkMark, jsonResponse, jsonUsage, monotonicUs, type StreamShape } from "./responses.ts";

interface RequestedChat {
  readonly nonce: string;
  readonly model: string;
  readonly stream?: StreamShape & { readonly includeUsage: boolean };
}

const sseHead =
  "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\ncache-control: no-cache\r\ntransfer-encoding: chunked\r\n\r\n";

/** Reads the request by pattern: parsing it as JSON would be most of the upstream's work. */
function parseChat(body: string): RequestedChat | undefined {
  const nonce = /nonce=(\d{12})/.exec(body)?.[1];
  const model = /"model"\s*:\s*"([^"]*)"/.exec(body)?.[1];
  if (nonce === undefined || model === undefined) return undefined;
  if (!/"stream"\s*:\s*true/.test(body)) return { nonce, model };
  const shape = /chunks=(\d+) interval_ms=(\d+)/.exec(body);
  if (shape === null) return undefined;
  const includeUsage = /"include_usage"\s*:\s*true/.test(body);
  return { nonce, model, stream: { chunks: Number(shape[1]), intervalMs: Number(shape[2]), includeUsage } };
}

function frame(payload: string): string {
  return `${payload.length.toString(16)}\r\n${payload}\r\n`;
}

function streamResponse(options: {
  readonly socket: Socket;
  readonly received: RequestedChat;
  readonly shape: NonNullable<RequestedChat["stream"]>;
}): void {
  const { socket, received: requested, shape } = options;
  const common = `data: {"id":"chatcmpl-${requested.nonce}","object":"chat.completion.chunk","created":1760000000,"model":"${requested.model}","system_fingerprint":"fp_bench",`;
  const tail = shape.includeUsage ? `,"usage":null}\n\n` : "}\n\n";
  const usage = { ...jsonUsage, completion_tokens: shape.chunks, total_tokens: jsonUsage.prompt_tokens + shape.chunks };
  let index = 0;
  const timer = setInterval(next, shape.intervalMs);
  const stop = () => clearInterval(timer);
  socket.once("close", stop);
  socket.write(sseHead);
  next();

  function next(): void {
    if (index < shape.chunks) {
      const role = index === 0 ? `"role":"assistant",` : "";
      const text = `${chunkMark(index, requested.nonce)}${String(monotonicUs()).padStart(16, "0")} token`;
      const delta = `"choices":[{"index":0,"delta":{${role}"content":"${text}"},"logprobs":null,"finish_reason":null}]`;
      index += 1;
      socket.write(frame(common + delta + tail));
      return;
    }
    stop();
    socket.off("close", stop);
    const finish = frame(`${common}"choices":[{"index":0,"delta":{},"logprobs":null,"finish_reason":"stop"}]${tail}`);
    const used = shape.includeUsage ? frame(`${common}"choices":[],"usage":${JSON.stringify(usage)}}\n\n`) : "";
    socket.write(`${finish}${used}${frame("data: [DONE]\n\n")}0\r\n\r\n`);
  }
}

const nonceIn = (body: string): string => /nonce=(\d{12})/.exec(body)?.[1] ?? "";

function writeJson(socket: Socket, text: string): void {
  socket.write(
    `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${text.length}\r\n\r\n${text}`,
    "latin1",
  );
}

function embeddings(socket: Socket, body: string): void {
  const model = /"model"\s*:\s*"([^"]*)"/.exec(body)?.[1] ?? "";
  const format: VectorFormat = /"encoding_format"\s*:\s*"base64"/.test(body) ? "base64" : "float";
  writeJson(socket, embeddingsResponse({ model, nonce: nonceIn(body), format }));
}

function respond(socket: Socket, request: { readonly head: string; readonly body: string }): void {
  if (request.head.startsWith("POST /v1/embeddings ")) {
    embeddings(socket, request.body);
    return;
  }
  if (/^POST \S+:generateContent /.test(request.head)) {
    writeJson(socket, geminiResponse(nonceIn(request.body)));
    return;
  }
  const requested = request.head.startsWith("POST /v1/chat/completions ") ? parseChat(request.body) : undefined;
  if (requested === undefined) {
    const text = `{"error":{"message":"unknown request","type":"invalid_request_error","code":null,"param":null}}`;
    socket.write(
      `HTTP/1.1 400 Bad Request\r\ncontent-type: application/json\r\ncontent-length: ${text.length}\r\n\r\n${text}`,
    );
  } else if (requested.stream === undefined) {
    const text = jsonResponse(requested);
    socket.write(
      `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nx-request-id: req_${requested.nonce}\r\ncontent-length: ${text.length}\r\n\r\n${text}`,
    );
  } else {
    streamResponse({ socket, received: requested, shape: requested.stream });
  }
}

const server = createServer({ noDelay: true }, (socket) => {
  let head = "";
  let body = "";
  const reader = new MessageReader({
    kind: "request",
    sink: {
      head: (text) => {
        head = text;
        body = "";
      },
      body: (bytes) => {
        body += bytes.toString("latin1");
      },
      end: () => respond(socket, { head, body }),
    },
  });
  socket.on("data", (bytes) => reader.push(bytes));
  // Ignores dropped connections, because the load generator reports their effect.
  socket.on("error", () => socket.destroy());
});

const port = Number(process.argv[2] ?? 0);
server.listen({ port, host: "127.0.0.1", backlog: 4_096 }, () => serveParent(server));
