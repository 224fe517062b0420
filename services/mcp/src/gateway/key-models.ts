import { createHash } from "node:crypto";
import { LRUCache } from "lru-cache";
import { ApiError } from "./api-error.ts";
import { type Model, modelListSchema } from "./models.ts";
import type { PublicApi } from "./public-api.ts";

const maxKeys = 10_000;
/**
 * How long what a key may use is taken for true. Only lists of tools rest on it: each call is
 * judged anew.
 */
const freshMs = 5_000;
/** How long a wrong key is remembered. */
const wrongMs = 10_000;

/** What may be said of a key in a log, and by which it is counted. */
export function keyIdOf(key: string): string {
  return createHash("sha256").update(key).digest("base64url").slice(0, 22);
}

/** The models that each key may use. Asking is also how a key is known to be good. */
export class KeyModels {
  readonly #api: PublicApi;
  readonly #known = new LRUCache<string, Promise<readonly Model[]>>({ max: maxKeys, ttl: freshMs });

  constructor(api: PublicApi) {
    this.#api = api;
  }

  /** @throws {ApiError} 401 for a key that is none, 429, 503 */
  of(key: string, keyId = keyIdOf(key)): Promise<readonly Model[]> {
    const known = this.#known.get(keyId);
    if (known !== undefined) return known;
    const pending = this.#fetch(key);
    this.#known.set(keyId, pending);
    pending.catch((error: unknown) => {
      const wrong = error instanceof ApiError && error.status === 401;
      if (wrong) this.#known.set(keyId, pending, { ttl: wrongMs });
      else this.#known.delete(keyId);
    });
    return pending;
  }

  async #fetch(key: string): Promise<readonly Model[]> {
    const response = await this.#api.call(key, { method: "GET", path: "/v1/models" });
    return modelListSchema.parse(await response.json()).data;
  }
}
