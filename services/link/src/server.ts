import { Deadlines } from "@uag/kit/deadlines.ts";
import type { RpcService } from "@uag/kit/rpc/server.ts";
import { LinkError } from "./errors.ts";
import { linkService, serveStream } from "./grpc-server.ts";
import type { LinkExchange, ServerExchange } from "./server-exchange.ts";
import { ServerLink, type ServerLinkHost } from "./server-link.ts";
import type { Transport, TransportEvents } from "./transport.ts";

/**
 * Answers one exchange. When it returns a promise the exchange must be answered by the time the
 * promise resolves; one that throws or rejects fails the exchange with `internal`.
 */
export type LinkHandler = (exchange: LinkExchange) => void | Promise<void>;

/** What a {@link LinkServer} serves, and how much at once. */
export interface LinkServerOptions {
  /** Handlers by operation. */
  operations: Readonly<Record<string, LinkHandler>>;
  /**
   * Exchanges under way at once, over all links; more are refused (and tried on another replica).
   * Default 10,000.
   */
  maxExchanges?: number;
  /** Told of broken links, peers that break the protocol and handlers that fail. */
  log?: (event: string, detail: { error: unknown; requestId?: string }) => void;
}

/** The serving end of a service's links. */
export interface LinkServer {
  /** The link for a gRPC server, which should be made with `linkServerChannelOptions`. */
  readonly rpc: RpcService;
  /** Serves one link over any transport. */
  accept(attach: (events: TransportEvents) => Transport): void;
  /** Links, exchanges not yet answered, and handlers not yet done (their exchange may be over). */
  status(): { links: number; exchanges: number; handlers: number; draining: boolean };
  /**
   * Takes no new exchanges (callers open them elsewhere), waits until those under way and their
   * handlers are done, and cuts what is left after `timeoutMs`. Resolves to how many exchanges were
   * cut.
   */
  drain(options: { timeoutMs: number }): Promise<{ cut: number }>;
}

class Serving implements LinkServer, ServerLinkHost {
  readonly deadlines = new Deadlines();
  readonly #operations: Map<string, LinkHandler>;
  readonly #maxExchanges: number;
  readonly #log: NonNullable<LinkServerOptions["log"]>;
  readonly #links = new Set<ServerLink>();
  #handlers = 0;
  #draining = false;
  #onIdle: (() => void) | undefined;

  constructor(options: LinkServerOptions) {
    this.#operations = new Map(Object.entries(options.operations));
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

  async drain(options: { timeoutMs: number }): Promise<{ cut: number }> {
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
    const cut = this.#exchanges();
    for (const link of this.#links) link.shutdown(new LinkError("closed", "the service is shutting down"));
    return { cut };
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
    else if (!exchange.answered) this.#failed(exchange, new Error("the handler finished without ending its answer"));
    this.#checkIdle();
  }

  #failed(exchange: ServerExchange, error: unknown): void {
    // A handler that was aborted mostly ends by throwing the reason: no failure of its own.
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
 * The serving end: put its `rpc` on a gRPC server, and call `drain` before that server is shut
 * down.
 */
export function createLinkServer(options: LinkServerOptions): LinkServer {
  return new Serving(options);
}
