import { createHmac, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

/** A webhook as received. */
interface Received {
  readonly id: string;
  readonly type: string;
  readonly task: { readonly id: string; readonly status: string };
  readonly verified: boolean;
}

export interface Receiver extends AsyncDisposable {
  readonly url: string;
  /** `host:port` */
  readonly address: string;
  readonly received: readonly Received[];
  /** The secret to verify signatures with; until it is set, nothing verifies. */
  secret: string;
  /** Secrets of further accounts. */
  readonly otherSecrets: string[];
}

/**
 * Verifies a signature according to Standard Webhooks 1.0; independent of the code that creates it.
 */
function isGenuine(secret: string, headers: IncomingMessage["headers"], body: string): boolean {
  const signed = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`;
  const key = Buffer.from(secret.replace("whsec_", ""), "base64");
  const expected = createHmac("sha256", key).update(signed).digest();
  const late = Math.abs(Date.now() / 1_000 - Number(headers["webhook-timestamp"]));
  const signatures = String(headers["webhook-signature"]).split(" ");
  return signatures.some((signature) => {
    const given = Buffer.from(signature.replace(/^v1,/, ""), "base64");
    return late < 300 && given.length === expected.length && timingSafeEqual(given, expected);
  });
}

/** Receives webhooks on a port of its own; every `refuseEvery`-th gets a 500. */
export async function startReceiver(options: { refuseEvery: number }): Promise<Receiver> {
  const received: Received[] = [];
  let count = 0;
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    count++;
    if (options.refuseEvery > 0 && count % options.refuseEvery === 0) return response.writeHead(500).end();
    const body = Buffer.concat(chunks).toString("utf8");
    const { type, data } = JSON.parse(body);
    const verified = [receiver.secret, ...receiver.otherSecrets].some((secret) =>
      isGenuine(secret, request.headers, body),
    );
    received.push({ id: String(request.headers["webhook-id"]), type, task: data, verified });
    return response.writeHead(204).end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const receiver: Receiver = {
    url: `http://${address}/hook`,
    address,
    received,
    secret: "whsec_",
    otherSecrets: [],
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return receiver;
}
