import type { Caller } from "@uag/proto/common/v1/caller.ts";
import { KeyedSemaphore } from "@uag/runtime/concurrency/keyed-semaphore";
import type { BufferBudget, BufferLease } from "@uag/untrusted/buffer-budget";
import type { GuardedClient, GuardedRequest, GuardedResponse } from "@uag/untrusted/http/guarded";
import { UrlError } from "@uag/untrusted/http/url-error";

const mebi = 1024 * 1024;

export interface FetchLimits {
  /** Maximum URLs per request. */
  readonly urls: number;
  /** Maximum bytes per request, over all URLs. */
  readonly bytes: number;
  /** Maximum concurrent fetches, per key and in the whole process. */
  readonly atOnceOfKey: number;
  readonly atOnce: number;
}

const fetchLimits: FetchLimits = { urls: 64, bytes: 40 * mebi, atOnceOfKey: 8, atOnce: 32 };

/** Beyond this many waiting fetches something is wrong, so more are refused. */
const maxWaiting = 1_000;

/** Memory per fetched byte: the byte itself, as base64, and as base64 within a body. */
const heldPerByte = 3;

/** How many URLs each account may have fetched. */
export interface FetchBudget {
  /**
   * Takes a permit for one fetch.
   * @throws {GatewayError} `rate_limit_exceeded` when none is left; `service_unavailable` when that is unknown
   */
  take(accountId: string): Promise<void>;
}

/** The parts of {@link UrlFetches}. */
export interface UrlFetchesOptions {
  readonly client: GuardedClient;
  readonly buffers: BufferBudget;
  readonly budget: FetchBudget;
  readonly limits?: FetchLimits;
}

/**
 * Fetches the URLs of requests within limits: third parties must not be flooded, and memory is
 * finite.
 */
export class UrlFetches {
  readonly #client: GuardedClient;
  readonly #buffers: BufferBudget;
  readonly #limits: FetchLimits;
  readonly #turns: KeyedSemaphore;
  readonly #budget: FetchBudget;

  constructor({ client, buffers, budget, limits = fetchLimits }: UrlFetchesOptions) {
    this.#client = client;
    this.#buffers = buffers;
    this.#budget = budget;
    this.#limits = limits;
    this.#turns = new KeyedSemaphore({ perKey: limits.atOnceOfKey, total: limits.atOnce, maxWaiting });
  }

  /** Opens the allowance of one request. Dispose it when the fetched content is no longer held. */
  open({ accountId, keyId }: Pick<Caller, "accountId" | "keyId">): UrlAllowance {
    const open = (): AllowanceParts => {
      const [client, limits, turns, budget] = [this.#client, this.#limits, this.#turns, this.#budget];
      const lease = this.#buffers.open(accountId);
      return { client, limits, turns, budget, accountId, keyId, lease, over: new AbortController() };
    };
    return new UrlAllowance(open);
  }
}

interface AllowanceParts {
  readonly client: GuardedClient;
  readonly limits: FetchLimits;
  readonly turns: KeyedSemaphore;
  readonly budget: FetchBudget;
  readonly accountId: string;
  readonly keyId: string;
  readonly lease: BufferLease;
  /** Aborts fetches in progress. */
  readonly over: AbortController;
}

/** What one request may still fetch. Most requests fetch nothing, and then it is never opened. */
export class UrlAllowance implements Disposable {
  readonly #open: () => AllowanceParts;
  #parts: AllowanceParts | undefined;
  #isOver = false;
  #urls = 0;
  #bytes = 0;

  constructor(open: () => AllowanceParts) {
    this.#open = open;
  }

  /**
   * Waits for its turn, then fetches.
   * @throws {UrlError} the fetch's error; `too_many` and `too_large` also for the request's totals
   * @throws {GatewayError} `service_unavailable` when there is no memory, too many wait, or the account's budget
   * is unknown; `rate_limit_exceeded` beyond that budget
   */
  async fetch(url: string, call: Omit<GuardedRequest, "owner" | "take">): Promise<GuardedResponse> {
    if (this.#isOver) throw new DOMException("The request is over.", "AbortError");
    this.#parts ??= this.#open();
    const { client, limits, turns, budget, accountId, keyId, lease, over } = this.#parts;
    if (++this.#urls > limits.urls) {
      const text = `A request may have at most ${limits.urls} URLs whose content the gateway has to fetch.`;
      throw new UrlError("too_many", text);
    }
    await budget.take(accountId);
    const signal = call.signal === undefined ? over.signal : AbortSignal.any([call.signal, over.signal]);
    const take = (bytes: number): void => {
      over.signal.throwIfAborted();
      this.#take(bytes, { limits, lease });
    };
    using _turn = await turns.acquire(keyId, signal);
    return await client.fetch(url, { ...call, signal, owner: accountId, take });
  }

  #take(bytes: number, { limits, lease }: Pick<AllowanceParts, "limits" | "lease">): void {
    this.#bytes += bytes;
    if (this.#bytes > limits.bytes) {
      throw new UrlError(
        "too_large",
        `The contents of a request's URLs may not exceed ${limits.bytes / mebi} MiB in total.`,
      );
    }
    lease.take(heldPerByte * bytes);
  }

  /** Aborts fetches in progress. */
  [Symbol.dispose](): void {
    this.#isOver = true;
    this.#parts?.over.abort();
    this.#parts?.lease[Symbol.dispose]();
  }
}
