import type { Peer } from "@uag/contract/access/rpc";
import type { Identity } from "@uag/runtime/rpc/identity";
import { inProcess } from "@uag/runtime/rpc/in-process";
import { dialGrpc } from "./grpc-client.ts";
import { dialLocal } from "./in-process.ts";
import type { Dial } from "./transport.ts";

/** Opens links to a service: within this process where it runs here, otherwise over gRPC. */
export function dialReplica(identity: Identity, service: Peer): Dial {
  const [local, grpc] = [dialLocal(identity, service), dialGrpc(identity, service)];
  return (address, events) => (inProcess.isShared(address) ? local : grpc)(address, events);
}
