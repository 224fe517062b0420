import { type LimitServiceServer, LimitServiceService } from "@uag/proto/billing/v1/limits.ts";
import { systemClock } from "@uag/runtime/clock";
import { createRpcClient, type RpcClient } from "@uag/runtime/rpc/client";
import type { Identity } from "@uag/runtime/rpc/identity";
import { AccountFetches } from "./account-fetches.ts";

/** The parts of {@link FetchPermits}. */
export interface FetchPermitsOptions {
  /** Disposed with the permits. */
  readonly billing: Pick<RpcClient<LimitServiceServer>, "leaseFetches"> & Disposable;
  /** Monotonic milliseconds. */
  readonly now?: () => number;
}

const tickMs = 5_000;

/**
 * Permits to fetch URLs, leased from billing: an account's budget is that of all replicas of all
 * services together. Leased permits are used while billing is unreachable.
 */
export class FetchPermits implements AsyncDisposable {
  readonly #accounts = new Map<string, AccountFetches>();
  readonly #options: FetchPermitsOptions;
  readonly #timer: NodeJS.Timeout;
  #refused = 0;

  constructor(options: FetchPermitsOptions) {
    this.#options = options;
    this.#timer = setInterval(() => this.advance(), tickMs).unref();
  }

  /** Fetches refused because a budget was used up, since the start. */
  get refused(): number {
    return this.#refused;
  }

  /**
   * Takes a permit for one fetch.
   * @throws {GatewayError} `rate_limit_exceeded` with the time until a permit is free;
   * `service_unavailable` without a leased permit while billing is unreachable
   */
  async take(accountId: string): Promise<void> {
    await this.#account(accountId).take();
  }

  /** Gives back the unused permits of expired leases, and forgets idle accounts. */
  advance(): void {
    for (const [id, account] of this.#accounts) {
      account.advance();
      if (account.empty) this.#accounts.delete(id);
    }
  }

  #account(accountId: string): AccountFetches {
    const known = this.#accounts.get(accountId);
    if (known !== undefined) return known;
    const { billing, now = systemClock.monotonic } = this.#options;
    const refused = (): void => void this.#refused++;
    const account = new AccountFetches(accountId, { billing, now, refused });
    this.#accounts.set(accountId, account);
    return account;
  }

  /** Gives back all permits; what billing does not receive counts as used. */
  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all([...this.#accounts.values()].map((account) => account.close()));
    this.#options.billing[Symbol.dispose]();
  }
}

/** Leases permits from billing at this address, until disposed. */
export function openFetchPermits(address: string, identity: Identity): FetchPermits {
  return new FetchPermits({ billing: createRpcClient<LimitServiceServer>(LimitServiceService, address, identity) });
}
