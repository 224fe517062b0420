import type { Provider } from "@uag/catalog/types";
import { LRUCache } from "lru-cache";
import type { HttpPools } from "../http/pools.ts";
import { type Ask, asking } from "./ask.ts";
import type { Grant } from "./grant.ts";

/** Identities come and go with the catalogue. */
const maxGrants = 1_000;
/** A value is fetched anew so long before it expires, or with a fifth of its life left. */
const earlyMs = 5 * 60_000;
/** A call that is under way when its token expires would be rejected. */
const marginMs = 10_000;
/** When another fetch is tried while the value at hand is still valid. */
const retryMs = 30_000;

interface Held<Value> {
  granted?: { readonly value: Value; readonly expiresAt: number; refreshAt: number } | undefined;
  /** The one fetch in progress, for all calls that wait. */
  pending?: Promise<Value> | undefined;
}

/** Access tokens and temporary keys, each fetched once for all calls, and again before it expires. */
export class GrantCache {
  readonly #held = new LRUCache<string, Held<unknown>>({ max: maxGrants });
  readonly #asking: (provider: Provider) => Ask;
  readonly #now: () => number;

  /** @param now milliseconds of a clock that never goes back */
  constructor(asking: (provider: Provider) => Ask, now = () => performance.now()) {
    this.#asking = asking;
    this.#now = now;
  }

  /** @throws {UpstreamFailure} when there is no valid value and none can be fetched */
  async get<Value>(grant: Grant<Value>, provider: Provider): Promise<Value> {
    const held = this.#of(grant);
    const { granted } = held;
    const now = this.#now();
    if (granted === undefined || now >= granted.expiresAt) return await this.#once(held, grant, provider);
    if (now >= granted.refreshAt && held.pending === undefined) {
      // If this fails, it is tried again while the value is valid; the fetch after that reports its failure.
      granted.refreshAt = now + retryMs;
      this.#once(held, grant, provider).catch(() => {});
    }
    return granted.value;
  }

  /** The provider rejected this value; a newer one is kept. */
  forget<Value>(grant: Grant<Value>, rejected: Value): void {
    const held = this.#of(grant);
    if (held.granted?.value === rejected) held.granted = undefined;
  }

  #of<Value>({ id }: Grant<Value>): Held<Value> {
    // An id is that of one identity, all of whose grants have the same kind of value.
    let held = this.#held.get(id) as Held<Value> | undefined;
    if (held === undefined) {
      held = {};
      this.#held.set(id, held);
    }
    return held;
  }

  #once<Value>(held: Held<Value>, grant: Grant<Value>, provider: Provider): Promise<Value> {
    held.pending ??= this.#renew(held, grant, provider).finally(() => {
      held.pending = undefined;
    });
    return held.pending;
  }

  async #renew<Value>(held: Held<Value>, grant: Grant<Value>, provider: Provider): Promise<Value> {
    const startedAt = this.#now();
    const { value, lifeMs } = await grant.fetch(this.#asking(provider));
    const expiresAt = startedAt + lifeMs - Math.min(marginMs, lifeMs / 2);
    held.granted = { value, expiresAt, refreshAt: startedAt + lifeMs - Math.min(earlyMs, lifeMs / 5) };
    return value;
  }
}

const caches = new WeakMap<HttpPools, GrantCache>();

/** What was granted to a process, which has one set of connections. */
export function grantsOf(pools: HttpPools): GrantCache {
  let cache = caches.get(pools);
  if (cache === undefined) {
    cache = new GrantCache((provider) => asking(pools, provider));
    caches.set(pools, cache);
  }
  return cache;
}
