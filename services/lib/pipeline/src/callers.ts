import type { ErrorCode } from "@uag/contract/errors/table";
import type { ResolveKeysRequest, ResolveKeysResponse } from "@uag/proto/billing/v1/keys.ts";
import { Caller } from "@uag/proto/common/v1/caller.ts";
import { LRUCache } from "lru-cache";

/** The part of billing that looks keys up. */
export interface KeyLookup {
  resolveKeys(request: ResolveKeysRequest): Promise<ResolveKeysResponse>;
}

/** A key in use, encoded for the link, or why it cannot be used. */
export type KeyState =
  | { readonly kind: "usable"; readonly context: Buffer }
  | { readonly kind: "unusable"; readonly code: ErrorCode; readonly message: string };

/** Revoking a key must take effect within a second. */
const maxAgeMs = 1_000;
const maxKeys = 1_000;

/** The keys of requests that run without their clients, looked up by id at most once a second each. */
export class Callers {
  readonly #lookup: KeyLookup;
  readonly #now: () => number;
  readonly #states = new LRUCache<string, Promise<KeyState>>({ max: maxKeys, ttl: maxAgeMs });

  constructor(lookup: KeyLookup, now: () => number) {
    this.#lookup = lookup;
    this.#now = now;
  }

  /** @throws when billing cannot be reached */
  state({ keyId }: { readonly keyId: string }): Promise<KeyState> {
    const known = this.#states.get(keyId);
    if (known !== undefined) return known;
    const state = this.#find(keyId);
    this.#states.set(keyId, state);
    state.catch(() => this.#states.delete(keyId));
    return state;
  }

  async #find(keyId: string): Promise<KeyState> {
    const request = { digest: Buffer.alloc(0), previousDigests: [], keyId };
    const [found] = (await this.#lookup.resolveKeys({ keys: [request] })).keys;
    const caller = found?.caller;
    if (caller === undefined) return unusable("invalid_api_key", "The API key of the request no longer exists.");
    if (found?.revoked) return unusable("invalid_api_key", "The API key of the request has been revoked.");
    if (found?.accountDisabled) return unusable("account_disabled", "The account of the request is disabled.");
    const expiresAtMs = Number(caller.expiresAtMs);
    if (expiresAtMs !== 0 && expiresAtMs <= this.#now())
      return unusable("invalid_api_key", "The API key of the request has expired.");
    return { kind: "usable", context: Buffer.from(Caller.encode(caller).finish()) };
  }
}

const unusable = (code: ErrorCode, message: string): KeyState => ({ kind: "unusable", code, message });
