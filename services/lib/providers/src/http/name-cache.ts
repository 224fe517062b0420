import { type LookupAddress, lookup as systemLookup } from "node:dns";
import type { LookupFunction } from "node:net";
import { LRUCache } from "lru-cache";

/** All addresses of a name, from the system's resolver. */
export type Lookup = (name: string) => Promise<LookupAddress[]>;

interface Entry {
  addresses: LookupAddress[];
  /** By performance.now(). */
  foundAt: number;
  pending: Promise<LookupAddress[]> | undefined;
  /** Not retried before this time, by performance.now(). */
  retryAt: number;
}

/** A result counts as fresh for this long. */
const freshMs = 30_000;
/** A stale result is used for this long while no new one is available. */
const staleMs = 60 * 60_000;
/** How long a connection waits for a new result when there is a stale one. */
const patienceMs = 500;
/** Delay before retrying a name that could not be resolved. */
const pauseMs = 5_000;
const maxNames = 1_000;
/**
 * The system's lookups occupy threads, of which there are four, shared with files and zlib: an
 * unresponsive name server may block two of them.
 */
const maxConcurrent = 2;

/**
 * Resolves and caches upstreams' names, with one lookup at a time per name. A failing name server
 * does not affect calls to names that are already known.
 */
export class NameCache {
  readonly #lookUp: Lookup;
  readonly #entries = new LRUCache<string, Entry>({ max: maxNames });
  #pending = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(lookUp: Lookup = lookUpBySystem) {
    this.#lookUp = lookUp;
  }

  /** For `net.connect`. */
  readonly lookup: LookupFunction = (name, options, callback) => {
    const { family } = options;
    const fitting = (found: LookupAddress[]): LookupAddress[] =>
      family === 4 || family === 6 ? found.filter((address) => address.family === family) : found;
    this.resolve(name).then(
      (found) => {
        const [first, ...rest] = fitting(found);
        if (first === undefined) callback(notFound(name), "", 0);
        else if (options.all) callback(null, [first, ...rest]);
        else callback(null, first.address, first.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, "", 0),
    );
  };

  /** @throws the system's error, when no earlier result exists either */
  async resolve(name: string): Promise<LookupAddress[]> {
    const entry = this.#entryOf(name);
    const age = performance.now() - entry.foundAt;
    if (age < freshMs) return entry.addresses;
    if (age > staleMs) return await this.#renew(name, entry);
    const renewed = performance.now() < entry.retryAt ? undefined : this.#renew(name, entry);
    if (renewed === undefined) return entry.addresses;
    return await Promise.race([renewed.catch(() => entry.addresses), after(patienceMs, entry.addresses)]);
  }

  #entryOf(name: string): Entry {
    const known = this.#entries.get(name);
    if (known !== undefined) return known;
    const entry = { addresses: [], foundAt: Number.NEGATIVE_INFINITY, pending: undefined, retryAt: 0 };
    this.#entries.set(name, entry);
    return entry;
  }

  #renew(name: string, entry: Entry): Promise<LookupAddress[]> {
    entry.pending ??= this.#inTurn(name)
      .then(
        (addresses) => {
          entry.addresses = addresses;
          entry.foundAt = performance.now();
          return addresses;
        },
        (error: unknown) => {
          entry.retryAt = performance.now() + pauseMs;
          throw error;
        },
      )
      .finally(() => {
        entry.pending = undefined;
      });
    return entry.pending;
  }

  async #inTurn(name: string): Promise<LookupAddress[]> {
    if (this.#pending >= maxConcurrent) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#pending++;
    try {
      return await this.#lookUp(name);
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#pending--;
      else next();
    }
  }
}

function lookUpBySystem(name: string): Promise<LookupAddress[]> {
  return new Promise((resolve, reject) => {
    systemLookup(name, { all: true }, (error, found) => (error === null ? resolve(found) : reject(error)));
  });
}

function after<T>(ms: number, value: T): Promise<T> {
  return new Promise((resolve) => void setTimeout(resolve, ms, value).unref());
}

function notFound(name: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`no address of ${name}`), { code: "ENOTFOUND" });
}
