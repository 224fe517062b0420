import { type AddressInfo, connect, createServer, type Socket } from "node:net";

export interface SwitchedBroker extends AsyncDisposable {
  readonly url: string;
  /** Drops all connections and accepts no new ones. */
  cut(): void;
  /** Keeps the connections but forwards nothing. */
  mute(): void;
  mend(): void;
}

/** A proxy to the real broker that a test can cut. */
export async function startSwitchedBroker(url: string): Promise<SwitchedBroker> {
  const { hostname, port, username, password } = new URL(url);
  const sockets = new Set<Socket>();
  let state: "open" | "cut" | "mute" = "open";
  const server = createServer((near) => {
    if (state === "cut") {
      near.destroy();
      return;
    }
    const far = connect(Number(port), hostname);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.on("error", () => to.destroy());
      from.on("close", () => {
        sockets.delete(from);
        to.destroy();
      });
      from.on("data", (chunk) => {
        if (state === "open") to.write(chunk);
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const drop = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: `nats://${username}:${password}@127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut() {
      state = "cut";
      drop();
    },
    mute() {
      state = "mute";
    },
    mend() {
      state = "open";
    },
    async [Symbol.asyncDispose]() {
      drop();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
