import type { Clock } from "@uag/kit/clock.ts";
import { GatewayError } from "@uag/kit/errors.ts";
import type { ResolveKeyResponse } from "@uag/proto/billing/v1/keys.ts";
import { Caller } from "@uag/proto/common/v1/caller.ts";
import { Generations } from "./generations.ts";

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
}

interface Entry {
  readonly key: ResolvedKey;
  /** When billing was asked, on the monotonic clock: what changed later is not in it. */
  readonly askedAt: number;
  /** 0, or when billing may be asked again after it could not be reached. */
  retryAt: number;
}

interface Flight {
  readonly answer: Promise<ResolvedKey>;
  changed: boolean;
}

export interface KeyCacheOptions {
  /** Billing's look-up by digest; rejects with `not_found` when there is no such key. */
  resolve(digest: Buffer): Promise<ResolveKeyResponse>;
  /** The key's digest, or undefined for a text that cannot be a key (format or checksum). */
  digest(secret: string): Buffer | undefined;
  /** Since when (monotonic milliseconds) every key change has been heard; undefined while that is not certain. */
  heardSince(): number | undefined;
  clock: Clock;
  /** Milliseconds until billing is asked again. */
  maxAgeMs: number;
  /** Most keys kept. */
  maxEntries: number;
}

/** How long a key is trusted while changes may go unheard: a revocation must be felt within a second. */
const unheardTrustMs = 1_000;
/** How long a key may outlive a billing that cannot be reached, as long as changes are heard. */
const maxStaleMs = 300_000;
const retryMs = 1_000;
const refusalMs = 2_000;
const maxRefusals = 10_000;
const maxRepeats = 3;

/** The keys in use, as billing told of them. A warm key costs two look-ups in memory and nothing else. */
export class KeyCache {
  readonly #options: KeyCacheOptions;
  readonly #digests: Generations<string>;
  readonly #entries: Generations<Entry>;
  readonly #refusals = new Generations<{ until: number; text: string }>(maxRefusals);
  readonly #flights = new Map<string, Flight>();

  constructor(options: KeyCacheOptions) {
    this.#options = options;
    this.#digests = new Generations(options.maxEntries);
    this.#entries = new Generations(options.maxEntries);
  }

  /**
   * The key behind a secret: at once when it is known, else after asking billing (once, however many wait for it).
   * @throws {GatewayError} `invalid_api_key`; `service_unavailable` when billing cannot be asked
   */
  find(secret: string): ResolvedKey | Promise<ResolvedKey> {
    const digest = this.#digestOf(secret);
    const entry = this.#entries.get(digest);
    if (entry !== undefined && this.#trusted(entry, digest)) return this.#unexpired(entry.key);
    const refusal = this.#refusals.get(digest);
    if (refusal !== undefined && this.#options.clock.monotonic() < refusal.until)
      throw new GatewayError("invalid_api_key", refusal.text);
    return this.#ask(digest, entry).then((key) => this.#unexpired(key));
  }

  /** A key has changed: what is known of it no longer counts. `digest` in hex. */
  drop(digest: string): void {
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

  #digestOf(secret: string): string {
    const known = this.#digests.get(secret);
    if (known !== undefined) return known;
    const digest = this.#options.digest(secret)?.toString("hex");
    if (digest === undefined) throw new GatewayError("invalid_api_key");
    this.#digests.set(secret, digest);
    return digest;
  }

  #trusted(entry: Entry, digest: string): boolean {
    const now = this.#options.clock.monotonic();
    const age = now - entry.askedAt;
    if (!this.#heard(entry)) return age < unheardTrustMs;
    const failedBefore = entry.retryAt !== 0;
    if (age >= (failedBefore ? maxStaleMs : this.#options.maxAgeMs)) return false;
    // Asked again ahead of time, behind a request that does not wait for it.
    if (age >= this.#options.maxAgeMs / 2 && now >= entry.retryAt && !this.#flights.has(digest))
      this.#ask(digest, entry).catch(() => this.#entries.delete(digest));
    return true;
  }

  #heard(entry: Entry): boolean {
    const since = this.#options.heardSince();
    return since !== undefined && entry.askedAt >= since;
  }

  #unexpired(key: ResolvedKey): ResolvedKey {
    if (key.expiresAtMs !== 0 && this.#options.clock.now() >= key.expiresAtMs)
      throw new GatewayError("invalid_api_key", "The API key has expired.");
    return key;
  }

  #ask(digest: string, known: Entry | undefined): Promise<ResolvedKey> {
    const flying = this.#flights.get(digest);
    if (flying !== undefined) return flying.answer;
    const answer = this.#askUntilSettled(digest, known).finally(() => this.#flights.delete(digest));
    this.#flights.set(digest, { answer, changed: false });
    return answer;
  }

  async #askUntilSettled(digest: string, known: Entry | undefined): Promise<ResolvedKey> {
    for (let repeat = 1; ; repeat++) {
      const askedAt = this.#options.clock.monotonic();
      const answer = await this.#askOnce(digest, known);
      const flight = this.#flights.get(digest);
      if (flight?.changed && repeat < maxRepeats) {
        flight.changed = false;
        continue;
      }
      if (answer === known?.key) return answer;
      if (typeof answer === "string") {
        this.#entries.delete(digest);
        this.#refusals.set(digest, { until: askedAt + refusalMs, text: answer });
        throw new GatewayError("invalid_api_key", answer);
      }
      if (flight?.changed !== true) this.#entries.set(digest, { key: answer, askedAt, retryAt: 0 });
      return answer;
    }
  }

  /** The key, or why there is none; what is known already when billing is out of reach and it may still be used. */
  async #askOnce(digest: string, known: Entry | undefined): Promise<ResolvedKey | string> {
    try {
      const found = await this.#options.resolve(Buffer.from(digest, "hex"));
      if (found.revoked) return "The API key has been revoked.";
      if (found.caller === undefined) throw new GatewayError("internal_error");
      return resolvedKey(found.caller);
    } catch (error) {
      if (error instanceof GatewayError && error.code === "not_found") return "The API key is not valid.";
      const now = this.#options.clock.monotonic();
      if (known !== undefined && now - known.askedAt < maxStaleMs && this.#heard(known)) {
        known.retryAt = now + retryMs;
        if (this.#entries.get(digest) === known) return known.key;
      }
      throw new GatewayError("service_unavailable", undefined, { retryAfterMs: retryMs, cause: error });
    }
  }
}

function resolvedKey(caller: Caller): ResolvedKey {
  const encoded = Caller.encode(caller).finish();
  return {
    keyId: caller.keyId,
    accountId: caller.accountId,
    context: Buffer.from(encoded.buffer, encoded.byteOffset, encoded.byteLength),
    expiresAtMs: Number(caller.expiresAtMs),
    ownBudget: (caller.limits?.monthlyBudgetNanoUsd ?? 0n) > 0n,
  };
}
