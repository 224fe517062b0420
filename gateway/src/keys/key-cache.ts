import { GatewayError } from "@uag/contract/errors/gateway-error.ts";
import type { Clock } from "@uag/kit/clock.ts";
import { Failures } from "@uag/kit/failures.ts";
import { networkOf } from "@uag/kit/http/network.ts";
import type { ResolveKeyRequest, ResolveKeyResponse } from "@uag/proto/billing/v1/keys.ts";
import { Caller } from "@uag/proto/common/v1/caller.ts";
import { LRUCache } from "lru-cache";

/** A key that may be used, as long as it has not expired. */
export interface ResolvedKey {
  readonly keyId: string;
  readonly accountId: string;
  /** The encoded Caller: the same bytes for every request of this key. */
  readonly context: Buffer;
  /** Unix milliseconds; 0 means never. */
  readonly expiresAtMs: number;
  /** The key may spend part of its account's money only. */
  readonly ownBudget: boolean;
  /** 0 means no limit. */
  readonly requestsPerMinute: number;
}

interface Entry {
  readonly key: ResolvedKey;
  readonly request: ResolveKeyRequest;
  /** When billing was asked, on the monotonic clock: what changed later is not in it. */
  readonly requestedAt: number;
  /** 0, or when billing may be asked again after it could not be reached. */
  retryAt: number;
}

interface Refusal {
  readonly text: string;
  /** On the monotonic clock. */
  readonly requestedAt: number;
  /** It can be heard when this stops being true. */
  readonly audible: boolean;
}

/**
 * Why a key is looked up: a client waits for it; it is known, and asked for again ahead of time; or
 * it is probably a guess.
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
  /** Billing's look-up; rejects with `not_found` when there is no such key. */
  resolve(request: ResolveKeyRequest, why: LookupReason): Promise<ResolveKeyResponse>;
  /**
   * What billing is asked for a key, or undefined for a text that cannot be one (format or
   * checksum).
   */
  requestFor(secret: string): ResolveKeyRequest | undefined;
  /**
   * Since when (monotonic milliseconds) every key change has been heard; undefined while that is
   * not certain.
   */
  heardSince(): number | undefined;
  clock: Clock;
  /** Milliseconds until billing is asked again. */
  maxAgeMs: number;
  /** Most keys kept. */
  maxEntries: number;
}

/**
 * How long a key is trusted while changes may go unheard: a revocation must be felt within a
 * second.
 */
const unheardTrustMs = 1_000;
/** How long a key may outlive a billing that cannot be reached, as long as changes are heard. */
const maxStaleMs = 300_000;
const retryMs = 1_000;
/**
 * How long a key that does not exist is remembered, when its making would be heard, and when it
 * might not be.
 */
const refusalMs = 30_000;
const unheardRefusalMs = 500;
const maxRefusals = 10_000;
const maxRepeats = 3;
/** In these words of OpenAI clients such as LiteLLM know a wrong key from a wrong request. */
const noSuchKey = "Incorrect API key provided.";

/** What one address, and all together, may guess before their look-ups wait for each other. */
const guessesOfOne = { free: 20, perSecond: 1, max: 20_000 };
const guessesOfAll = { free: 200, perSecond: 20, max: 2 };

/**
 * The keys in use, as billing told of them. A warm key costs two look-ups in memory and nothing
 * else; a guess costs billing next to nothing.
 */
export class KeyCache {
  readonly #options: KeyCacheOptions;
  readonly #digests: LRUCache<string, string>;
  readonly #entries: LRUCache<string, Entry>;
  /** From the digest under an old pepper to the one that the entry is under. */
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
   * The key behind a secret if nobody has to be asked for it.
   * @throws {GatewayError} `invalid_api_key` when it has expired
   */
  known(secret: string): ResolvedKey | undefined {
    const digest = this.#digests.get(secret);
    const entry = digest === undefined ? undefined : this.#entries.get(digest);
    if (entry === undefined || !this.#trusted(entry, digest as string)) return undefined;
    return this.#unexpired(entry.key);
  }

  /**
   * The key behind a secret that is not {@link known}, after asking billing (once, however many
   * wait for it).
   * @param address where it was sent from
   * @throws {GatewayError} `invalid_api_key`; `rate_limit_exceeded` to an address that guesses;
   *   `service_unavailable` when billing cannot be asked
   */
  async resolve(secret: string, address: string): Promise<ResolvedKey> {
    const request = this.#options.requestFor(secret);
    if (request === undefined) throw new GatewayError("invalid_api_key");
    const digest = request.digest.toString("hex");
    const refusal = this.#refusals.get(digest);
    if (refusal !== undefined && this.#holds(refusal)) throw new GatewayError("invalid_api_key", refusal.text);
    const source = networkOf(address);
    const known = this.#entries.get(digest);
    const why = known === undefined && this.#guessedFrom(source) ? "guess" : "unknown";
    const key = await this.#resolve(digest, { request, known, why }).catch((error: unknown) => {
      throw this.#judge(error, source);
    });
    this.#digests.set(secret, digest);
    return this.#unexpired(key);
  }

  /** A key has changed: what is known of it no longer counts. `digest` in hex. */
  drop(changed: string): void {
    const digest = this.#aliases.get(changed) ?? changed;
    this.#entries.delete(digest);
    this.#refusals.delete(digest);
    const flight = this.#flights.get(digest);
    if (flight !== undefined) flight.changed = true;
  }

  /** Any key may have changed. */
  dropAll(): void {
    this.#entries.clear();
    this.#refusals.clear();
    for (const flight of this.#flights.values()) flight.changed = true;
  }

  #guessedFrom(source: string): boolean {
    return this.#guesses.waitMs(source) > 0 || this.#allGuesses.waitMs("") > 0;
  }

  /** What a look-up's failure is to the client; counts those that were guesses. */
  #judge(error: unknown, source: string): unknown {
    if (!(error instanceof GatewayError) || error.message !== noSuchKey) return error;
    const waitMs = this.#guesses.waitMs(source);
    this.#guesses.add(source);
    this.#allGuesses.add("");
    return waitMs > 0 ? tooManyGuesses(waitMs) : error;
  }

  #holds({ requestedAt, audible }: Refusal): boolean {
    const since = this.#options.heardSince();
    const heard = audible && since !== undefined && requestedAt >= since;
    return this.#options.clock.monotonic() - requestedAt < (heard ? refusalMs : unheardRefusalMs);
  }

  #trusted(entry: Entry, digest: string): boolean {
    const now = this.#options.clock.monotonic();
    const age = now - entry.requestedAt;
    if (!this.#heard(entry)) return age < unheardTrustMs;
    const failedBefore = entry.retryAt !== 0;
    if (age >= (failedBefore ? maxStaleMs : this.#options.maxAgeMs)) return false;
    // Asked again ahead of time, behind a request that does not wait for it.
    if (age >= this.#options.maxAgeMs / 2 && now >= entry.retryAt && !this.#flights.has(digest))
      this.#resolve(digest, { request: entry.request, known: entry, why: "renewal" }).catch(() =>
        this.#entries.delete(digest),
      );
    return true;
  }

  #heard(entry: Entry): boolean {
    const since = this.#options.heardSince();
    return since !== undefined && entry.requestedAt >= since;
  }

  #unexpired(key: ResolvedKey): ResolvedKey {
    if (key.expiresAtMs !== 0 && this.#options.clock.now() >= key.expiresAtMs)
      throw new GatewayError("invalid_api_key", "The API key has expired.");
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
      if (typeof response === "string") {
        this.#entries.delete(digest);
        // What is announced is the digest under billing's pepper, which may be another than ours
        // while it is replaced.
        this.#refusals.set(digest, { requestedAt, text: response, audible: request.previousDigests.length === 0 });
        throw new GatewayError("invalid_api_key", response);
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
   * The key, or why there is none; what is known already when billing is out of reach and it may
   * still be used.
   */
  async #resolveOnce(digest: string, { request, known, why }: Question): Promise<ResolvedKey | string> {
    try {
      const found = await this.#options.resolve(request, why);
      if (found.revoked) return "The API key has been revoked.";
      if (found.caller === undefined) throw new GatewayError("internal_error");
      return resolvedKey(found.caller);
    } catch (error) {
      if (error instanceof GatewayError && error.code === "not_found") return noSuchKey;
      if (error instanceof GatewayError && error.code === "rate_limit_exceeded") throw error;
      const now = this.#options.clock.monotonic();
      if (known !== undefined && now - known.requestedAt < maxStaleMs && this.#heard(known)) {
        known.retryAt = now + retryMs;
        if (this.#entries.get(digest) === known) return known.key;
      }
      throw new GatewayError("service_unavailable", undefined, { retryAfterMs: retryMs, cause: error });
    }
  }
}

/** What an address is told that has sent too many keys which are none. */
export function tooManyGuesses(retryAfterMs: number): GatewayError {
  const text = "Too many API keys from this address were not valid. Wait before you try another.";
  return new GatewayError("rate_limit_exceeded", text, { retryAfterMs });
}

function resolvedKey(caller: Caller): ResolvedKey {
  const encoded = Caller.encode(caller).finish();
  return {
    keyId: caller.keyId,
    accountId: caller.accountId,
    context: Buffer.from(encoded.buffer, encoded.byteOffset, encoded.byteLength),
    expiresAtMs: Number(caller.expiresAtMs),
    ownBudget: (caller.limits?.monthlyBudgetNanoUsd ?? 0n) > 0n,
    requestsPerMinute: Number(caller.limits?.requestsPerMinute ?? 0n),
  };
}
