import { linkServerChannelOptions } from "@uag/link/grpc-server";
import type { LinkServer } from "@uag/link/server";
import type { Identity } from "@uag/runtime/rpc/identity";
import { listen, type RpcService } from "@uag/runtime/rpc/server";

/** A port that accepts links. Disposing drains it. */
export interface LinkListener extends AsyncDisposable {
  readonly port: number;
}

/**
 * Listens for links on `host:port` (0 picks a free port). Disposing lets requests in flight finish
 * for up to `drainMs`.
 */
export async function openLinkListener(options: {
  link: LinkServer;
  /** What else the port serves. */
  services?: readonly RpcService[];
  identity: Identity;
  host: string;
  port: number;
  drainMs: number;
}): Promise<LinkListener> {
  const services = [options.link.rpc, ...(options.services ?? [])];
  const { server, port, closeLocal } = await listen({ ...options, services, channel: linkServerChannelOptions });
  return {
    port,
    async [Symbol.asyncDispose]() {
      await options.link.drain({ timeoutMs: options.drainMs });
      void closeLocal();
      server.forceShutdown();
    },
  };
}
