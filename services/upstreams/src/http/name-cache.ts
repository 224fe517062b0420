import { type LookupAddress, lookup as systemLookup } from "node:dns";
import type { LookupFunction } from "node:net";
import { LRUCache } from "lru-cache";

/** All addresses of a name, as the system resolves it. */
export type Lookup = (name: string) => Promise<LookupAddress[]>;

interface Entry {
  addresses: LookupAddress[];
  /** By performance.now(). */
  foundAt: number;
  asking: Promise<LookupAddress[]> | undefined;
  /** Not asked again before, by performance.now(). */
  askAgainAt: number;
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
  readonly #ask: Lookup;
  readonly #entries = new LRUCache<string, Entry>({ max: maxNames });
  #asking = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(ask: Lookup = askSystem) {
    this.#ask = ask;
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
    const renewed = performance.now() < entry.askAgainAt ? undefined : this.#renew(name, entry);
    if (renewed === undefined) return entry.addresses;
    return await Promise.race([renewed.catch(() => entry.addresses), after(patienceMs, entry.addresses)]);
  }

  #entryOf(name: string): Entry {
    const known = this.#entries.get(name);
    if (known !== undefined) return known;
    const entry = { addresses: [], foundAt: Number.NEGATIVE_INFINITY, asking: undefined, askAgainAt: 0 };
    this.#entries.set(name, entry);
    return entry;
  }

  #renew(name: string, entry: Entry): Promise<LookupAddress[]> {
    entry.asking ??= this.#inTurn(name)
      .then(
        (addresses) => {
          entry.addresses = addresses;
          entry.foundAt = performance.now();
          return addresses;
        },
        (error: unknown) => {
          entry.askAgainAt = performance.now() + pauseMs;
          throw error;
        },
      )
      .finally(() => {
        entry.asking = undefined;
      });
    return entry.asking;
  }

  async #inTurn(name: string): Promise<LookupAddress[]> {
    if (this.#asking >= maxConcurrent) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#asking++;
    try {
      return await this.#ask(name);
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#asking--;
      else next();
    }
  }
}

function askSystem(name: string): Promise<LookupAddress[]> {
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
