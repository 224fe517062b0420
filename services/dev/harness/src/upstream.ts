import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A request that reached the upstream. */
interface ReceivedRequest {
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: Buffer;
  /** The body as text. */
  readonly text: string;
  /** The body as JSON. @throws {SyntaxError} */
  readonly json: Record<string, unknown>;
  /** Resolves when the gateway closes the connection before the response's end. */
  readonly left: Promise<void>;
}

/** Responds to a request as an upstream. */
export type Script = (received: ReceivedRequest, response: ServerResponse) => void | Promise<void>;

/** An HTTP server that replaces a provider. */
export interface TestUpstream extends AsyncDisposable {
  readonly url: string;
  readonly received: ReceivedRequest[];
  /** Responds to each request; replaced by tests. */
  script: Script;
}

function receivedOf(request: IncomingMessage, body: Buffer, left: Promise<void>): ReceivedRequest {
  return {
    path: request.url ?? "",
    headers: request.headers,
    body,
    get text() {
      return body.toString("utf8");
    },
    get json() {
      return JSON.parse(this.text) as Record<string, unknown>;
    },
    left,
  };
}

/** Starts an upstream on a free port of this machine. Disposing closes its connections. */
export async function startUpstream(script: Script = () => {}): Promise<TestUpstream> {
  const received: ReceivedRequest[] = [];
  const server = createServer(async (request, response) => {
    const left = new Promise<void>((resolve) => response.once("close", () => !response.writableFinished && resolve()));
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const one = receivedOf(request, Buffer.concat(chunks), left);
    received.push(one);
    await upstream.script(one, response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const upstream: TestUpstream = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    script,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return upstream;
}
