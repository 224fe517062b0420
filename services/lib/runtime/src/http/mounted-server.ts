import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { type DrainOptions, drainServer } from "./drain-server.ts";
import { keepAlive } from "./keep-alive.ts";

/** An HTTP server behind the router. Disposing drains it. */
export interface MountedServer extends AsyncDisposable {
  readonly port: number;
}

/**
 * Starts an HTTP server that the router proxies a mount to. Disposing lets requests in flight
 * finish.
 * @param options `port` 0 picks a free one; `lingerMs` and `drainMs` hold after disposal
 * @throws the error of listening, such as a port in use
 */
export async function startMountedServer(
  listener: RequestListener,
  { host, port, lingerMs, drainMs }: { readonly host: string; readonly port: number } & DrainOptions,
): Promise<MountedServer> {
  const server = createServer(keepAlive, listener);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      await drainServer(server, { lingerMs, drainMs });
    },
  };
}
