import { createHash } from "node:crypto";
import { GatewayError } from "@uag/contract/errors/gateway-error.ts";
import { networkOf } from "@uag/kit/http/network.ts";
import type { Store } from "../store/store.ts";

/** Tries at once, and a second. */
interface Rate {
  readonly free: number;
  readonly perSecond: number;
}

/** Of one network, and for one name wherever they come from. */
const ofNetwork: Rate = { free: 20, perSecond: 0.5 };
const ofName: Rate = { free: 10, perSecond: 0.2 };

interface Source extends Rate {
  readonly id: string;
}

/**
 * Slows down whoever guesses, over all replicas together: by network and by name. A try is counted
 * before it is made, so that tries at the same time cannot pass together, and given back when it
 * was right.
 */
export class SignInThrottle {
  readonly #tries: Store["signInTries"]["collection"];

  constructor({ signInTries }: Pick<Store, "signInTries">) {
    this.#tries = signInTries.collection;
  }

  /**
   * Counts a try.
   * @returns gives it back, for one that was right
   * @throws {GatewayError} `rate_limit_exceeded`, which says how long to wait
   */
  async count(address: string, name: string): Promise<() => Promise<void>> {
    const counted: Source[] = [];
    for (const source of sourcesOf(address, name)) {
      const retryAfterMs = await this.#take(source);
      if (retryAfterMs > 0) {
        await this.#giveBack(counted);
        const text = "Too many sign-ins failed. Wait before you try again.";
        throw new GatewayError("rate_limit_exceeded", text, { retryAfterMs });
      }
      counted.push(source);
    }
    return () => this.#giveBack(counted);
  }

  /** @returns milliseconds to wait; 0 when the try is counted */
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

  async #giveBack(sources: readonly Source[]): Promise<void> {
    const ids = sources.map(({ id }) => id);
    const less = { $max: [0, { $subtract: ["$level", 1] }] };
    if (ids.length > 0) await this.#tries.updateMany({ _id: { $in: ids as never[] } }, [{ $set: { level: less } }]);
  }
}

/** Names and addresses are not kept as they are: guesses may be passwords in the wrong field. */
function sourcesOf(address: string, name: string): Source[] {
  const idOf = (kind: string, of: string): string => createHash("sha256").update(`${kind}:${of}`).digest("base64url");
  return [
    { id: idOf("network", networkOf(address)), ...ofNetwork },
    { id: idOf("name", name), ...ofName },
  ];
}
