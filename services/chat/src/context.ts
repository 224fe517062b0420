import type { Admission } from "@uag/admission/types.ts";
import type { CatalogStore } from "@uag/catalog/store.ts";
import type { UpstreamHealth } from "@uag/upstreams/health.ts";
import type { HttpPools } from "@uag/upstreams/http/pools.ts";
import type { MediaFetcher } from "@uag/upstreams/media/fetch.ts";
import type { RetryBudget } from "@uag/upstreams/retry-budget.ts";
import type { ChatEvents } from "./events.ts";

/** What every operation of the service works with. */
export interface ChatContext {
  readonly catalog: CatalogStore;
  readonly admission: Admission;
  readonly pools: HttpPools;
  readonly health: UpstreamHealth;
  readonly budget: RetryBudget;
  readonly events: ChatEvents;
  readonly media: MediaFetcher;
}
