import type { LookupAddress } from "node:dns";
import { Resolver } from "node:dns/promises";
import type { LookupFunction } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { LRUCache } from "lru-cache";
import { Turns } from "../turns.ts";
import { isPublicAddress } from "./address.ts";
import { UrlError } from "./url-error.ts";

/** How {@link PublicNames} resolves host names. */
export interface PublicNamesOptions {
  /** Addresses of name servers; default: the system's. */
  readonly nameServers?: readonly string[];
  /** How long one look-up may take; default 5,000. */
  readonly timeoutMs?: number;
}

/** Look-ups under way in the process, and of one owner. */
const maxConcurrent = 64;
const maxPerOwner = 8;
/** How long the second family is waited for once the first is there (RFC 8305, 3). */
const graceMs = 50;
const maxKeptMs = 30_000;
const maxKept = 1_000;

interface Kept {
  readonly addresses: LookupAddress[];
  /** By performance.now(). */
  readonly until: number;
}

/**
 * Resolves names that come from users. It asks name servers by itself, not through the system's
 * look-ups: those occupy the threads that files and upstreams' names need, and cannot be given up.
 */
export class PublicNames {
  readonly #options: PublicNamesOptions;
  /** Public ones only, in the order in which they were found. */
  readonly #kept = new LRUCache<string, Kept>({ max: maxKept });
  readonly #turns = new Turns(maxConcurrent);
  readonly #owners = new Map<string, Turns>();

  constructor(options: PublicNamesOptions = {}) {
    this.#options = options;
  }

  /**
   * For connections, which are made to what `resolve` has found and checked, and to nothing else.
   */
  readonly lookup: LookupFunction = (name, { all }, callback) => {
    const [first, ...rest] = this.#kept.get(name)?.addresses ?? [];
    if (first === undefined) callback(refused(), "", 0);
    else if (all) callback(null, [first, ...rest]);
    else callback(null, first.address, first.family);
  };

  /**
   * Makes sure that a name has been looked up lately and leads to public addresses only.
   * @param owner who shares a bounded number of look-ups; default: all who want this name
   * @throws {UrlError} or the signal's reason
   */
  async resolve(name: string, signal: AbortSignal, owner = `name ${name}`): Promise<void> {
    const known = this.#kept.get(name);
    if (known !== undefined && performance.now() < known.until) return;
    const turns = this.#turnsOf(owner);
    await turns.take(signal);
    try {
      await this.#turns.take(signal);
      try {
        this.#keep(name, await this.#lookUp(name, signal));
      } finally {
        this.#turns.give();
      }
    } finally {
      turns.give();
      if (turns.isIdle(maxPerOwner)) this.#owners.delete(owner);
    }
  }

  #turnsOf(owner: string): Turns {
    const known = this.#owners.get(owner);
    if (known !== undefined) return known;
    const turns = new Turns(maxPerOwner);
    this.#owners.set(owner, turns);
    return turns;
  }

  async #lookUp(name: string, signal: AbortSignal): Promise<Found> {
    const { nameServers, timeoutMs = 5_000 } = this.#options;
    // One for each look-up, for it can only be given up as a whole.
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

/** @throws the first family's error, when there is no address of either */
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
