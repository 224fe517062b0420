import type { Provider } from "@uag/catalog/types";
import { LRUCache } from "lru-cache";
import type { HttpPools } from "../http/pools.ts";
import { fetchToken, type Token } from "./fetch-token.ts";
import type { TokenGrant } from "./grants.ts";

/** Identities come and go with the catalogue. */
const maxTokens = 1_000;
/** A token is fetched anew so long before it expires, or with a fifth of its life left. */
const earlyMs = 5 * 60_000;
/** A call that is under way when its token expires would be rejected. */
const marginMs = 10_000;
/** When another fetch is tried while the token at hand is still valid. */
const retryMs = 30_000;

interface Held {
  token?: { readonly value: string; readonly expiresAt: number; refreshAt: number } | undefined;
  /** The one fetch in progress, for all calls that wait. */
  pending?: Promise<string> | undefined;
}

/** Access tokens, each fetched once for all calls, and again before it expires. */
export class TokenCache {
  readonly #held = new LRUCache<string, Held>({ max: maxTokens });
  readonly #fetch: (grant: TokenGrant, provider: Provider) => Promise<Token>;
  readonly #now: () => number;

  /** @param now milliseconds of a clock that never goes back */
  constructor(fetch: (grant: TokenGrant, provider: Provider) => Promise<Token>, now = () => performance.now()) {
    this.#fetch = fetch;
    this.#now = now;
  }

  /** @throws {UpstreamFailure} when there is no valid token and none can be fetched */
  async get(grant: TokenGrant, provider: Provider): Promise<string> {
    const held = this.#of(grant);
    const { token } = held;
    const now = this.#now();
    if (token === undefined || now >= token.expiresAt) return await this.#once(held, grant, provider);
    if (now >= token.refreshAt && held.pending === undefined) {
      // If this fails, it is tried again while the token is valid; the fetch after that reports its failure.
      token.refreshAt = now + retryMs;
      this.#once(held, grant, provider).catch(() => {});
    }
    return token.value;
  }

  /** The provider rejected this token; a newer one is kept. */
  forget({ id }: TokenGrant, rejected: string): void {
    const held = this.#held.get(id);
    if (held?.token?.value === rejected) held.token = undefined;
  }

  #of({ id }: TokenGrant): Held {
    let held = this.#held.get(id);
    if (held === undefined) {
      held = {};
      this.#held.set(id, held);
    }
    return held;
  }

  #once(held: Held, grant: TokenGrant, provider: Provider): Promise<string> {
    held.pending ??= this.#renew(held, grant, provider).finally(() => {
      held.pending = undefined;
    });
    return held.pending;
  }

  async #renew(held: Held, grant: TokenGrant, provider: Provider): Promise<string> {
    const startedAt = this.#now();
    const { value, lifeMs } = await this.#fetch(grant, provider);
    const expiresAt = startedAt + lifeMs - Math.min(marginMs, lifeMs / 2);
    held.token = { value, expiresAt, refreshAt: startedAt + lifeMs - Math.min(earlyMs, lifeMs / 5) };
    return value;
  }
}

const caches = new WeakMap<HttpPools, TokenCache>();

/** The tokens of a process, which has one set of connections. */
export function tokensOf(pools: HttpPools): TokenCache {
  let cache = caches.get(pools);
  if (cache === undefined) {
    cache = new TokenCache((grant, provider) => fetchToken(pools, grant, provider));
    caches.set(pools, cache);
  }
  return cache;
}
