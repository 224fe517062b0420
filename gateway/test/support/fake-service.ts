import { currentName } from "@uag/contract/former-operations";
import { routes } from "@uag/contract/routes";
import { linkService, serveStream } from "@uag/link/grpc-server";
import { createLinkServer, type LinkHandler } from "@uag/link/server";
import type { LinkExchange } from "@uag/link/server-exchange";
import { insecure } from "@uag/runtime/rpc/identity";
import { serveRpc } from "@uag/runtime/rpc/server";

export interface FakeService extends AsyncDisposable {
  readonly address: string;
  /** Exchanges that reached a handler. */
  readonly seen: LinkExchange[];
  /** The handler of every operation; each test sets its own. */
  handler: LinkHandler;
  /** Cuts all links at once, as a killed process would. */
  kill(): Promise<void>;
}

/** The operations of all routes. */
const operations = routes.flatMap((route) => ("operation" in route ? [route.operation] : []));

/** Echoes the request, so that a test sees what the router forwarded. */
export const echo: LinkHandler = async (exchange) => {
  const body = await exchange.readBody({ maxBytes: 128 * 1024 * 1024 });
  const { operation, target, headers } = exchange;
  const response = Buffer.from(
    JSON.stringify({ operation, target, headers, bytes: body.length, text: body.toString().slice(0, 200) }),
  );
  exchange.respond(200, ["content-type", "application/json"], response);
};

/** A capability service behind the real link server over real gRPC. */
export async function startFakeService(): Promise<FakeService> {
  const seen: LinkExchange[] = [];
  const handle: LinkHandler = (exchange) => {
    seen.push(exchange);
    return service.handler(exchange);
  };
  const link = createLinkServer({
    operations: Object.fromEntries(operations.map((name) => [name, handle])),
    currentName,
  });
  const implementation = { link: serveStream({ accept: (attach) => link.accept(attach), refuse: () => false }) };
  const rpc = await serveRpc({
    identity: insecure,
    host: "127.0.0.1",
    port: 0,
    services: [{ definition: linkService, implementation }],
  });
  const stop = async (): Promise<void> => {
    await link.drain({ timeoutMs: 0 });
    await rpc[Symbol.asyncDispose]();
  };
  const service: FakeService = {
    address: `127.0.0.1:${rpc.port}`,
    seen,
    handler: echo,
    kill: stop,
    [Symbol.asyncDispose]: stop,
  };
  return service;
}
