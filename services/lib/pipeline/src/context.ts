import type { CatalogStore } from "@uag/catalog/store";
import { Drains } from "@uag/providers/disconnect/drains";
import { UpstreamHealth } from "@uag/providers/health";
import { HttpPools } from "@uag/providers/http/pools";
import { noProxies, type Proxies } from "@uag/providers/http/proxies";
import { type FetchBudget, UrlFetches } from "@uag/providers/media/url-fetches";
import { RetryBudget } from "@uag/providers/retry-budget";
import type { Logger } from "@uag/runtime/log";
import type { Metrics } from "@uag/runtime/metrics";
import type { Refusal } from "@uag/runtime/refusals";
import type { InferenceMetrics, Tracing } from "@uag/runtime/tracing/tracing";
import { BufferBudget, type BufferLimits } from "@uag/untrusted/buffer-budget";
import { createGuardedClient, type GuardedClient } from "@uag/untrusted/http/guarded";
import type { Admission } from "@uag/usage/types";
import { AboveHold } from "./above-hold.ts";
import { unavailableCredentials } from "./credential-status.ts";
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
  /** Requests that cost more than was held for them. */
  readonly aboveHold: AboveHold;
  /** For URLs that come from users or from upstream responses. */
  readonly guarded: GuardedClient;
  /** Fetches content that requests reference by URL. */
  readonly urls: UrlFetches;
  readonly log: Logger;
  readonly metrics: Metrics;
  /** Undefined: requests have no spans. */
  readonly tracing: Tracing | undefined;
  readonly inferenceMetrics: InferenceMetrics | undefined;
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
  /** How many URLs in requests each account may have fetched. */
  readonly fetchBudget: FetchBudget;
  /** Default: none. */
  readonly tracing?: Tracing | undefined;
  readonly inferenceMetrics?: InferenceMetrics | undefined;
  /** Counts requests that were not admitted; default: they are not counted. */
  readonly countRefusal?: (refusal: Refusal) => void;
}

/** Creates the context; disposing it closes the connections to upstreams. */
export function createContext(options: ContextOptions): CapabilityContext & AsyncDisposable {
  const { catalog, admission, log, metrics, egressAllow, bufferLimits, proxies = noProxies } = options;
  const { tracing, inferenceMetrics } = options;
  const aboveHold = new AboveHold();
  const events = createEvents(log, metrics, aboveHold, options.countRefusal);
  const health = new UpstreamHealth({ onCircuit: events.circuitChanged });
  const { credentials } = health;
  const pools = new HttpPools({ proxies, allow: egressAllow, observe: credentials.observe.bind(credentials) });
  const drains = new Drains();
  metrics.sampled("uag_drains", () => drains.size);
  const buffers = new BufferBudget(bufferLimits);
  metrics.sampled("uag_buffered_bytes", () => buffers.held);
  metrics.sampled("uag_buffers_refused_total", () => buffers.refused);
  metrics.sampled("uag_buffered_limit_bytes", () => buffers.total);
  metrics.sampledBy("uag_upstream_cooldown_seconds", "provider", () => health.cooldowns());
  metrics.sampledBy("uag_concurrency_limit", "provider", () => health.concurrencyLimits());
  metrics.sampledBy("uag_circuits_open", "provider", () => health.openCircuits());
  metrics.sampledBy("uag_credentials_unavailable", "provider", () =>
    unavailableCredentials(catalog.current, credentials),
  );
  const guarded = createGuardedClient({ allow: egressAllow });
  return {
    catalog,
    admission,
    pools,
    health,
    budget: new RetryBudget(),
    drains,
    buffers,
    events,
    aboveHold,
    guarded,
    urls: new UrlFetches({ client: guarded, buffers, budget: options.fetchBudget }),
    log,
    metrics,
    tracing,
    inferenceMetrics,
    async [Symbol.asyncDispose]() {
      drains[Symbol.dispose]();
      await Promise.all([pools[Symbol.asyncDispose](), guarded[Symbol.asyncDispose]()]);
    },
  };
}
