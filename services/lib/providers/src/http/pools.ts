import type { Transport, Upstream } from "@uag/catalog/types";
import { UrlGuard } from "@uag/untrusted/http/url-guard";
import { createDispatcher, type DispatcherOptions } from "./dispatcher.ts";
import { guardedLookup } from "./guarded-lookup.ts";
import { type Lookup, NameCache } from "./name-cache.ts";
import { OriginConnections } from "./origin-connections.ts";
import { noProxies, type Proxies } from "./proxies.ts";
import { TlsFiles } from "./tls-files.ts";

export interface HttpPoolsOptions {
  /** Default: none. */
  readonly proxies?: Proxies;
  /** How upstreams' names are resolved; default: by the system. */
  readonly lookup?: Lookup;
  /** Non-public `host:port` pairs that a guarded provider may have; default: none. */
  readonly allow?: readonly string[];
  /** Receives the head of each response to a call about a request. */
  observe?(upstream: Upstream, response: { header(name: string): string | undefined }): void;
}

interface Kept {
  readonly connections: OriginConnections;
  readonly tls: TlsFiles;
  readonly options: Omit<DispatcherOptions, "tls">;
}

/** Number of origins above which unused connections are closed: providers come and go with the catalogue. */
const maxOrigins = 64;

/** Connections to upstreams, by origin and connection settings. */
export class HttpPools implements AsyncDisposable {
  readonly #kept = new Map<string, Kept>();
  readonly #proxies: Proxies;
  readonly #names: NameCache;
  readonly #guard: UrlGuard;
  readonly observe: HttpPoolsOptions["observe"];

  constructor(options: HttpPoolsOptions = {}) {
    this.#proxies = options.proxies ?? noProxies;
    this.#names = new NameCache(options.lookup);
    this.#guard = new UrlGuard(options.allow ?? []);
    this.observe = options.observe;
  }

  /**
   * The connections to an origin.
   * @param connectMs timeout for connecting
   * @throws {UpstreamFailure} `operator` when its certificates cannot be read, or it is guarded and
   * not public
   */
  connectionsTo(origin: string, connectMs: number, transport: Transport): OriginConnections {
    const key = `${origin} ${connectMs} ${transport.id}`;
    const kept = this.#kept.get(key);
    if (kept === undefined) return this.#open(key, origin, connectMs, transport);
    const { connections, tls, options } = kept;
    if (tls.changed()) connections.replace(createDispatcher({ ...options, tls: tls.read() }));
    return connections;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#kept.values()].map(({ connections }) => connections[Symbol.asyncDispose]()));
    this.#kept.clear();
  }

  #open(key: string, origin: string, connectMs: number, transport: Transport): OriginConnections {
    if (this.#kept.size >= maxOrigins) this.#closeIdle();
    const tls = new TlsFiles(transport);
    const lookup = transport.guarded ? guardedLookup(origin, this.#guard, this.#names) : this.#names.lookup;
    const options = { origin, connectMs, transport, proxies: this.#proxies, lookup };
    const { maxConnections: maxCalls, maxQueued: maxWaiting } = transport;
    const connections = new OriginConnections(createDispatcher({ ...options, tls: tls.read() }), {
      maxCalls,
      maxWaiting,
    });
    this.#kept.set(key, { connections, tls, options });
    return connections;
  }

  #closeIdle(): void {
    for (const [key, { connections }] of this.#kept) {
      if (!connections.idle) continue;
      this.#kept.delete(key);
      void connections[Symbol.asyncDispose]();
    }
  }
}
