import { Deadlines } from "@uag/runtime/deadlines";
import type { RpcService } from "@uag/runtime/rpc/server";
import { LinkError } from "./errors.ts";
import { linkService, serveStream } from "./grpc-server.ts";
import type { LinkExchange, ServerExchange } from "./server-exchange.ts";
import { ServerLink, type ServerLinkHost } from "./server-link.ts";
import type { Transport, TransportEvents } from "./transport.ts";

/**
 * Responds to one exchange. If it returns a promise, the response must be complete when that
 * resolves; throwing or rejecting fails the exchange with `internal`.
 */
export type LinkHandler = (exchange: LinkExchange) => void | Promise<void>;

/** What a {@link LinkServer} serves, and its bounds. */
export interface LinkServerOptions {
  /** Handlers by operation. */
  operations: Readonly<Record<string, LinkHandler>>;
  /** An operation's current name, for peers that still use a former one; default: no name changed. */
  currentName?: (operation: string) => string;
  /**
   * Exchanges in flight over all links; further ones are refused (and retried on another replica).
   * Default 10,000.
   */
  maxExchanges?: number;
  /** Called for broken links, peers that violate the protocol and handlers that fail. */
  log?: (event: string, detail: { error: unknown; requestId?: string }) => void;
}

/** The serving end of a service's links. */
export interface LinkServer {
  /** The service to register on a gRPC server, which should use `linkServerChannelOptions`. */
  readonly rpc: RpcService;
  /** Serves one link over any transport. */
  accept(attach: (events: TransportEvents) => Transport): void;
  /**
   * Links, exchanges without a complete response, and handlers still running (their exchange may be
   * over).
   */
  status(): { links: number; exchanges: number; handlers: number; draining: boolean };
  /**
   * Refuses new exchanges (callers open them elsewhere), waits until those in flight and their
   * handlers are done, and aborts the rest after `timeoutMs`. Resolves to the number aborted.
   */
  drain(options: { timeoutMs: number }): Promise<{ aborted: number }>;
}

class Serving implements LinkServer, ServerLinkHost {
  readonly deadlines = new Deadlines();
  readonly #operations: Map<string, LinkHandler>;
  readonly currentName: (operation: string) => string;
  readonly #maxExchanges: number;
  readonly #log: NonNullable<LinkServerOptions["log"]>;
  readonly #links = new Set<ServerLink>();
  #handlers = 0;
  #draining = false;
  #onIdle: (() => void) | undefined;

  constructor(options: LinkServerOptions) {
    this.#operations = new Map(Object.entries(options.operations));
    this.currentName = options.currentName ?? ((operation) => operation);
    this.#maxExchanges = options.maxExchanges ?? 10_000;
    this.#log = options.log ?? (() => {});
  }

  get rpc(): RpcService {
    const link = serveStream({ accept: (attach) => this.accept(attach), refuse: () => this.#draining });
    return { definition: linkService, implementation: { link } };
  }

  accept(attach: (events: TransportEvents) => Transport): void {
    this.#links.add(new ServerLink(this, attach));
  }

  status(): { links: number; exchanges: number; handlers: number; draining: boolean } {
    return {
      links: this.#links.size,
      exchanges: this.#exchanges(),
      handlers: this.#handlers,
      draining: this.#draining,
    };
  }

  async drain(options: { timeoutMs: number }): Promise<{ aborted: number }> {
    this.#draining = true;
    for (const link of this.#links) link.drain();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, options.timeoutMs);
    });
    const idle = new Promise<void>((resolve) => {
      this.#onIdle = resolve;
      this.#checkIdle();
    });
    await Promise.race([idle, late]);
    clearTimeout(timer);
    const aborted = this.#exchanges();
    for (const link of this.#links) link.shutdown(new LinkError("closed", "the service is shutting down"));
    return { aborted };
  }

  refusal(): string | undefined {
    if (this.#draining) return "draining";
    return this.#exchanges() >= this.#maxExchanges ? "overloaded" : undefined;
  }

  handle(exchange: ServerExchange): void {
    const handler = this.#operations.get(exchange.operation);
    if (handler === undefined) {
      exchange.fail("unknown_operation");
      return;
    }
    try {
      const done = handler(exchange);
      if (done === undefined) return;
      this.#handlers++;
      done.then(
        () => this.#settled(exchange, undefined),
        (error: unknown) => this.#settled(exchange, error),
      );
    } catch (error) {
      this.#failed(exchange, error);
    }
  }

  onLinkClosed(link: ServerLink, error: LinkError): void {
    this.#links.delete(link);
    if (error.code === "protocol") this.#log("link.protocol_error", { error });
    this.#checkIdle();
  }

  #settled(exchange: ServerExchange, error: unknown): void {
    this.#handlers--;
    if (error !== undefined) this.#failed(exchange, error);
    else if (!exchange.responded) this.#failed(exchange, new Error("the handler finished without ending its response"));
    this.#checkIdle();
  }

  #failed(exchange: ServerExchange, error: unknown): void {
    // An aborted handler usually ends by throwing the reason: not a failure of its own.
    if (exchange.over && error instanceof LinkError) return;
    this.#log("link.handler_failed", { error, requestId: exchange.requestId });
    exchange.fail("internal");
  }

  #exchanges(): number {
    let count = 0;
    for (const link of this.#links) count += link.exchangeCount;
    return count;
  }

  #checkIdle(): void {
    if (this.#handlers === 0 && this.#links.size === 0) this.#onIdle?.();
  }
}

/**
 * Creates the serving end: register its `rpc` on a gRPC server, and call `drain` before shutting
 * that server down.
 */
export function createLinkServer(options: LinkServerOptions): LinkServer {
  return new Serving(options);
}
