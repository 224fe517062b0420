import { GatewayError } from "@uag/contract/errors/gateway-error";
import type { ResolveKeyRequest, ResolveKeyResponse } from "@uag/proto/billing/v1/keys.ts";
import { Caller } from "@uag/proto/common/v1/caller.ts";
import type { Clock } from "@uag/runtime/clock";
import { Failures } from "@uag/runtime/failures";
import { networkOf } from "@uag/untrusted/http/network";
import { LRUCache } from "lru-cache";
import { type KnownKey, type Unusable, unusableKey } from "./known-key.ts";

/** A usable key, as long as it has not expired. */
export interface ResolvedKey {
  readonly keyId: string;
  readonly accountId: string;
  /** The encoded Caller: the same bytes for every request of this key. */
  readonly context: Buffer;
  /** Unix milliseconds; 0 means never. */
  readonly expiresAtMs: number;
  /** The budgets that the key shares with others. */
  readonly budgetIds: readonly string[];
  /** The key may spend only part of its account's money. */
  readonly ownBudget: boolean;
  /** 0 means no limit. */
  readonly requestsPerMinute: number;
}

interface Entry {
  readonly key: ResolvedKey;
  readonly request: ResolveKeyRequest;
  /** When billing was queried, on the monotonic clock: later changes are not included. */
  readonly requestedAt: number;
  /** When to query billing again after it was unreachable, or 0. */
  retryAt: number;
}

/** Why a key is refused, and whose it is if it exists. */
interface Rejection {
  readonly why: Unusable;
  readonly owner: KnownKey | undefined;
}

interface Refusal extends Rejection {
  /** On the monotonic clock. */
  readonly requestedAt: number;
  /** The key's creation would be announced. */
  readonly audible: boolean;
}

/**
 * Why a key is looked up: a client waits for it; a known key is refreshed ahead of time; or it is
 * probably a guess.
 */
export type LookupReason = "unknown" | "renewal" | "guess";

interface Question {
  readonly request: ResolveKeyRequest;
  readonly known: Entry | undefined;
  readonly why: LookupReason;
}

interface Flight {
  readonly response: Promise<ResolvedKey>;
  changed: boolean;
}

export interface KeyCacheOptions {
  /** Looks a key up in billing; rejects with `not_found` when it does not exist. */
  resolve(request: ResolveKeyRequest, why: LookupReason): Promise<ResolveKeyResponse>;
  /**
   * The lookup request for a secret; undefined for one that cannot be a key (format or checksum).
   */
  requestFor(secret: string): ResolveKeyRequest | undefined;
  /**
   * Since when (monotonic milliseconds) every key change has been received; undefined while that is
   * uncertain.
   */
  subscribedSince(): number | undefined;
  clock: Clock;
  /** Milliseconds until billing is queried again. */
  maxAgeMs: number;
  /** Maximum number of cached keys. */
  maxEntries: number;
}

/**
 * How long a key is trusted while changes may be missed: a revocation must take effect within a
 * second.
 */
const unsubscribedTrustMs = 1_000;
/** How long a key may be used while billing is unreachable, as long as changes are received. */
const maxStaleMs = 300_000;
const retryMs = 1_000;
/**
 * How long a nonexistent key is remembered, if its creation would be announced, and if it might not
 * be.
 */
const refusalMs = 30_000;
const unheardRefusalMs = 500;
const maxRefusals = 10_000;
const maxRepeats = 3;
/**
 * OpenAI clients such as LiteLLM recognize this wording as a wrong key rather than a bad request.
 */
const noSuchKey = "Incorrect API key provided.";
const revoked: Unusable = { code: "invalid_api_key", text: "The API key has been revoked." };

/** How many guesses one address, and all together, may make before their lookups are delayed. */
const guessesOfOne = { free: 20, perSecond: 1, max: 20_000 };
const guessesOfAll = { free: 200, perSecond: 20, max: 2 };

/**
 * The keys in use, as resolved by billing. A cached key costs two lookups in memory and nothing
 * else; a guess costs billing next to nothing.
 */
export class KeyCache {
  readonly #options: KeyCacheOptions;
  readonly #digests: LRUCache<string, string>;
  readonly #entries: LRUCache<string, Entry>;
  /** From the digest under an old pepper to the digest of the entry. */
  readonly #aliases: LRUCache<string, string>;
  readonly #refusals = new LRUCache<string, Refusal>({ max: maxRefusals });
  readonly #flights = new Map<string, Flight>();
  readonly #guesses: Failures;
  readonly #allGuesses: Failures;

  constructor(options: KeyCacheOptions) {
    this.#options = options;
    this.#digests = new LRUCache({ max: options.maxEntries });
    this.#entries = new LRUCache({ max: options.maxEntries });
    this.#aliases = new LRUCache({ max: options.maxEntries });
    this.#guesses = new Failures({ clock: options.clock, ...guessesOfOne });
    this.#allGuesses = new Failures({ clock: options.clock, ...guessesOfAll });
  }

  /**
   * The key behind a secret if it is cached and trusted.
   * @throws {GatewayError} `invalid_api_key` when it has expired
   */
  known(secret: string): ResolvedKey | undefined {
    const digest = this.#digests.get(secret);
    const entry = digest === undefined ? undefined : this.#entries.get(digest);
    if (entry === undefined || !this.#trusted(entry, digest as string)) return undefined;
    return this.#unexpired(entry.key);
  }

  /**
   * The key behind a secret that is not {@link known}, by querying billing (once, however many
   * callers wait).
   * @param address the client's address
   * @throws {GatewayError} `invalid_api_key`; `rate_limit_exceeded` to an address that guesses;
   * `service_unavailable` when billing cannot be reached
   */
  async resolve(secret: string, address: string): Promise<ResolvedKey> {
    const request = this.#options.requestFor(secret);
    if (request === undefined) throw new GatewayError("invalid_api_key");
    const digest = request.digest.toString("hex");
    const refusal = this.#refusals.get(digest);
    if (refusal !== undefined && this.#holds(refusal)) throw rejected(refusal);
    const source = networkOf(address);
    const known = this.#entries.get(digest);
    const why = known === undefined && this.#guessedFrom(source) ? "guess" : "unknown";
    const key = await this.#resolve(digest, { request, known, why }).catch((error: unknown) => {
      throw this.#judge(error, source);
    });
    this.#digests.set(secret, digest);
    return this.#unexpired(key);
  }

  /** Invalidates what is cached of a changed key. `digest` in hex. */
  drop(changed: string): void {
    const digest = this.#aliases.get(changed) ?? changed;
    this.#entries.delete(digest);
    this.#refusals.delete(digest);
    const flight = this.#flights.get(digest);
    if (flight !== undefined) flight.changed = true;
  }

  /** Invalidates the keys that share a changed budget. */
  dropBudget(id: string): void {
    for (const [digest, { key }] of [...this.#entries.entries()])
      if (key.budgetIds.includes(id)) this.#entries.delete(digest);
    // Which budgets these share is not known yet.
    for (const flight of this.#flights.values()) flight.changed = true;
  }

  /** Invalidates everything: any key may have changed. */
  dropAll(): void {
    this.#entries.clear();
    this.#refusals.clear();
    for (const flight of this.#flights.values()) flight.changed = true;
  }

  #guessedFrom(source: string): boolean {
    return this.#guesses.waitMs(source) > 0 || this.#allGuesses.waitMs("") > 0;
  }

  /** The client's error for a failed lookup; counts failures that were guesses. */
  #judge(error: unknown, source: string): unknown {
    if (!(error instanceof GatewayError) || error.message !== noSuchKey) return error;
    const waitMs = this.#guesses.waitMs(source);
    this.#guesses.add(source);
    this.#allGuesses.add("");
    return waitMs > 0 ? tooManyGuesses(waitMs) : error;
  }

  #holds({ requestedAt, audible }: Refusal): boolean {
    const since = this.#options.subscribedSince();
    const heard = audible && since !== undefined && requestedAt >= since;
    return this.#options.clock.monotonic() - requestedAt < (heard ? refusalMs : unheardRefusalMs);
  }

  #trusted(entry: Entry, digest: string): boolean {
    const now = this.#options.clock.monotonic();
    const age = now - entry.requestedAt;
    if (!this.#isCovered(entry)) return age < unsubscribedTrustMs;
    const failedBefore = entry.retryAt !== 0;
    if (age >= (failedBefore ? maxStaleMs : this.#options.maxAgeMs)) return false;
    // Refreshed ahead of time, behind a request that does not wait for it.
    if (age >= this.#options.maxAgeMs / 2 && now >= entry.retryAt && !this.#flights.has(digest))
      this.#resolve(digest, { request: entry.request, known: entry, why: "renewal" }).catch(() =>
        this.#entries.delete(digest),
      );
    return true;
  }

  #isCovered(entry: Entry): boolean {
    const since = this.#options.subscribedSince();
    return since !== undefined && entry.requestedAt >= since;
  }

  #unexpired(key: ResolvedKey): ResolvedKey {
    if (key.expiresAtMs !== 0 && this.#options.clock.now() >= key.expiresAtMs)
      throw unusableKey({ code: "invalid_api_key", text: "The API key has expired." }, key);
    return key;
  }

  #resolve(digest: string, question: Question): Promise<ResolvedKey> {
    const flying = this.#flights.get(digest);
    if (flying !== undefined) return flying.response;
    const response = this.#resolveUntilSettled(digest, question).finally(() => this.#flights.delete(digest));
    this.#flights.set(digest, { response, changed: false });
    return response;
  }

  async #resolveUntilSettled(digest: string, question: Question): Promise<ResolvedKey> {
    const { request, known } = question;
    for (let repeat = 1; ; repeat++) {
      const requestedAt = this.#options.clock.monotonic();
      const response = await this.#resolveOnce(digest, question);
      const flight = this.#flights.get(digest);
      if (flight?.changed && repeat < maxRepeats) {
        flight.changed = false;
        continue;
      }
      if (response === known?.key) return response;
      if ("why" in response) {
        this.#entries.delete(digest);
        // Changes are announced by the digest under billing's pepper, which may differ from ours
        // during a rotation.
        this.#refusals.set(digest, { ...response, requestedAt, audible: request.previousDigests.length === 0 });
        throw rejected(response);
      }
      if (flight?.changed !== true) this.#keep(digest, { key: response, request, requestedAt, retryAt: 0 });
      return response;
    }
  }

  #keep(digest: string, entry: Entry): void {
    this.#entries.set(digest, entry);
    for (const previous of entry.request.previousDigests) this.#aliases.set(previous.toString("hex"), digest);
  }

  /**
   * The key, or why it is refused; the cached key when billing is unreachable and that may still be
   * used.
   */
  async #resolveOnce(digest: string, { request, known, why }: Question): Promise<ResolvedKey | Rejection> {
    try {
      const found = await this.#options.resolve(request, why);
      if (found.revoked) return { why: revoked, owner: found.caller };
      if (found.accountDisabled === true) return { why: { code: "account_disabled" }, owner: found.caller };
      if (found.caller === undefined) throw new Error("billing's response has neither a caller nor a revocation");
      return resolvedKey(found.caller);
    } catch (error) {
      if (error instanceof GatewayError && error.code === "not_found")
        return { why: { code: "invalid_api_key", text: noSuchKey }, owner: undefined };
      if (error instanceof GatewayError && error.code === "rate_limit_exceeded") throw error;
      const now = this.#options.clock.monotonic();
      if (known !== undefined && now - known.requestedAt < maxStaleMs && this.#isCovered(known)) {
        known.retryAt = now + retryMs;
        if (this.#entries.get(digest) === known) return known.key;
      }
      throw new GatewayError("service_unavailable", undefined, { retryAfterMs: retryMs, cause: error });
    }
  }
}

/** The error for an address that sent too many invalid keys. */
export function tooManyGuesses(retryAfterMs: number): GatewayError {
  const text = "Too many API keys from this address were not valid. Wait before you try another.";
  return new GatewayError("rate_limit_exceeded", text, { retryAfterMs });
}

const rejected = ({ why, owner }: Rejection): GatewayError =>
  owner === undefined ? new GatewayError(why.code, why.text) : unusableKey(why, owner);

function resolvedKey(caller: Caller): ResolvedKey {
  const encoded = Caller.encode(caller).finish();
  return {
    keyId: caller.keyId,
    accountId: caller.accountId,
    context: Buffer.from(encoded.buffer, encoded.byteOffset, encoded.byteLength),
    expiresAtMs: Number(caller.expiresAtMs),
    budgetIds: caller.budgetIds,
    ownBudget: caller.rootKeyId !== undefined || (caller.limits?.monthlyBudgetNanoUsd ?? 0n) > 0n,
    requestsPerMinute: Number(caller.limits?.requestsPerMinute ?? 0n),
  };
}
