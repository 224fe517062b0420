import { GatewayError } from "@uag/contract/errors/gateway-error.ts";
import type { ResolveKeyRequest, ResolveKeyResponse } from "@uag/proto/billing/v1/keys.ts";

const everyMs = 100;
/** More than this in a tenth of a second and nobody behind that address is waited for. */
const mostWaiting = 500;

interface Waiting {
  readonly request: ResolveKeyRequest;
  readonly resolve: (answer: ResolveKeyResponse) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Looks keys up that are probably guesses: all of a tenth of a second in one call. So guessing
 * costs billing ten calls a second whatever its rate, and a real key from the same address is found
 * a tenth of a second later.
 */
export class LookupBatch {
  readonly #ask: (keys: ResolveKeyRequest[]) => Promise<readonly ResolveKeyResponse[]>;
  #waiting: Waiting[] = [];

  constructor(ask: (keys: ResolveKeyRequest[]) => Promise<readonly ResolveKeyResponse[]>) {
    this.#ask = ask;
  }

  /**
   * @throws {GatewayError} `not_found`, `rate_limit_exceeded` when too many wait, or what the call
   * throws
   */
  find(request: ResolveKeyRequest): Promise<ResolveKeyResponse> {
    if (this.#waiting.length >= mostWaiting) throw tooManyGuesses(1_000);
    if (this.#waiting.length === 0) setTimeout(() => void this.#send(), everyMs);
    return new Promise((resolve, reject) => this.#waiting.push({ request, resolve, reject }));
  }

  async #send(): Promise<void> {
    const waiting = this.#waiting;
    this.#waiting = [];
    try {
      const answers = await this.#ask(waiting.map(({ request }) => request));
      waiting.forEach(({ resolve, reject }, index) => {
        const answer = answers[index];
        if (answer?.caller === undefined) reject(new GatewayError("not_found"));
        else resolve(answer);
      });
    } catch (error) {
      for (const { reject } of waiting) reject(error);
    }
  }
}

/** What an address is told that has sent too many keys which are none. */
export function tooManyGuesses(retryAfterMs: number): GatewayError {
  const text = "Too many API keys from this address were not valid. Wait before you try another.";
  return new GatewayError("rate_limit_exceeded", text, { retryAfterMs });
}
