import { type LookupAddress, lookup as systemLookup } from "node:dns";
import type { LookupFunction } from "node:net";
import { LRUCache } from "lru-cache";

/** All addresses of a name, as the system resolves it. */
export type Lookup = (name: string) => Promise<LookupAddress[]>;

interface Entry {
  addresses: LookupAddress[];
  /** By performance.now(). */
  foundAt: number;
  pending: Promise<LookupAddress[]> | undefined;
  /** Not asked again before, by performance.now(). */
  retryAt: number;
}

/** An answer is taken as it is for this long. */
const freshMs = 30_000;
/** An old answer serves for this long while nobody gives a new one. */
const staleMs = 60 * 60_000;
/** How long a connection waits for a new answer where there is an old one. */
const patienceMs = 500;
/** Between two questions for a name that could not be resolved. */
const pauseMs = 5_000;
const maxNames = 1_000;
/**
 * The system's look-ups occupy threads of which there are four, used by files and zlib too: a name
 * server that does not answer may have two.
 */
const maxConcurrent = 2;

/**
 * Resolves upstreams' names, one question at a time for each, and remembers the answers. Once a
 * name is known, a name server that is silent or broken cuts nobody off.
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

  /** @throws the system's error, when the name was not known before either */
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
