import { createHash } from "node:crypto";
import { LRUCache } from "lru-cache";
import { ApiError } from "./api-error.ts";
import { type Model, modelListSchema } from "./models.ts";
import { jsonWithin, type PublicApi } from "./public-api.ts";

const maxKeys = 10_000;
/** A few thousand models. */
const maxListBytes = 4 * 1024 * 1024;
/**
 * How long a key's models are cached. Only lists of tools depend on them: each call is authorized
 * anew.
 */
const freshMs = 5_000;
/** How long an invalid key is cached. */
const wrongMs = 10_000;

/** What identifies a key in logs and limits, without being secret. */
export function keyIdOf(key: string): string {
  return createHash("sha256").update(key).digest("base64url").slice(0, 22);
}

/** The models that each key may use. Listing them also authenticates the key. */
export class KeyModels {
  readonly #api: PublicApi;
  readonly #known = new LRUCache<string, Promise<readonly Model[]>>({ max: maxKeys, ttl: freshMs });

  constructor(api: PublicApi) {
    this.#api = api;
  }

  /** @throws {ApiError} 401 for an invalid key, 429, 503 */
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
    return modelListSchema.parse(await jsonWithin(response, maxListBytes)).data;
  }
}
