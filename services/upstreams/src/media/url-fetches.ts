import type { BufferBudget, BufferLease } from "@uag/kit/buffer-budget.ts";
import type { GuardedClient, GuardedRequest, GuardedResponse } from "@uag/kit/http/guarded.ts";
import { UrlError } from "@uag/kit/http/url-error.ts";
import type { Caller } from "@uag/proto/common/v1/caller.ts";
import { Places } from "./places.ts";

const mebi = 1024 * 1024;

export interface FetchLimits {
  /** URLs of one request. */
  readonly urls: number;
  /** Bytes of one request, all URLs together. */
  readonly bytes: number;
  /** Fetches at the same time, of one key and of the whole process. */
  readonly atOnceOfKey: number;
  readonly atOnce: number;
}

export const fetchLimits: FetchLimits = { urls: 64, bytes: 40 * mebi, atOnceOfKey: 8, atOnce: 32 };

/** What a fetched byte comes to in memory: itself, then as base64, then as base64 in a body. */
const heldPerByte = 3;

/**
 * Fetches what requests only give the address of, within limits: third parties are not ours to
 * flood, and memory is not endless.
 */
export class UrlFetches {
  readonly #client: GuardedClient;
  readonly #buffers: BufferBudget;
  readonly #limits: FetchLimits;
  readonly #places: Places;

  constructor(client: GuardedClient, buffers: BufferBudget, limits = fetchLimits) {
    this.#client = client;
    this.#buffers = buffers;
    this.#limits = limits;
    this.#places = new Places({ ofOwner: limits.atOnceOfKey, ofAll: limits.atOnce });
  }

  /**
   * What one request of a caller may fetch. To be disposed when what was fetched is no longer held.
   */
  open({ accountId, keyId }: Pick<Caller, "accountId" | "keyId">): UrlAllowance {
    const lease = this.#buffers.open(accountId);
    const parts = { client: this.#client, limits: this.#limits, places: this.#places, accountId, keyId, lease };
    return new UrlAllowance(parts);
  }
}

interface AllowanceParts {
  readonly client: GuardedClient;
  readonly limits: FetchLimits;
  readonly places: Places;
  readonly accountId: string;
  readonly keyId: string;
  readonly lease: BufferLease;
}

/** What one request may still fetch. */
export class UrlAllowance implements Disposable {
  readonly #parts: AllowanceParts;
  readonly #over = new AbortController();
  #urls = 0;
  #bytes = 0;

  constructor(parts: AllowanceParts) {
    this.#parts = parts;
  }

  /**
   * Waits for its turn, and fetches.
   * @throws {UrlError} what came of it; `too_many` and `too_large` also for what the request has
   * fetched in all
   * @throws {GatewayError} `service_unavailable` when there is no memory, or too many wait
   */
  async fetch(url: string, call: Omit<GuardedRequest, "owner" | "take">): Promise<GuardedResponse> {
    const { client, limits, places, accountId, keyId } = this.#parts;
    if (++this.#urls > limits.urls) {
      const text = `A request may have at most ${limits.urls} URLs whose content the gateway has to fetch.`;
      throw new UrlError("too_many", text);
    }
    const signal = call.signal === undefined ? this.#over.signal : AbortSignal.any([call.signal, this.#over.signal]);
    using _place = await places.take(keyId, signal);
    return await client.fetch(url, { ...call, signal, owner: accountId, take: (bytes) => this.#take(bytes) });
  }

  #take(bytes: number): void {
    const { limits, lease } = this.#parts;
    this.#over.signal.throwIfAborted();
    this.#bytes += bytes;
    if (this.#bytes > limits.bytes) {
      throw new UrlError("too_large", `The URLs of a request may come to ${limits.bytes / mebi} MiB in all.`);
    }
    lease.take(heldPerByte * bytes);
  }

  /** Ends what is under way. */
  [Symbol.dispose](): void {
    this.#over.abort();
    this.#parts.lease[Symbol.dispose]();
  }
}
