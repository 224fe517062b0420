import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** A proxy to MongoDB that can be closed, which makes MongoDB unreachable through it. */
export interface MongoGate extends AsyncDisposable {
  readonly url: string;
  close(): void;
  open(): void;
}

export async function startMongoGate(url: string): Promise<MongoGate> {
  const target = new URL(url);
  const sockets = new Set<Socket>();
  let isOpen = true;
  const server = createServer((near) => {
    if (!isOpen) return near.destroy();
    const far = connect(Number(target.port), target.hostname);
    for (const [one, other] of [[near, far] as const, [far, near] as const]) {
      sockets.add(one);
      one.on("error", () => other.destroy());
      one.on("close", () => {
        sockets.delete(one);
        other.destroy();
      });
      one.pipe(other);
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const close = (): void => {
    isOpen = false;
    for (const socket of sockets) socket.destroy();
  };
  const way = new URL(url);
  way.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  way.searchParams.delete("replicaSet");
  // As in production, a connection to an unreachable database fails quickly.
  for (const wait of ["serverSelectionTimeoutMS", "connectTimeoutMS", "waitQueueTimeoutMS"])
    way.searchParams.delete(wait);
  way.searchParams.set("directConnection", "true");
  return {
    url: way.href,
    close,
    open: () => {
      isOpen = true;
    },
    async [Symbol.asyncDispose]() {
      close();
      server.close();
    },
  };
}
