import { createHash } from "node:crypto";
import { GatewayError } from "@uag/contract/errors/gateway-error.ts";
import { networkOf } from "@uag/kit/http/network.ts";
import type { Store } from "../store/store.ts";

/** Attempts at once, and per second. */
interface Rate {
  readonly free: number;
  readonly perSecond: number;
}

/** From one network, and for one name from anywhere. */
const ofNetwork: Rate = { free: 20, perSecond: 0.5 };
const ofName: Rate = { free: 10, perSecond: 0.2 };

interface Source extends Rate {
  readonly id: string;
}

/**
 * Rate limits sign-ins by network and by name, across all replicas. An attempt is counted before it
 * is made, so that concurrent ones cannot exceed the limit, and refunded when it succeeds.
 */
export class SignInThrottle {
  readonly #tries: Store["signInTries"]["collection"];

  constructor({ signInTries }: Pick<Store, "signInTries">) {
    this.#tries = signInTries.collection;
  }

  /**
   * Counts an attempt.
   * @returns refunds it, for one that succeeded
   * @throws {GatewayError} `rate_limit_exceeded`, with the time to wait
   */
  async count(address: string, name: string): Promise<() => Promise<void>> {
    const counted: Source[] = [];
    for (const source of sourcesOf(address, name)) {
      const retryAfterMs = await this.#take(source);
      if (retryAfterMs > 0) {
        await this.#refund(counted);
        const text = "Too many sign-ins failed. Wait before you try again.";
        throw new GatewayError("rate_limit_exceeded", text, { retryAfterMs });
      }
      counted.push(source);
    }
    return () => this.#refund(counted);
  }

  /** @returns milliseconds to wait; 0 when the attempt is counted */
  async #take({ id, free, perSecond }: Source): Promise<number> {
    const level = { $ifNull: ["$level", 0] };
    const seconds = { $divide: [{ $subtract: ["$$NOW", { $ifNull: ["$at", "$$NOW"] }] }, 1_000] };
    const drained = { $max: [0, { $subtract: [level, { $multiply: [seconds, perSecond] }] }] };
    const emptyMs = ((free + 1) / perSecond) * 1_000;
    const after = await this.#tries.findOneAndUpdate(
      { _id: id as never },
      [
        { $set: { level: drained, at: "$$NOW", endsAt: { $add: ["$$NOW", emptyMs] } } },
        { $set: { allowed: { $lt: ["$level", free] } } },
        { $set: { level: { $cond: ["$allowed", { $add: ["$level", 1] }, "$level"] } } },
      ],
      { upsert: true, returnDocument: "after" },
    );
    if (after === null || after["allowed"] === true) return 0;
    return Math.ceil(((Number(after["level"]) - free + 1) / perSecond) * 1_000);
  }

  async #refund(sources: readonly Source[]): Promise<void> {
    const ids = sources.map(({ id }) => id);
    const less = { $max: [0, { $subtract: ["$level", 1] }] };
    if (ids.length > 0) await this.#tries.updateMany({ _id: { $in: ids as never[] } }, [{ $set: { level: less } }]);
  }
}

/** Hashed, because a name may be a password in the wrong field. */
function sourcesOf(address: string, name: string): Source[] {
  const idOf = (kind: string, of: string): string => createHash("sha256").update(`${kind}:${of}`).digest("base64url");
  return [
    { id: idOf("network", networkOf(address)), ...ofNetwork },
    { id: idOf("name", name), ...ofName },
  ];
}
