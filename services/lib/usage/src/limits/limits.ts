import { isEndUserLevel } from "@uag/contract/end-users";
import { limitRecall, limitRecallResponse, limitRecallSubjects } from "@uag/contract/messages/billing";
import type { LimitServiceServer } from "@uag/proto/billing/v1/limits.ts";
import type { Caller, Limits as Terms } from "@uag/proto/common/v1/caller.ts";
import type { Bus } from "@uag/runtime/bus";
import type { Clock } from "@uag/runtime/clock";
import type { Logger } from "@uag/runtime/log";
import type { RpcClient } from "@uag/runtime/rpc/client";
import { onBudgetChanged } from "../budget-changes.ts";
import { RecentEndUsers } from "../end-users/recent.ts";
import { onKeyChanged } from "../key-changes.ts";
import { CallerLimits } from "./caller-limits.ts";
import { Holder } from "./holder.ts";
import { type LimitTerms, ScopeLimits } from "./scope-limits.ts";

/** What a process needs to enforce the limits of keys and budgets together with the other replicas. */
export interface LimitsOptions {
  readonly billing: RpcClient<LimitServiceServer>;
  readonly bus: Bus;
  readonly clock: Clock;
  readonly log: Logger;
  /** Permits unused for this long are returned, milliseconds. */
  readonly idleMs: number;
}

const tickMs = 1_000;

/**
 * The limits of all keys and budgets in this replica. A caller without limits costs only a check.
 */
export class Limits implements AsyncDisposable {
  readonly #options: LimitsOptions;
  readonly #holder: Holder;
  /** Keys, budgets and end users, by their ids. */
  readonly #scopes = new Map<string, ScopeLimits>();
  readonly #endUsers = new RecentEndUsers();
  readonly #timer: NodeJS.Timeout;
  #tickedAt: number;

  constructor(options: LimitsOptions) {
    this.#options = options;
    const { billing, clock, bus } = options;
    this.#holder = new Holder({
      billing,
      clock,
      lapsed: () => {
        for (const scope of this.#scopes.values()) scope.lapse();
      },
    });
    this.#tickedAt = clock.monotonic();
    this.#timer = setInterval(() => this.#advance(), tickMs).unref();
    bus.subscribe(limitRecallSubjects.all, (data, subject) => this.#recalled(limitRecallSubjects.idOf(subject), data));
    const changed = (id: string): void => void this.#scopes.get(id)?.returnAll();
    onKeyChanged(options, changed);
    onBudgetChanged(options, changed);
  }

  /** The limits of the caller and of the levels above it; undefined when there are none. */
  of(caller: Caller): CallerLimits | undefined {
    // The key of an envelope uses the permits of the key that it was opened with.
    const { accountId, keyId: own, rootKeyId: keyId = own, levels, version, limits } = caller;
    const scopes: ScopeLimits[] = [];
    const key = this.#scope(keyId, { version, limits });
    if (key !== undefined) scopes.push(key);
    for (const level of levels) {
      const scope = this.#scope(level.id, level);
      if (scope === undefined) continue;
      scopes.push(scope);
      if (isEndUserLevel(level.id)) this.#evict(this.#endUsers.use(accountId, level.id));
    }
    return scopes.length === 0 ? undefined : new CallerLimits(scopes, this.#options.clock);
  }

  /** Undefined when it has no limits. */
  #scope(id: string, terms: LimitTerms): ScopeLimits | undefined {
    const known = this.#scopes.get(id);
    if (known === undefined && !isLimited(terms.limits)) return undefined;
    const scope = known ?? new ScopeLimits(id, { holder: this.#holder, clock: this.#options.clock });
    scope.learn(terms);
    if (known === undefined) this.#scopes.set(id, scope);
    return scope;
  }

  /** Returns the permits of an end user, for which there is no place. */
  #evict(id: string | undefined): void {
    const scope = id === undefined ? undefined : this.#scopes.get(id);
    if (scope === undefined) return;
    void scope.returnAll().then(() => {
      if (scope.empty && this.#scopes.get(scope.id) === scope) this.#forget(scope);
    });
  }

  #forget({ id }: ScopeLimits): void {
    this.#scopes.delete(id);
    this.#endUsers.forget(id);
  }

  #advance(): void {
    const now = this.#options.clock.monotonic();
    const elapsedMs = now - this.#tickedAt;
    this.#tickedAt = now;
    let holds = false;
    for (const scope of this.#scopes.values()) {
      scope.advance(elapsedMs, this.#options.idleMs);
      if (scope.holds) holds = true;
      else if (scope.empty) this.#forget(scope);
    }
    if (holds)
      this.#holder
        .renew()
        .catch((error: unknown) => this.#options.log.warn({ err: error }, "renewing permit leases failed"));
  }

  /** Returns everything not in use. */
  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all([...this.#scopes.values()].map((scope) => scope.returnAll()));
  }

  #recalled(id: string, data: Uint8Array): void {
    const scope = this.#scopes.get(id);
    if (scope === undefined) return;
    const { bus, log } = this.#options;
    const recall = limitRecall.decode(data);
    if (recall === undefined) {
      log.error({ bytes: data.length }, "invalid permit recall message");
      return;
    }
    const { kind, need, reply_to: replyTo } = recall;
    if (recall.report === true) {
      const reply = { holder_id: this.#holder.id, used: scope.used(kind) };
      bus.connection.publish(replyTo, limitRecallResponse.encode(reply));
      return;
    }
    if (recall.holder_id === this.#holder.id) return;
    scope
      .returnIdle(kind, need)
      .then((freeInMs) => bus.connection.publish(replyTo, limitRecallResponse.encode({ free_in_ms: freeInMs })))
      .catch((error: unknown) => log.warn({ err: error }, "a permit recall got no reply"));
  }
}

function isLimited(limits: Terms | undefined): boolean {
  if (limits === undefined) return false;
  const { requestsPerMinute, tokensPerMinute, concurrentRequests } = limits;
  return requestsPerMinute !== 0n || tokensPerMinute !== 0n || concurrentRequests !== 0n;
}
