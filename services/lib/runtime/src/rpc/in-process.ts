import type { UntypedServiceImplementation } from "@grpc/grpc-js";
import type { AuthContext } from "@grpc/grpc-js/build/src/auth-context.js";
import type { Peer } from "@uag/contract/access/rpc";
import type { Identity } from "./identity.ts";

type Handler = UntypedServiceImplementation[string];

/** What a port serves: handlers by wire path, which check their callers as for any connection. */
interface Served {
  readonly identity: Identity;
  readonly handlers: ReadonlyMap<string, Handler>;
}

/** A caller and the identities that it accepts as servers. */
interface Caller {
  readonly identity: Identity;
  readonly servers: readonly Peer[];
}

/** A port as callers in this process see it. */
class LocalListener {
  readonly served: Served;
  open = true;
  #running = 0;
  #onIdle: (() => void) | undefined;

  constructor(served: Served) {
    this.served = served;
  }

  /** Counts a call until the returned function is called. */
  begin(): () => void {
    this.#running++;
    return () => {
      this.#running--;
      if (this.#running === 0) this.#onIdle?.();
    };
  }

  /** Accepts no more calls; resolves when none runs. */
  close(): Promise<void> {
    this.open = false;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#onIdle = resolve;
    if (this.#running === 0) resolve();
    return promise;
  }
}

/** A connection to a service in this process, after both ends have accepted each other's certificate. */
export class LocalConnection {
  readonly #listener: LocalListener;
  /** The caller as handlers see it. */
  readonly auth: AuthContext;

  constructor(listener: LocalListener, auth: AuthContext) {
    this.#listener = listener;
    this.auth = auth;
  }

  /** False once the port has closed. */
  get open(): boolean {
    return this.#listener.open;
  }

  /** Undefined when the port does not serve this wire path. */
  handler(path: string): Handler | undefined {
    return this.#listener.served.handlers.get(path);
  }

  /** Counts a call, which the service finishes before it stops; call the returned function at its end. */
  begin(): () => void {
    return this.#listener.begin();
  }
}

/**
 * Lets services that share a process call one another without sockets. Nothing is reached this way
 * until `share` names its address. Certificates and the access table apply as over TLS.
 */
class InProcess {
  readonly #shared = new Set<string>();
  readonly #listeners = new Map<string, LocalListener>();

  /** From now on, calls to these addresses (`host:port`) stay within this process, which must serve them. */
  share(addresses: Iterable<string>): void {
    for (const address of addresses) this.#shared.add(address);
  }

  isShared(address: string): boolean {
    return this.#shared.has(address);
  }

  /**
   * Registers what an address serves.
   * @returns a function that ends that, and resolves when no call runs
   */
  listen(address: string, served: Served): () => Promise<void> {
    const listener = new LocalListener(served);
    this.#listeners.set(address, listener);
    return () => {
      if (this.#listeners.get(address) === listener) this.#listeners.delete(address);
      return listener.close();
    };
  }

  /**
   * Connects to a shared address.
   * @throws {Error} when nothing listens there, or one end does not accept the other's certificate
   */
  connect(address: string, { identity, servers }: Caller): LocalConnection {
    const listener = this.#listeners.get(address);
    if (listener === undefined) throw new Error(`nothing listens at ${address}`);
    const server = listener.served.identity;
    identity.verify(server.certificate(), servers);
    const certificate = identity.certificate();
    server.verify(certificate);
    const subjectaltname = certificate?.subjectAltName;
    return new LocalConnection(listener, { sslPeerCertificate: { subjectaltname } } as AuthContext);
  }
}

/** This process's own. Bundled services share it, as they share every module. */
export const inProcess = new InProcess();
