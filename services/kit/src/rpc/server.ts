import {
  type handleUnaryCall,
  Server,
  ServerCredentials,
  type ServiceDefinition,
  type UntypedServiceImplementation,
} from "@grpc/grpc-js";
import { toGatewayError } from "../errors.ts";
import type { Logger } from "../log.ts";
import { toStatus } from "./status.ts";

/** A generated `XServiceServer` interface with each unary method as an async function. */
export type Handlers<S> = {
  [M in keyof S as S[M] extends handleUnaryCall<infer _Q, infer _A> ? M : never]: S[M] extends handleUnaryCall<
    infer Request,
    infer Answer
  >
    ? (request: Request) => Promise<Answer>
    : never;
};

export interface RpcService {
  readonly definition: ServiceDefinition;
  readonly implementation: UntypedServiceImplementation;
}

/**
 * Binds async functions to a generated service. A thrown `GatewayError` becomes its status; anything else is logged and
 * becomes `internal_error` without its detail.
 */
export function unaryService<S>(definition: ServiceDefinition, handlers: Handlers<S>, log: Logger): RpcService {
  const implementation: UntypedServiceImplementation = {};
  for (const [name, handler] of Object.entries(handlers) as [string, (request: unknown) => Promise<unknown>][]) {
    const unary: handleUnaryCall<unknown, unknown> = (call, callback) => {
      handler(call.request).then(
        (answer) => callback(null, answer),
        (error: unknown) => {
          const known = toGatewayError(error);
          if (known.code === "internal_error") log.error({ err: known.cause ?? known, method: name }, "call failed");
          callback(toStatus(known));
        },
      );
    };
    implementation[name] = unary;
  }
  return { definition, implementation };
}

export interface RpcServer extends AsyncDisposable {
  readonly port: number;
}

const stopTimeoutMs = 5_000;

/** Listens for gRPC on `host:port` (0 picks a free port). Disposing lets running calls finish for up to 5 s. */
export async function serveRpc(options: { host: string; port: number; services: RpcService[] }): Promise<RpcServer> {
  const server = new Server({
    "grpc.max_receive_message_length": 64 * 1024 * 1024,
    "grpc.max_send_message_length": 64 * 1024 * 1024,
  });
  for (const service of options.services) server.addService(service.definition, service.implementation);
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync(`${options.host}:${options.port}`, ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    );
  });
  return {
    port,
    async [Symbol.asyncDispose]() {
      const timer = setTimeout(() => server.forceShutdown(), stopTimeoutMs);
      await new Promise<void>((resolve) => server.tryShutdown(() => resolve()));
      clearTimeout(timer);
    },
  };
}
