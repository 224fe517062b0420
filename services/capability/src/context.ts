import type { Admission } from "@uag/admission/types.ts";
import type { CatalogStore } from "@uag/catalog/store.ts";
import type { Bus } from "@uag/kit/bus.ts";
import type { GuardedClient } from "@uag/kit/http/guarded.ts";
import type { Logger } from "@uag/kit/log.ts";
import type { Metrics } from "@uag/kit/metrics.ts";
import type { UpstreamHealth } from "@uag/upstreams/health.ts";
import type { HttpPools } from "@uag/upstreams/http/pools.ts";
import type { RetryBudget } from "@uag/upstreams/retry-budget.ts";
import type { CapabilityEvents } from "./events.ts";

/** What every operation of a capability service works with. */
export interface CapabilityContext {
  readonly catalog: CatalogStore;
  readonly admission: Admission;
  /** Connections to upstreams. */
  readonly pools: HttpPools;
  readonly health: UpstreamHealth;
  readonly budget: RetryBudget;
  readonly events: CapabilityEvents;
  /** For URLs that come from users or from upstreams' answers. */
  readonly guarded: GuardedClient;
  readonly bus: Bus;
  readonly log: Logger;
  readonly metrics: Metrics;
}
