import type { AboveHoldStatus } from "@uag/contract/messages/status";

/** Upstreams that are listed by name; requests of any others count as `other`. */
const maxListed = 100;

interface Excess {
  requests: number;
  largestRatio: number;
  lastAtMs: number;
}

/** What is known of a request that cost more than was held for it. */
export interface AboveHoldRequest {
  readonly provider: string;
  readonly model: string;
  readonly holdNanoUsd: bigint;
  readonly reportedNanoUsd: bigint;
}

/**
 * The requests of this process that cost more than their holds, by provider and model. Each shows a
 * wrong bound or wrong usage, so operators see them on the fleet page.
 */
export class AboveHold {
  readonly #excesses = new Map<string, Excess>();

  record({ provider, model, holdNanoUsd, reportedNanoUsd }: AboveHoldRequest): void {
    const key = this.#keyOf(provider, model);
    const known = this.#excesses.get(key);
    this.#excesses.set(key, {
      requests: (known?.requests ?? 0) + 1,
      largestRatio: Math.max(known?.largestRatio ?? 0, Number(reportedNanoUsd) / Number(holdNanoUsd || 1n)),
      lastAtMs: Date.now(),
    });
  }

  status(): AboveHoldStatus[] {
    return [...this.#excesses].map(([key, { requests, largestRatio, lastAtMs }]) => {
      const [provider = "", model = ""] = key.split("\n");
      return { provider, model, requests, largest_ratio: largestRatio, last_at_ms: lastAtMs };
    });
  }

  #keyOf(provider: string, model: string): string {
    const key = `${provider}\n${model}`;
    return this.#excesses.has(key) || this.#excesses.size < maxListed ? key : "other\nother";
  }
}
