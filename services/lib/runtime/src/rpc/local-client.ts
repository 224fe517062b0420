import { AsyncLocalStorage } from "node:async_hooks";
import {
  type handleUnaryCall,
  Metadata,
  type MethodDefinition,
  type ServiceError,
  type StatusObject,
  status,
} from "@grpc/grpc-js";
import type { Peer } from "@uag/contract/access/rpc";
import type { Identity } from "./identity.ts";
import { inProcess, type LocalConnection } from "./in-process.ts";

type Method = MethodDefinition<unknown, unknown>;
type Handler = handleUnaryCall<unknown, unknown>;

/** Bounds of a call, and what it carries. */
interface LocalCallOptions {
  readonly metadata: Metadata;
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
}

function failure(code: status, details: string, metadata = new Metadata()): ServiceError {
  return Object.assign(new Error(details), { code, details, metadata });
}

/** A handler's failure, as a caller at the other end of a socket gets it. */
function failureOf({ code, details, metadata }: Partial<StatusObject>): ServiceError {
  return failure(code ?? status.UNKNOWN, details ?? "", metadata);
}

/** Handlers run without the context of the caller's request, as behind a socket. */
const outsideRequests = AsyncLocalStorage.snapshot();

/**
 * Calls the unary methods of a service in this process. Messages are encoded and decoded as on the
 * wire, so that neither end sees the other's objects.
 */
export class LocalClient {
  readonly #address: string;
  readonly #caller: { readonly identity: Identity; readonly servers: readonly Peer[] };
  #connection: LocalConnection | undefined;
  #closed = false;

  constructor(address: string, caller: { readonly identity: Identity; readonly servers: readonly Peer[] }) {
    this.#address = address;
    this.#caller = caller;
  }

  close(): void {
    this.#closed = true;
  }

  /** Rejects with a `ServiceError`. */
  call(method: Method, request: unknown, { metadata, timeoutMs, signal }: LocalCallOptions): Promise<unknown> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const cancel = (): void => reject(failure(status.CANCELLED, "Cancelled on client"));
    const late = (): void => reject(failure(status.DEADLINE_EXCEEDED, "Deadline exceeded"));
    const timer = setTimeout(late, timeoutMs);
    signal?.addEventListener("abort", cancel, { once: true });
    const bytes = method.requestSerialize(request);
    queueMicrotask(() =>
      outsideRequests(() => {
        try {
          const connection = this.#connect();
          const handler = connection.handler(method.path) as Handler | undefined;
          if (handler === undefined) throw failure(status.UNIMPLEMENTED, `${method.path} is not served`);
          const done = connection.begin();
          const call = { request: method.requestDeserialize(bytes), metadata, getAuthContext: () => connection.auth };
          handler(call as unknown as Parameters<Handler>[0], (error, response) => {
            done();
            if (error) reject(failureOf(error));
            else resolve(response);
          });
        } catch (error) {
          reject(error);
        }
      }),
    );
    const answered = promise.finally(() => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", cancel);
    });
    return answered.then((response) => method.responseDeserialize(method.responseSerialize(response)));
  }

  #connect(): LocalConnection {
    if (this.#closed) throw failure(status.UNAVAILABLE, "the client is closed");
    if (this.#connection?.open === true) return this.#connection;
    try {
      this.#connection = inProcess.connect(this.#address, this.#caller);
      return this.#connection;
    } catch (error) {
      throw failure(status.UNAVAILABLE, (error as Error).message);
    }
  }
}
