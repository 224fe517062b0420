import type { ServiceDefinition } from "@grpc/grpc-js";
import { createRpcClient, type RpcClient } from "@uag/runtime/rpc/client";
import { type Identity, identityFrom } from "@uag/runtime/rpc/identity";
import type { Run } from "./run-file.ts";

/** The identity of a fleet's commands at its services. */
export function operatorIdentity(run: Pick<Run, "tls">): Identity {
  const { cert_file: cert, key_file: key, ca_file: ca } = run.tls;
  return identityFrom({ cert, key, ca });
}

/** Creates a client for a service of a running fleet, as its operator. */
export function operatorClient<S>(
  run: Pick<Run, "grpc" | "tls">,
  service: string,
  definition: ServiceDefinition,
): RpcClient<S> {
  return createRpcClient<S>(definition, run.grpc[service] ?? "", operatorIdentity(run));
}
