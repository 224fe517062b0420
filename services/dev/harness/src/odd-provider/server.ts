import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** What the provider does with a request: bytes to send, one after another, and how to end. */
export interface OddResponse {
  /** Iterated anew for each request; endless if the iterable is. */
  readonly pieces: Iterable<string | Buffer>;
  /** Pause after each piece, milliseconds; default: none. */
  readonly pauseMs?: number;
  /** Default: the connection is closed in order. */
  readonly end?: "close" | "reset" | "stay-open";
}

/** Chooses a response by the request's bytes, for a call that consists of several requests. */
type Responder = (request: string) => OddResponse;

/** A TCP server that replaces a provider and sends the bytes that a test chooses. */
export interface OddProvider extends AsyncDisposable {
  readonly url: string;
  /** The number of requests that contained this marker, and this text if one is given. */
  callsOf(marker: string, text?: string): number;
  /** Responds to requests whose body contains the marker, so that tests can run side by side. */
  respond(marker: string, response: OddResponse | Responder): void;
}

const markers = /case-\w+/;

/** A response as bytes, with its length unless the headers name one or a transfer coding. */
export function httpBytes(status: string, headers: Readonly<Record<string, string>>, body: string | Buffer): Buffer {
  const bytes = Buffer.from(body);
  const framed = "content-length" in headers || "transfer-encoding" in headers;
  const length = framed ? {} : { "content-length": String(bytes.length) };
  // A client that sends its next request on a connection that is closing would retry it.
  const all = { connection: "close", ...headers, ...length };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.concat([Buffer.from(`HTTP/1.1 ${status}\r\n${lines.join("")}\r\n`), bytes]);
}

/** A chunk of a body in chunked coding. */
export function chunk(body: string | Buffer): Buffer {
  const bytes = Buffer.from(body);
  return Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from("\r\n")]);
}

/** Starts the provider on a free port of this machine. */
export async function startOddProvider(): Promise<OddProvider> {
  const responses = new Map<string, OddResponse | Responder>();
  const calls = new Map<string, string[]>();
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.setNoDelay(true);
    socket.on("close", () => open.delete(socket));
    socket.on("error", () => {});
    let request = "";
    socket.on("data", (chunk: Buffer) => {
      request += chunk.toString("latin1");
      if (!isComplete(request)) return;
      const [marker = ""] = markers.exec(request) ?? [];
      const response = responses.get(marker) ?? { pieces: [] };
      calls.set(marker, [...(calls.get(marker) ?? []), request]);
      void send(socket, typeof response === "function" ? response(request) : response);
      request = "";
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    callsOf: (marker, text = "") => (calls.get(marker) ?? []).filter((request) => request.includes(text)).length,
    respond: (marker, response) => void responses.set(marker, response),
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function isComplete(request: string): boolean {
  const end = request.indexOf("\r\n\r\n");
  const length = /content-length: (\d+)/i.exec(request)?.[1];
  return end >= 0 && request.length >= end + 4 + Number(length ?? 0);
}

async function send(socket: Socket, { pieces, pauseMs, end = "close" }: OddResponse): Promise<void> {
  for (const piece of pieces) {
    if (!socket.writable) return;
    // A reader that pauses or disconnects stops an endless response.
    if (!socket.write(piece)) await Promise.race([once(socket, "drain"), once(socket, "close")]).catch(() => {});
    // Each piece is received separately.
    await (pauseMs === undefined ? new Promise((resolve) => setImmediate(resolve)) : sleep(pauseMs));
  }
  if (end === "close") socket.end();
  if (end === "reset") socket.resetAndDestroy();
}
