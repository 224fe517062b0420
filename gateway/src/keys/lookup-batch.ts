import { GatewayError } from "@uag/contract/errors/gateway-error";
import type { ResolveKeyRequest, ResolveKeyResponse } from "@uag/proto/billing/v1/keys.ts";

export interface LookupBatchOptions {
  /** Looks up many keys in one call; the responses are in the same order. */
  readonly call: (keys: ResolveKeyRequest[]) => Promise<readonly ResolveKeyResponse[]>;
  /** How long a lookup waits for others before it is sent, milliseconds. */
  readonly waitMs: number;
  /** Maximum calls in flight; further lookups are batched into the next one. */
  readonly maxCalls: number;
  /** Maximum waiting lookups. */
  readonly maxWaiting: number;
  /** The error for one more. */
  readonly refusal: () => GatewayError;
}

interface Waiting {
  readonly request: ResolveKeyRequest;
  readonly resolve: (response: ResolveKeyResponse) => void;
  readonly reject: (error: unknown) => void;
}

/** The most that billing accepts in one call. */
const maxAtOnce = 500;

/** Batches key lookups: a call and its queries cost billing as much for one key as for many. */
export class LookupBatch {
  readonly #options: LookupBatchOptions;
  #waiting: Waiting[] = [];
  #scheduled = false;
  #calls = 0;

  constructor(options: LookupBatchOptions) {
    this.#options = options;
  }

  /** @throws {GatewayError} `not_found`, the refusal when too many wait, or what the call throws */
  find(request: ResolveKeyRequest): Promise<ResolveKeyResponse> {
    if (this.#waiting.length >= this.#options.maxWaiting) throw this.#options.refusal();
    return new Promise((resolve, reject) => {
      this.#waiting.push({ request, resolve, reject });
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#scheduled || this.#waiting.length === 0 || this.#calls >= this.#options.maxCalls) return;
    this.#scheduled = true;
    const send = (): void => {
      this.#scheduled = false;
      void this.#send(this.#waiting.splice(0, maxAtOnce));
    };
    if (this.#options.waitMs === 0) setImmediate(send);
    else setTimeout(send, this.#options.waitMs);
  }

  async #send(waiting: readonly Waiting[]): Promise<void> {
    this.#calls++;
    this.#schedule();
    try {
      const responses = await this.#options.call(waiting.map(({ request }) => request));
      waiting.forEach(({ resolve, reject }, index) => {
        const response = responses[index];
        if (response?.caller === undefined) reject(new GatewayError("not_found"));
        else resolve(response);
      });
    } catch (error) {
      for (const { reject } of waiting) reject(error);
    }
    this.#calls--;
    this.#schedule();
  }
}
