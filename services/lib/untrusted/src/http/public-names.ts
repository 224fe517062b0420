import type { LookupAddress } from "node:dns";
import { Resolver } from "node:dns/promises";
import type { LookupFunction } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { KeyedSemaphore } from "@uag/runtime/concurrency/keyed-semaphore";
import { LRUCache } from "lru-cache";
import { isPublicAddress } from "./address.ts";
import { UrlError } from "./url-error.ts";

/** How {@link PublicNames} resolves host names. */
export interface PublicNamesOptions {
  /** Addresses of name servers; default: the system's. */
  readonly nameServers?: readonly string[];
  /** How long one lookup may take, milliseconds; default 5,000. */
  readonly timeoutMs?: number;
}

/** Concurrent lookups in the process, and per owner; those that wait are bounded by their callers. */
const lookupLimits = { total: 64, perKey: 8, maxWaiting: Number.POSITIVE_INFINITY };
/** How long to wait for the second family once the first has resolved (RFC 8305, 3). */
const graceMs = 50;
const maxKeptMs = 30_000;
const maxKept = 1_000;

interface Kept {
  readonly addresses: LookupAddress[];
  /** On the clock of performance.now(). */
  readonly until: number;
}

/**
 * Resolves hostnames that come from users. It queries name servers itself instead of using the
 * system's lookup, which occupies the threads needed by files and upstreams' names, and cannot be
 * cancelled.
 */
export class PublicNames {
  readonly #options: PublicNamesOptions;
  /** Public addresses only, in the order found. */
  readonly #kept = new LRUCache<string, Kept>({ max: maxKept });
  readonly #lookups = new KeyedSemaphore(lookupLimits);

  constructor(options: PublicNamesOptions = {}) {
    this.#options = options;
  }

  /** The lookup for connections: returns only what `resolve` has found and checked. */
  readonly lookup: LookupFunction = (name, { all }, callback) => {
    const [first, ...rest] = this.#kept.get(name)?.addresses ?? [];
    if (first === undefined) callback(refused(), "", 0);
    else if (all) callback(null, [first, ...rest]);
    else callback(null, first.address, first.family);
  };

  /**
   * Ensures that a name was resolved recently and has public addresses only.
   * @param owner shares a bounded number of lookups; default: all callers that want this name
   * @throws {UrlError} or the signal's reason
   */
  async resolve(name: string, signal: AbortSignal, owner = `name ${name}`): Promise<void> {
    const known = this.#kept.get(name);
    if (known !== undefined && performance.now() < known.until) return;
    using _turn = await this.#lookups.acquire(owner, signal);
    this.#keep(name, await this.#lookUp(name, signal));
  }

  async #lookUp(name: string, signal: AbortSignal): Promise<Found> {
    const { nameServers, timeoutMs = 5_000 } = this.#options;
    // One per lookup, because it can only be cancelled as a whole.
    const resolver = new Resolver({ timeout: 2_000, tries: 2 });
    if (nameServers !== undefined) resolver.setServers(nameServers);
    const stop = (): void => resolver.cancel();
    const timer = setTimeout(stop, timeoutMs);
    signal.addEventListener("abort", stop);
    try {
      return await bothFamilies(resolver, name);
    } catch (error) {
      signal.throwIfAborted();
      throw new UrlError("unreachable", "The URL's host cannot be found.", error);
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", stop);
    }
  }

  #keep(name: string, { addresses, ttlMs }: Found): void {
    this.#kept.delete(name);
    if (addresses.length === 0 || addresses.some(({ address }) => !isPublicAddress(address))) throw refused();
    this.#kept.set(name, { addresses, until: performance.now() + Math.min(ttlMs, maxKeptMs) });
  }
}

interface Found {
  readonly addresses: LookupAddress[];
  readonly ttlMs: number;
}

/** @throws the first family's error when neither has an address */
async function bothFamilies(resolver: Resolver, name: string): Promise<Found> {
  const four = resolver.resolve4(name, { ttl: true });
  const six = resolver.resolve6(name, { ttl: true });
  const settled = Promise.allSettled([four, six]);
  await Promise.race([
    settled,
    Promise.any([four, six]).then(
      () => sleep(graceMs),
      () => settled,
    ),
  ]);
  resolver.cancel();
  const [of4, of6] = await settled;
  if (of4.status === "rejected" && of6.status === "rejected") throw of4.reason;
  const records = [
    ...(of6.status === "fulfilled" ? of6.value.map((record) => ({ ...record, family: 6 })) : []),
    ...(of4.status === "fulfilled" ? of4.value.map((record) => ({ ...record, family: 4 })) : []),
  ];
  const addresses = records.map(({ address, family }) => ({ address, family }));
  return { addresses, ttlMs: 1_000 * Math.min(...records.map(({ ttl }) => ttl)) };
}

function refused(): UrlError {
  return new UrlError("address_refused", "The URL's host is not a public address.");
}
