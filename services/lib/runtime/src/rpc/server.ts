import {
  type ChannelOptions,
  type handleUnaryCall,
  Server,
  type ServiceDefinition,
  type UntypedServiceImplementation,
} from "@grpc/grpc-js";
import type { Peer } from "@uag/contract/access/rpc";
import { toGatewayError } from "@uag/contract/errors/gateway-error";
import type { Logger } from "../log.ts";
import { logServerError } from "../server-error.ts";
import type { Tracing } from "../tracing/tracing.ts";
import { guarded } from "./guard.ts";
import type { Identity } from "./identity.ts";
import { inProcess } from "./in-process.ts";
import { peerOf } from "./peer.ts";
import { toStatus } from "./status.ts";
import { inSpan } from "./trace.ts";

/** The caller's identity from its certificate; undefined without TLS. */
export type CallerOf = () => Peer | undefined;

/** A generated `XServiceServer` interface with each unary method as an async function. */
export type Handlers<S> = {
  [M in keyof S as S[M] extends handleUnaryCall<infer _Q, infer _A> ? M : never]: S[M] extends handleUnaryCall<
    infer Request,
    infer Response
  >
    ? (request: Request, who: CallerOf) => Promise<Response>
    : never;
};

type Unary = (request: unknown, who: CallerOf) => Promise<unknown>;

/** A generated gRPC service and its implementation. */
export interface RpcService {
  readonly definition: ServiceDefinition;
  readonly implementation: UntypedServiceImplementation;
}

/**
 * Binds async functions to a generated service. A thrown `GatewayError` becomes its status,
 * anything else `internal_error` without details. A failure whose HTTP status would be 500 or more
 * is logged with its cause, which the caller does not get.
 * @param tracing where traced callers' calls have spans
 */
export function unaryService<S>(
  definition: ServiceDefinition,
  handlers: Handlers<S>,
  log: Logger,
  tracing?: Tracing | undefined,
): RpcService {
  const implementation: UntypedServiceImplementation = {};
  for (const [name, handler] of Object.entries(handlers) as [string, Unary][]) {
    const method = definition[name]?.path.slice(1) ?? name;
    const unary: handleUnaryCall<unknown, unknown> = (call, callback) => {
      const work = () => handler(call.request, () => peerOf(call)?.peer);
      const done = tracing === undefined ? work() : inSpan({ tracing, metadata: call.metadata, method }, work);
      done.then(
        (response) => callback(null, response),
        (error: unknown) => {
          const known = toGatewayError(error);
          logServerError(log, known, { requestId: undefined, method: name, err: known.cause ?? known });
          callback(toStatus(known));
        },
      );
    };
    implementation[name] = unary;
  }
  return { definition, implementation };
}

/** A listening gRPC server. Disposing lets running calls finish, then closes it. */
export interface RpcServer extends AsyncDisposable {
  readonly port: number;
}

/** Where a gRPC server listens, under which identity, and what it serves. */
export interface ListenOptions {
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
  readonly identity: Identity;
  readonly services: readonly RpcService[];
  readonly channel?: ChannelOptions;
}

/** A port that serves gRPC. */
export interface Listening {
  readonly server: Server;
  readonly port: number;
  /** Accepts no more calls from this process; resolves when none runs. */
  readonly closeLocal: () => Promise<void>;
}

/** Opens a port for gRPC. Enforces the access table unless the identity is {@link insecure}. */
export async function listen(options: ListenOptions): Promise<Listening> {
  const { host, port, identity } = options;
  const server = new Server(options.channel);
  const handlers = new Map<string, UntypedServiceImplementation[string]>();
  for (const service of options.services) {
    const implementation = identity.enforced ? guarded(service, identity.trustDomains) : service.implementation;
    server.addService(service.definition, implementation);
    for (const [name, { path }] of Object.entries(service.definition)) {
      const handler = implementation[name];
      if (handler !== undefined) handlers.set(path, handler);
    }
  }
  const at = (number: number): string => `${host.includes(":") ? `[${host}]` : host}:${number}`;
  const bound = await new Promise<number>((resolve, reject) => {
    server.bindAsync(at(port), identity.server, (error, actual) => (error ? reject(error) : resolve(actual)));
  });
  return { server, port: bound, closeLocal: inProcess.listen(at(bound), { identity, handlers }) };
}

const usualStopTimeoutMs = 5_000;
const maxBytes = 64 * 1024 * 1024;

/** What {@link serveRpc} listens on and serves. */
export interface ServeOptions extends Omit<ListenOptions, "channel"> {
  /** How long disposing lets running calls finish, milliseconds; default 5,000. */
  readonly stopTimeoutMs?: number;
}

/** Listens for unary gRPC on `host:port` (0 picks a free port). */
export async function serveRpc({ stopTimeoutMs = usualStopTimeoutMs, ...options }: ServeOptions): Promise<RpcServer> {
  const limits = { "grpc.max_receive_message_length": maxBytes, "grpc.max_send_message_length": maxBytes };
  const { server, port, closeLocal } = await listen({ ...options, channel: limits });
  return {
    port,
    async [Symbol.asyncDispose]() {
      const { promise: stopped, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(() => {
        server.forceShutdown();
        // Connections still in their handshake survive that; do not wait for them.
        resolve();
      }, stopTimeoutMs);
      const local = closeLocal();
      server.tryShutdown(() => void local.then(resolve));
      await stopped;
      clearTimeout(timer);
    },
  };
}
