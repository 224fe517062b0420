import type { Transport } from "@uag/catalog/types";
import { createDispatcher, type DispatcherOptions } from "./dispatcher.ts";
import { Lane } from "./lane.ts";
import { type Lookup, NameCache } from "./name-cache.ts";
import { noProxies, type Proxies } from "./proxies.ts";
import { TlsFiles } from "./tls-files.ts";

export interface HttpPoolsOptions {
  /** Default: none. */
  readonly proxies?: Proxies;
  /** How upstreams' names are resolved; default: by the system. */
  readonly lookup?: Lookup;
}

interface Kept {
  readonly lane: Lane;
  readonly tls: TlsFiles;
  readonly options: Omit<DispatcherOptions, "tls">;
}

/** Number of lanes above which unused ones are closed: providers come and go with the catalogue. */
const maxLanes = 64;

/** Connections to upstreams, by origin and connection settings. */
export class HttpPools implements AsyncDisposable {
  readonly #kept = new Map<string, Kept>();
  readonly #proxies: Proxies;
  readonly #names: NameCache;

  constructor(options: HttpPoolsOptions = {}) {
    this.#proxies = options.proxies ?? noProxies;
    this.#names = new NameCache(options.lookup);
  }

  /**
   * The lane to an origin.
   * @param connectMs timeout for connecting
   * @throws {UpstreamFailure} `operator` when its certificates cannot be read
   */
  lane(origin: string, connectMs: number, transport: Transport): Lane {
    const key = `${origin} ${connectMs} ${transport.id}`;
    const kept = this.#kept.get(key);
    if (kept === undefined) return this.#open(key, origin, connectMs, transport);
    const { lane, tls, options } = kept;
    if (tls.changed()) lane.replace(createDispatcher({ ...options, tls: tls.read() }));
    return lane;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#kept.values()].map(({ lane }) => lane[Symbol.asyncDispose]()));
    this.#kept.clear();
  }

  #open(key: string, origin: string, connectMs: number, transport: Transport): Lane {
    if (this.#kept.size >= maxLanes) this.#closeIdle();
    const tls = new TlsFiles(transport);
    const { lookup } = this.#names;
    const options = { origin, connectMs, transport, proxies: this.#proxies, lookup };
    const { maxConnections: maxCalls, maxQueued: maxWaiting } = transport;
    const lane = new Lane(createDispatcher({ ...options, tls: tls.read() }), { maxCalls, maxWaiting });
    this.#kept.set(key, { lane, tls, options });
    return lane;
  }

  #closeIdle(): void {
    for (const [key, { lane }] of this.#kept) {
      if (!lane.idle) continue;
      this.#kept.delete(key);
      void lane[Symbol.asyncDispose]();
    }
  }
}
