import { namespace } from "../fleet/install.ts";
import type { Around, Finding } from "./under-load.ts";

/** Connections between pods, by the workload that has the shell, and whether the charts allow them. */
const connections = [
  ["deploy/uag-router", "uag-billing-grpc", 50051, true],
  ["statefulset/uag-chat", "uag-metering-grpc", 50051, true],
  ["deploy/uag-billing", "uag-mongodb", 27017, true],
  ["deploy/uag-router", "uag-mongodb", 27017, false],
  ["deploy/uag-mcp", "uag-billing-grpc", 50051, false],
  ["deploy/uag-console", "uag-chat-grpc", 50051, false],
  ["deploy/simulator", "uag-billing-grpc", 50051, false],
  ["deploy/simulator", "uag-nats", 4222, false],
  ["deploy/simulator", "uag-router-admin", 9464, false],
  ["deploy/simulator", "uag-router", 8080, true],
] as const;

/** A program that ends with 0 when a connection is opened within three seconds. */
const connect = `require("net").connect({ host: process.argv[1], port: process.argv[2], timeout: 3_000 })
  .on("connect", () => process.exit(0)).on("error", () => process.exit(1)).on("timeout", () => process.exit(1))`;

/** Opens connections between pods: those that the charts' policies name, and others. */
export async function network({ kubectl, policies }: Around): Promise<Finding> {
  const problems: string[] = [];
  let refused = 0;
  for (const [from, host, port, allowed] of connections) {
    const program = ["node", "-e", connect, host, String(port)];
    const { code } = await kubectl.ran(["--namespace", namespace, "exec", from, "--", ...program]);
    if ((code === 0) !== allowed) problems.push(`${from} ${code === 0 ? "reaches" : "does not reach"} ${host}:${port}`);
    if (code !== 0) refused++;
  }
  const { items } = await kubectl.get("--all-namespaces", "networkpolicies");
  const allowed = connections.length - refused;
  const figures = `${items.length} policies; ${allowed} connections allowed, ${refused} denied`;
  return { figures: `${figures}, ${await policies.denied()} packets dropped so far`, problems };
}
