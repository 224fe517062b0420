import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";

/** What the provider does with a request: bytes to send, one after another, and how to end. */
export interface OddResponse {
  readonly pieces: readonly (string | Buffer)[];
  /** Default: the connection is closed in order. */
  readonly end?: "close" | "reset" | "stay-open";
}

/** A TCP server in a provider's place that sends whatever bytes a test wants. */
export interface OddProvider extends AsyncDisposable {
  readonly url: string;
  /** The number of requests whose body contained this marker. */
  callsOf(marker: string): number;
  /** Responds to requests whose body contains the marker, so that tests can run side by side. */
  respond(marker: string, response: OddResponse): void;
}

const markers = /case-\w+/;

/** A response as bytes, with its length unless the headers name one or a transfer coding. */
export function httpBytes(status: string, headers: Readonly<Record<string, string>>, body: string | Buffer): Buffer {
  const bytes = Buffer.from(body);
  const framed = "content-length" in headers || "transfer-encoding" in headers;
  const all = framed ? headers : { ...headers, "content-length": String(bytes.length) };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.concat([Buffer.from(`HTTP/1.1 ${status}\r\n${lines.join("")}\r\n`), bytes]);
}

/** Starts the provider on a free port of this machine. */
export async function startOddProvider(): Promise<OddProvider> {
  const responses = new Map<string, OddResponse>();
  const calls = new Map<string, number>();
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
      request = "";
      calls.set(marker, (calls.get(marker) ?? 0) + 1);
      void send(socket, responses.get(marker) ?? { pieces: [] });
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    callsOf: (marker) => calls.get(marker) ?? 0,
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

async function send(socket: Socket, { pieces, end = "close" }: OddResponse): Promise<void> {
  for (const piece of pieces) {
    if (!socket.writable) return;
    socket.write(piece);
    // Each piece is received by itself.
    await new Promise((resolve) => setImmediate(resolve));
  }
  if (end === "close") socket.end();
  if (end === "reset") socket.resetAndDestroy();
}
