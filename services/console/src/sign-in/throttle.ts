import { createHash } from "node:crypto";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import { networkOf } from "@uag/untrusted/http/network";
import type { Bucket, Buckets, Rate } from "../store/buckets.ts";

const ofNetwork: Rate = { free: 20, perSecond: 0.5 };
/** For one name from one network. */
const ofNameThere: Rate = { free: 10, perSecond: 0.2 };
/** For one name from everywhere: against guesses that are spread over many networks. */
const ofName: Rate = { free: 200, perSecond: 0.2 };
/** Codes of a second factor, for one user: of a million codes, three are correct at any time. */
const ofCode: Rate = { free: 5, perSecond: 1 / 60 };
/** In one browser in which the user has signed in before, and in one session. */
const ofDevice: Rate = { free: 10, perSecond: 0.2 };

/** Where an attempt is made from, and for whom. */
export interface Attempt {
  readonly address: string;
  readonly name: string;
  /** A browser or session in which the user has signed in; undefined for an unknown one. */
  readonly device?: string | undefined;
}

/**
 * Rate limits sign-ins by network and user name, across all replicas. An attempt from a known
 * device counts only against that device, so that other clients cannot lock its user out. An
 * attempt is counted before it is made, so that concurrent ones cannot exceed the limit, and is
 * refunded if it succeeds.
 */
export class SignInThrottle {
  readonly #buckets: Buckets;

  constructor(buckets: Buckets) {
    this.#buckets = buckets;
  }

  /**
   * Counts an attempt.
   * @returns refunds it, for one that succeeded
   * @throws {GatewayError} `rate_limit_exceeded`, with the time to wait
   */
  async count(attempt: Attempt): Promise<() => Promise<void>> {
    return await this.#take(sourcesOf(attempt), "Too many sign-ins failed. Wait before you try again.");
  }

  /**
   * Counts a code of a user's second factor, likewise.
   * @param device as in an {@link Attempt}
   */
  async countCode(userId: string, device: string | undefined): Promise<() => Promise<void>> {
    const source = { id: idOf("code", `${userId} ${device ?? ""}`), ...ofCode };
    return await this.#take([source], "Too many codes were incorrect. Wait before you try again.");
  }

  async #take(sources: readonly Bucket[], text: string): Promise<() => Promise<void>> {
    const counted: Bucket[] = [];
    for (const source of sources) {
      const retryAfterMs = await this.#buckets.take(source);
      if (retryAfterMs > 0) {
        await this.#buckets.refund(counted);
        throw new GatewayError("rate_limit_exceeded", text, { retryAfterMs });
      }
      counted.push(source);
    }
    return () => this.#buckets.refund(counted);
  }
}

/** Hashed, because a name may be a password in the wrong field. */
const idOf = (kind: string, of: string): string => createHash("sha256").update(`${kind}:${of}`).digest("base64url");

function sourcesOf({ address, name, device }: Attempt): Bucket[] {
  if (device !== undefined) return [{ id: idOf("device", device), ...ofDevice }];
  const network = networkOf(address);
  return [
    { id: idOf("network", network), ...ofNetwork },
    { id: idOf("name there", `${network} ${name}`), ...ofNameThere },
    { id: idOf("name", name), ...ofName },
  ];
}
