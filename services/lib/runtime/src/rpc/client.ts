import { Client, Metadata, type ServiceDefinition, type ServiceError, status } from "@grpc/grpc-js";
import { serversOf } from "@uag/contract/access/rpc";
import { affinityHeader, ConnectedReplicas, connectedReplicas } from "./affinity-balancer.ts";
import { balancedChannel } from "./channel.ts";
import type { Identity } from "./identity.ts";
import { inProcess } from "./in-process.ts";
import { LocalClient } from "./local-client.ts";
import { replicasOf } from "./replica-resolver.ts";
import type { Handlers } from "./server.ts";
import { fromStatus } from "./status.ts";
import { addTraceparent } from "./trace.ts";

/** Bounds of one unary call. */
export interface CallOptions {
  /** Milliseconds. Default: the client's. */
  timeoutMs?: number;
  signal?: AbortSignal;
  /**
   * Calls with the same affinity, such as an account's id, go to the same replica as long as it is
   * connected, from whichever process. Without one, replicas are called in turn.
   */
  affinity?: string | undefined;
}

/** The methods of a generated service as async functions; each rejects with a `GatewayError`. */
export type RpcClient<S> = {
  [M in keyof Handlers<S>]: Handlers<S>[M] extends (request: infer Request, ...rest: never[]) => Promise<infer Response>
    ? (request: Request, options?: CallOptions) => Promise<Response>
    : never;
} & Disposable;

const defaultTimeoutMs = 5_000;

/** Attempts of a call that stopping replicas refuse. */
const mostTries = 5;

/**
 * True when the call never reached a handler: its connection closed for new calls while it was in
 * progress. The library repeats such a call only once, too little when two replicas stop at a time,
 * and identifies the failure by this text only.
 */
function wasRefused({ code, details }: ServiceError): boolean {
  return code === status.UNAVAILABLE && details === "Stream refused by server";
}

const replicasBehind = new WeakMap<object, ConnectedReplicas>();

/**
 * The replica that calls with this affinity go to at present, so that what goes to the same one can
 * be sent together; empty when none is connected.
 */
export function replicaFor(client: object, affinity: string): string {
  return replicasBehind.get(client)?.for(affinity)?.address ?? "";
}

/**
 * Connects lazily to all replicas of a service, which are called in turn or by affinity. A service
 * in this process is called without a connection.
 * @param addresses comma-separated `host:port`; each address behind a name is a replica
 * @param timeoutMs of calls without one of their own; default 5,000
 * @throws {Error} when an address is not a `host:port`
 */
export function createRpcClient<S>(
  definition: ServiceDefinition,
  addresses: string,
  identity: Identity,
  { timeoutMs = defaultTimeoutMs }: Pick<CallOptions, "timeoutMs"> = {},
): RpcClient<S> {
  const servers = serversOf(Object.values(definition)[0]?.path ?? "");
  if (inProcess.isShared(addresses))
    return localClient<S>(definition, new LocalClient(addresses, { identity, servers }), timeoutMs);
  const replicas = new ConnectedReplicas();
  const client = new Client(replicasOf(addresses), identity.channel(servers), {
    ...balancedChannel,
    [connectedReplicas]: replicas,
    "grpc.max_receive_message_length": 64 * 1024 * 1024,
    "grpc.max_send_message_length": 64 * 1024 * 1024,
  });
  const methods: Record<string, unknown> = {};
  for (const [name, method] of Object.entries(definition)) {
    methods[name] = (request: unknown, options: CallOptions = {}) =>
      new Promise((resolve, reject) => {
        const deadline = Date.now() + (options.timeoutMs ?? timeoutMs);
        const attempt = (triesLeft: number): void => {
          const metadata = new Metadata();
          addTraceparent(metadata);
          // A replica that has refused a call is not called again.
          if (options.affinity !== undefined && triesLeft === mostTries) metadata.set(affinityHeader, options.affinity);
          const call = client.makeUnaryRequest(
            method.path,
            method.requestSerialize,
            method.responseDeserialize,
            request,
            metadata,
            { deadline },
            (error: ServiceError | null, response?: unknown) => {
              options.signal?.removeEventListener("abort", cancel);
              if (error === null) resolve(response);
              else if (triesLeft > 1 && wasRefused(error) && !options.signal?.aborted) attempt(triesLeft - 1);
              else reject(fromStatus(error));
            },
          );
          const cancel = (): void => call.cancel();
          options.signal?.addEventListener("abort", cancel, { once: true });
        };
        attempt(mostTries);
      });
  }
  const made = Object.assign(methods, { [Symbol.dispose]: () => client.close() }) as RpcClient<S>;
  replicasBehind.set(made, replicas);
  return made;
}

/** The methods of a service in this process. */
function localClient<S>(definition: ServiceDefinition, client: LocalClient, usualMs: number): RpcClient<S> {
  const methods: Record<string, unknown> = {};
  for (const [name, method] of Object.entries(definition)) {
    methods[name] = async (request: unknown, { timeoutMs = usualMs, signal }: CallOptions = {}) => {
      const metadata = new Metadata();
      addTraceparent(metadata);
      try {
        return await client.call(method, request, { metadata, timeoutMs, signal });
      } catch (error) {
        throw fromStatus(error as ServiceError);
      }
    };
  }
  return Object.assign(methods, { [Symbol.dispose]: () => client.close() }) as RpcClient<S>;
}
