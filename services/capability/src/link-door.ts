import { Server, ServerCredentials } from "@grpc/grpc-js";
import { linkServerChannelOptions } from "@uag/kit/link/grpc-server.ts";
import type { LinkServer } from "@uag/kit/link/server.ts";
import type { RpcService } from "@uag/kit/rpc/server.ts";

export interface LinkDoor extends AsyncDisposable {
  readonly port: number;
}

/** Listens for links on `host:port` (0 picks a free port). Disposing lets requests under way finish for up to `drainMs`. */
export async function openLinkDoor(options: {
  link: LinkServer;
  /** More gRPC services on the same port. */
  services?: readonly RpcService[];
  host: string;
  port: number;
  drainMs: number;
}): Promise<LinkDoor> {
  const server = new Server(linkServerChannelOptions);
  options.link.register(server);
  for (const { definition, implementation } of options.services ?? []) server.addService(definition, implementation);
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync(`${options.host}:${options.port}`, ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    );
  });
  return {
    port,
    async [Symbol.asyncDispose]() {
      await options.link.drain({ timeoutMs: options.drainMs });
      server.forceShutdown();
    },
  };
}
