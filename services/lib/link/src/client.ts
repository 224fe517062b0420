import { Deadlines } from "@uag/runtime/deadlines";
import { dnsTargets, type ResolveTargets } from "@uag/runtime/rpc/targets";
import { startGraceMs } from "@uag/runtime/start-grace";
import type { LinkCall, LinkRequest, LinkResponse } from "./call.ts";
import { type CallHost, ClientExchange } from "./client-exchange.ts";
import type { ClientLink } from "./client-link.ts";
import { LinkError } from "./errors.ts";
import { Preference } from "./preference.ts";
import { Replica } from "./replica.ts";
import type { Dial } from "./transport.ts";

/** How often an exchange may be reopened before it fails with the last refusal. */
const maxRestarts = 3;

/** Which replicas a {@link LinkClient} calls, over how many links, and its bounds. */
export interface LinkClientOptions {
  /**
   * `host:port` each; a name that resolves to several addresses is several replicas. Or a function
   * that resolves them.
   */
  targets: readonly string[] | ResolveTargets;
  /**
   * Links per replica. Default 1: a single thread gains nothing from more, and larger batches are
   * cheaper.
   */
  streamsPerTarget?: number;
  /**
   * How long an exchange waits for a ready replica before it fails as `unavailable`, milliseconds.
   * Default 2,000.
   */
  readyWaitMs?: number;
  /** Milliseconds. Default 5,000. */
  resolveEveryMs?: number;
  /** Milliseconds. Default 5,000. */
  connectTimeoutMs?: number;
  /** Links are replaced after this many exchanges. */
  maxExchangesPerLink?: number;
  /**
   * How long a replica that was never reached may be starting before that is logged, milliseconds.
   */
  startGraceMs?: number;
  /** Opens the transport of a link. */
  dial: Dial;
  log?: (event: string, detail: { error: unknown; address?: string; requestId?: string }) => void;
}

/** Current state of a {@link LinkClient}. */
interface LinkClientStatus {
  replicas: { address: string; ready: boolean; outstanding: number }[];
  /** Exchanges waiting for a ready replica. */
  waiting: number;
}

/** The calling end of a service's links to all of its replicas. */
export interface LinkClient {
  /**
   * Opens an exchange on a ready replica: the one its affinity prefers, or the one with the fewest
   * in flight. Never throws: failures are reported through `onError`.
   */
  open(request: LinkRequest, response: LinkResponse): LinkCall;
  /** Resolves when a replica is ready; rejects when the signal aborts. */
  ready(options?: { signal?: AbortSignal }): Promise<void>;
  status(): LinkClientStatus;
  /** Lets exchanges in flight finish for this long, then fails them, and closes all links. */
  close(options?: { timeoutMs: number }): Promise<void>;
}

const nobody: string[] = [];

class Calling implements LinkClient, CallHost {
  readonly deadlines = new Deadlines();
  readonly #options: LinkClientOptions;
  readonly #resolve: ResolveTargets;
  readonly #dial: Dial;
  readonly #replicas = new Map<string, Replica>();
  readonly #preference = new Preference();
  /** The replicas in round-robin order, so that ties do not always go to the first. */
  #order: Replica[] = [];
  #turn = 0;
  /** Replicas that no longer resolve but still have exchanges in flight. */
  readonly #retired = new Set<Replica>();
  readonly #waiting = new Set<ClientExchange>();
  readonly #readyWaiters = new Set<() => void>();
  #live = 0;
  #onIdle: (() => void) | undefined;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(options: LinkClientOptions) {
    this.#options = options;
    this.#resolve = typeof options.targets === "function" ? options.targets : dnsTargets(options.targets);
    this.#dial = options.dial;
    void this.#refresh();
  }

  open(request: LinkRequest, response: LinkResponse): LinkCall {
    const call = new ClientExchange(this, request, response);
    this.#live++;
    // Failing synchronously would call back before the caller has its exchange.
    if (this.#closed) queueMicrotask(() => call.finish(new LinkError("closed", "the client is closed"), undefined));
    else if (request.signal?.aborted === true) queueMicrotask(() => call.cancel("the caller aborted the exchange"));
    else this.#dispatch(call);
    return call;
  }

  async ready(options: { signal?: AbortSignal } = {}): Promise<void> {
    if (this.#pick(nobody) !== undefined) return;
    const { signal } = options;
    signal?.throwIfAborted();
    await new Promise<void>((resolve, reject) => {
      const onReady = (): void => {
        signal?.removeEventListener("abort", onAbort);
        resolve();
      };
      const onAbort = (): void => {
        this.#readyWaiters.delete(onReady);
        reject(signal?.reason);
      };
      this.#readyWaiters.add(onReady);
      signal?.addEventListener("abort", onAbort, { once: true });
    });
  }

  status(): LinkClientStatus {
    const replicas = this.#order.map((replica) => ({
      address: replica.address,
      ready: replica.bestLink !== undefined,
      outstanding: replica.outstanding,
    }));
    return { replicas, waiting: this.#waiting.size };
  }

  async close(options: { timeoutMs: number } = { timeoutMs: 0 }): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.#onIdle = resolve;
      if (this.#live === 0) resolve();
      else timer = setTimeout(resolve, options.timeoutMs);
    });
    clearTimeout(timer);
    const error = new LinkError("closed", "the client is closed");
    for (const call of [...this.#waiting]) call.finish(error, undefined);
    for (const replica of [...this.#order, ...this.#retired]) replica.close(error);
  }

  reopen(call: ClientExchange, refusal: string): void {
    if (this.#closed) call.finish(new LinkError("closed", "the client is closed", { seen: false }), undefined);
    else if (++call.restarts > maxRestarts) call.finish(new LinkError("unsent", refusal), undefined);
    else if (this.#pick(call.refusedBy) === undefined && this.#pick(nobody) !== undefined) {
      call.finish(new LinkError("unsent", refusal), undefined);
    } else this.#dispatch(call);
  }

  finished(call: ClientExchange): void {
    this.#waiting.delete(call);
    if (--this.#live === 0) this.#onIdle?.();
  }

  onCallbackFailed(call: ClientExchange, error: unknown): void {
    this.#options.log?.("link.callback_failed", { error, requestId: call.request.requestId });
  }

  #dispatch(call: ClientExchange): void {
    const link = this.#preferred(call) ?? this.#pick(call.refusedBy);
    if (link !== undefined) {
      link.open(call);
      return;
    }
    call.refusedBy = nobody;
    this.#waiting.add(call);
    call.park(performance.now() + (this.#options.readyWaitMs ?? 2_000));
  }

  #preferred({ request: { affinity }, refusedBy }: ClientExchange): ClientLink | undefined {
    if (!affinity || this.#order.length < 2) return undefined;
    const ready = this.#order.filter(
      (replica) => replica.bestLink !== undefined && !refusedBy.includes(replica.address),
    );
    return this.#preference.choose(affinity, ready)?.bestLink;
  }

  #pick(except: readonly string[]): ClientLink | undefined {
    const replicas = this.#order;
    let best: ClientLink | undefined;
    let fewest = Number.POSITIVE_INFINITY;
    this.#turn = (this.#turn + 1) % Math.max(1, replicas.length);
    for (let i = 0; i < replicas.length; i++) {
      const replica = replicas[(this.#turn + i) % replicas.length] as Replica;
      const outstanding = replica.outstanding;
      if (outstanding >= fewest || except.includes(replica.address)) continue;
      const link = replica.bestLink;
      if (link === undefined) continue;
      best = link;
      fewest = outstanding;
    }
    return best;
  }

  #onReady(): void {
    for (const wake of this.#readyWaiters) wake();
    this.#readyWaiters.clear();
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const call of waiting) this.#dispatch(call);
  }

  async #refresh(): Promise<void> {
    try {
      const addresses = await this.#resolve();
      if (!this.#closed) this.#use(addresses);
    } catch (error) {
      // Keeps the known replicas: an unavailable name server says nothing about them.
      this.#options.log?.("link.resolve_failed", { error });
    }
    if (this.#closed) return;
    this.#timer = setTimeout(() => void this.#refresh(), this.#options.resolveEveryMs ?? 5_000);
    this.#timer.unref();
  }

  #use(addresses: readonly string[]): void {
    const wanted = new Set(addresses);
    for (const [address, replica] of this.#replicas) {
      if (wanted.has(address)) continue;
      this.#replicas.delete(address);
      this.#retired.add(replica);
      replica.close();
    }
    for (const replica of this.#retired) if (replica.outstanding === 0) this.#retired.delete(replica);
    for (const address of wanted) if (!this.#replicas.has(address)) this.#replicas.set(address, this.#connect(address));
    this.#order = [...this.#replicas.values()];
  }

  #connect(address: string): Replica {
    const { maxExchangesPerLink } = this.#options;
    return new Replica({
      address,
      links: this.#options.streamsPerTarget ?? 1,
      dial: this.#dial,
      connectTimeoutMs: this.#options.connectTimeoutMs ?? 5_000,
      startGraceMs: this.#options.startGraceMs ?? startGraceMs,
      ...(maxExchangesPerLink === undefined ? {} : { maxExchangesPerLink }),
      onReady: () => this.#onReady(),
      onLinkClosed: (closed, error) => {
        if (!this.#closed) this.#options.log?.("link.closed", { error, address: closed });
      },
    });
  }
}

/**
 * Creates the calling end: keeps links to every replica of one service and spreads exchanges over
 * them.
 */
export function createLinkClient(options: LinkClientOptions): LinkClient {
  return new Calling(options);
}
