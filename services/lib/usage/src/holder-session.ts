import type { GatewayError } from "@uag/contract/errors/gateway-error";
import type { Caller } from "@uag/proto/common/v1/caller.ts";
import { maxSkewMs } from "@uag/runtime/clock";
import { newId } from "@uag/runtime/ids";
import { dayOf } from "@uag/runtime/utc-days";
import { RecentEndUsers } from "./end-users/recent.ts";
import type { Journal } from "./journal/journal.ts";
import { Lease } from "./lease.ts";
import type { Publisher } from "./publish/publisher.ts";
import { outOfReach } from "./refusals.ts";
import type { OpenRequest, RequestSession } from "./request.ts";
import type { SessionDependencies } from "./session-dependencies.ts";
import { CredentialSpend } from "./spend/credential-spend.ts";
import { Account, type GrantSource, isOfEndUser, purseId, purseOf } from "./wallet/account.ts";
import { GrantReturns } from "./wallet/grant-returns.ts";
import type { Grant } from "./wallet/wallet.ts";

const acquireTimeoutMs = 5_000;
/**
 * Open requests whose `started` is more than this many segments behind are rewritten at the
 * journal's end.
 */
const segmentsBehind = 4;

/**
 * One holder as billing knows it, with its lease, wallets, journal and open requests. Once billing
 * fences it, it admits nothing more and the process continues with a new session.
 */
export class HolderSession implements RequestSession {
  readonly holderId: string;
  readonly journal: Journal;
  readonly publisher: Publisher;
  readonly lease: Lease;
  readonly grantReturns: GrantReturns;
  readonly spend: CredentialSpend;
  readonly open = new Set<OpenRequest>();
  readonly now: () => number;
  readonly #accounts = new Map<string, Account>();
  readonly #endUsers = new RecentEndUsers();
  readonly #source: GrantSource;
  readonly #dependencies: SessionDependencies;
  readonly #unwritten: { request: OpenRequest; final: Uint8Array }[] = [];
  #carrying = false;

  constructor(
    dependencies: SessionDependencies,
    options: { holderId: string; journal: Journal; fenced: (by: HolderSession) => void },
  ) {
    const { billing, clock, service, log } = dependencies;
    this.holderId = options.holderId;
    this.journal = options.journal;
    this.now = () => clock.now();
    this.#dependencies = dependencies;
    this.grantReturns = new GrantReturns(billing, log);
    this.publisher = dependencies.publisher({
      journal: this.journal,
      holderId: this.holderId,
      batchPrefix: this.holderId,
      confirmed: () => this.trim(),
    });
    const fenced = (error: GatewayError): void => {
      log.warn({ holderId: this.holderId, err: error }, "billing fenced this holder");
      options.fenced(this);
    };
    const skewed = (skewMs: number, isSkewed: boolean): void => {
      if (isSkewed) log.error({ skewMs, maxSkewMs }, "the clock differs from the database's; admitting no requests");
      else log.info({ skewMs }, "the clock matches the database's again");
    };
    const { holderId } = this;
    this.spend = new CredentialSpend({
      holderId,
      billing,
      now: () => clock.monotonic(),
      failed: (error) => log.warn({ err: error }, "leasing a part of a credential's spend cap failed"),
    });
    this.lease = new Lease({ holderId, service, billing, clock, fenced, skewed, beats: dependencies.beats });
    this.#source = {
      holderId: this.holderId,
      acquire: (request) => billing.acquire(request, { timeoutMs: acquireTimeoutMs, affinity: request.accountId }),
      returnGrants: (accountId, gives) => this.grantReturns.returnGrants(accountId, gives),
      newRequestId: () => newId("acq"),
      fenced,
    };
  }

  get accounts(): Iterable<Account> {
    return this.#accounts.values();
  }

  /** The wallet of the purse that funds this caller's requests. */
  account(caller: Caller): Account {
    const purse = purseOf(caller);
    const id = purseId(purse);
    if (isOfEndUser(purse)) this.#evict(this.#endUsers.use(purse.accountId, id));
    const known = this.#accounts.get(id);
    if (known !== undefined) return known;
    const account = new Account(purse, this.#source, this.#dependencies.wallet);
    this.#accounts.set(id, account);
    return account;
  }

  /** Returns the money of an end user, for which there is no place. */
  #evict(id: string | undefined): void {
    const account = id === undefined ? undefined : this.#accounts.get(id);
    if (id === undefined || account === undefined) return;
    account.retire();
    if (account.empty) this.#accounts.delete(id);
  }

  recall(accountId: string): void {
    for (const account of this.#accounts.values()) if (account.purse.accountId === accountId) account.recall();
  }

  /** The key changed, perhaps its budget: returns what its wallets have unspent. */
  recallKey(keyId: string): void {
    for (const account of this.#accounts.values()) if (account.purse.keyId === keyId) account.recall();
  }

  /**
   * Waits for billing. @throws {GatewayError} also when the lease expired meanwhile, which makes
   * the grant useless
   */
  async waitForGrant(account: Account, hold: bigint): Promise<Grant> {
    const grant = await account.wait(hold);
    if (this.lease.live) return grant;
    account.settle(grant, hold, 0n);
    throw outOfReach(new Error("the lease expired while the request waited for a grant"));
  }

  delay(ms: number): Promise<void> {
    return this.#dependencies.delay(ms);
  }

  unwritten(request: OpenRequest, final: Uint8Array): void {
    this.#unwritten.push({ request, final });
  }

  /** Called about once a second. */
  advance(elapsedMs: number, idleMs: number): void {
    for (const [id, account] of this.#accounts) {
      account.advance(elapsedMs, idleMs);
      if (!account.empty) continue;
      this.#accounts.delete(id);
      this.#endUsers.forget(id);
    }
    this.grantReturns.retry();
    this.spend.advance(dayOf(this.now()));
    this.#writeUnwritten();
  }

  #writeUnwritten(): void {
    for (const { request, final } of this.#unwritten.splice(0)) {
      this.journal.append(final).then(
        () => request.written(),
        () => this.unwritten(request, final),
      );
    }
  }

  /**
   * Deletes the segments before the oldest unconfirmed final and the oldest `started` that is still
   * open. Only a prefix is deleted, so a `started` never outlives its final.
   */
  trim(): void {
    let oldest = Number.POSITIVE_INFINITY;
    for (const { segment } of this.open) oldest = Math.min(oldest, segment);
    const keep = this.publisher.keepSegment;
    this.#dependencies.quiet(this.journal.trim(Math.min(oldest, keep)));
    if (keep - oldest > segmentsBehind) this.#dependencies.quiet(this.#carryForward(keep - segmentsBehind));
  }

  /**
   * Keeps one long request from retaining everything written since it began. Trims right afterwards
   * instead of waiting for the next confirmed final.
   */
  async #carryForward(before: number): Promise<void> {
    const behind = [...this.open].filter(({ segment, settled }) => segment < before && !settled);
    // A settled request is not rewritten: its final is being written, however long the disk refuses
    // it.
    if (this.#carrying || behind.length === 0) return;
    this.#carrying = true;
    try {
      await Promise.all(behind.map((request) => request.carryForward()));
    } finally {
      this.#carrying = false;
    }
    this.trim();
  }

  /**
   * Refuses all waiting requests, admits no more and returns unspent money: other replicas may need
   * it at once.
   */
  end(): void {
    this.lease[Symbol.dispose]();
    for (const account of this.#accounts.values()) {
      account.refuseAll(outOfReach(new Error("the holder session has ended")));
      account.recall();
    }
  }
}
