import type { Admission } from "@uag/admission/types.ts";
import type { CatalogStore } from "@uag/catalog/store.ts";
import { BufferBudget, type BufferLimits } from "@uag/kit/buffer-budget.ts";
import { createGuardedClient, type GuardedClient } from "@uag/kit/http/guarded.ts";
import type { Logger } from "@uag/kit/log.ts";
import type { Metrics } from "@uag/kit/metrics.ts";
import type { Tracing } from "@uag/kit/tracing/tracing.ts";
import { Drains } from "@uag/upstreams/disconnect/drains.ts";
import { UpstreamHealth } from "@uag/upstreams/health.ts";
import { HttpPools } from "@uag/upstreams/http/pools.ts";
import { noProxies, type Proxies } from "@uag/upstreams/http/proxies.ts";
import { UrlFetches } from "@uag/upstreams/media/url-fetches.ts";
import { RetryBudget } from "@uag/upstreams/retry-budget.ts";
import { type CapabilityEvents, createEvents } from "./events.ts";

/** The dependencies of every operation in a capability service. */
export interface CapabilityContext {
  readonly catalog: CatalogStore;
  readonly admission: Admission;
  /** Connection pools to upstreams. */
  readonly pools: HttpPools;
  readonly health: UpstreamHealth;
  readonly budget: RetryBudget;
  /** Calls whose clients have disconnected while their upstreams keep billing. */
  readonly drains: Drains;
  /** Accounts for memory held for clients, by account. */
  readonly buffers: BufferBudget;
  readonly events: CapabilityEvents;
  /** For URLs that come from users or from upstream responses. */
  readonly guarded: GuardedClient;
  /** Fetches content that requests reference by URL. */
  readonly urls: UrlFetches;
  readonly log: Logger;
  readonly metrics: Metrics;
  /** Undefined: requests have no spans. */
  readonly tracing: Tracing | undefined;
}

/** What a {@link CapabilityContext} is built from. */
export interface ContextOptions {
  readonly catalog: CatalogStore;
  readonly admission: Admission;
  readonly log: Logger;
  readonly metrics: Metrics;
  /** `host:port` of non-public URLs that may be called. */
  readonly egressAllow: readonly string[];
  /** Proxies for calls to upstreams; default: none. */
  readonly proxies?: Proxies;
  readonly bufferLimits?: BufferLimits;
  /** Default: none. */
  readonly tracing?: Tracing | undefined;
}

/** Creates the context; disposing it closes the connections to upstreams. */
export function createContext(options: ContextOptions): CapabilityContext & AsyncDisposable {
  const { catalog, admission, log, metrics, egressAllow, bufferLimits, proxies = noProxies, tracing } = options;
  const pools = new HttpPools({ proxies });
  const drains = new Drains();
  metrics.sampled("uag_drains", () => drains.size);
  const buffers = new BufferBudget(bufferLimits);
  metrics.sampled("uag_buffered_bytes", () => buffers.held);
  metrics.sampled("uag_buffers_refused_total", () => buffers.refused);
  metrics.sampled("uag_buffered_limit_bytes", () => buffers.total);
  const health = new UpstreamHealth();
  metrics.sampledBy("uag_upstream_cooldown_seconds", "provider", () => health.cooldowns());
  const guarded = createGuardedClient({ allow: egressAllow });
  return {
    catalog,
    admission,
    pools,
    health,
    budget: new RetryBudget(),
    drains,
    buffers,
    events: createEvents(log, metrics),
    guarded,
    urls: new UrlFetches(guarded, buffers),
    log,
    metrics,
    tracing,
    async [Symbol.asyncDispose]() {
      drains[Symbol.dispose]();
      await Promise.all([pools[Symbol.asyncDispose](), guarded[Symbol.asyncDispose]()]);
    },
  };
}
