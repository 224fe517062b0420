import type { Protocol, RateStanding, Reply } from "../http/types.ts";
import type { Faults } from "./catalogue.ts";

interface Window {
  readonly endsAt: number;
  used: number;
}

/** Counts each key's requests in windows of a fixed length, for the fault `rate`. */
export class RateWindows {
  readonly #windows = new Map<string, Window>();

  /** Counts a request, unless it is above the limit. */
  take(key: string, { rate: limit = 0, "rate-ms": lengthMs = 60_000 }: Faults): RateStanding & { over: boolean } {
    const now = Date.now();
    let window = this.#windows.get(key);
    if (window === undefined || window.endsAt <= now) {
      window = { endsAt: now + lengthMs, used: 0 };
      this.#windows.set(key, window);
    }
    const over = window.used >= limit;
    if (!over) window.used++;
    return { limit, remaining: limit - window.used, resetMs: window.endsAt - now, over };
  }
}

/** A reply with the provider's headers of a limit. */
export function withRate(reply: Reply, protocol: Protocol, standing: RateStanding): Reply {
  return { ...reply, headers: { ...reply.headers, ...protocol.rateHeaders?.(standing) } };
}

/** The provider's refusal of a request above the limit. */
export function overRate(protocol: Protocol, standing: RateStanding): Reply {
  const retrySeconds = Math.ceil(standing.resetMs / 1_000);
  const reply = protocol.error({ status: 429, retrySeconds });
  return withRate({ ...reply, headers: { ...reply.headers, "retry-after": String(retrySeconds) } }, protocol, standing);
}
