import type { Server } from "node:net";

/** What a child process of the benchmark reports once it listens. */
export interface Ready {
  readonly port: number;
}

/** Reports the port to the parent and exits with the parent, so that no process outlives the benchmark. */
export function serveParent(server: Server): void {
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  endWithParent(() => process.exit(0));
  reportToParent({ port: address.port } satisfies Ready);
}

/** Ctrl-C reaches the whole process group; only the parent handles it. */
export function endWithParent(end: () => void): void {
  process.on("SIGINT", () => undefined);
  process.on("SIGTERM", end);
  process.on("disconnect", end);
}

export function reportToParent(message: object): void {
  if (process.send === undefined) throw new Error("this program is started by the benchmark: npm run bench");
  process.send(message);
}
