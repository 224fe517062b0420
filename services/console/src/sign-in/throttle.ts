import { createHash } from "node:crypto";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import { networkOf } from "@uag/untrusted/http/network";
import type { Store } from "../store/store.ts";

/** Attempts at once, and per second. */
interface Rate {
  readonly free: number;
  readonly perSecond: number;
}

const ofNetwork: Rate = { free: 20, perSecond: 0.5 };
/** For one name from one network. */
const ofNameThere: Rate = { free: 10, perSecond: 0.2 };
/** For one name from everywhere: against guesses that are spread over many networks. */
const ofName: Rate = { free: 200, perSecond: 0.2 };
/** In one browser in which the user has signed in before, and in one session. */
const ofDevice: Rate = { free: 10, perSecond: 0.2 };

/** Where an attempt is made from, and for whom. */
export interface Attempt {
  readonly address: string;
  readonly name: string;
  /** A browser or session in which the user has signed in; undefined for an unknown one. */
  readonly device?: string | undefined;
}

interface Source extends Rate {
  readonly id: string;
}

/**
 * Rate limits sign-ins by network and by name there, across all replicas. An attempt from a known
 * device counts against that device alone: nobody locks a user out of it. An attempt is counted
 * before it is made, so that concurrent ones cannot exceed the limit, and is refunded when it
 * succeeds.
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
  async count(attempt: Attempt): Promise<() => Promise<void>> {
    const counted: Source[] = [];
    for (const source of sourcesOf(attempt)) {
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
function sourcesOf({ address, name, device }: Attempt): Source[] {
  const idOf = (kind: string, of: string): string => createHash("sha256").update(`${kind}:${of}`).digest("base64url");
  if (device !== undefined) return [{ id: idOf("device", device), ...ofDevice }];
  const network = networkOf(address);
  return [
    { id: idOf("network", network), ...ofNetwork },
    { id: idOf("name there", `${network} ${name}`), ...ofNameThere },
    { id: idOf("name", name), ...ofName },
  ];
}
