import { GatewayError } from "@uag/contract/errors/gateway-error";
import {
  borrow,
  forfeit,
  freeOf,
  learnLimit,
  newPool,
  nextFreeInMs,
  otherHolders,
  type Pool,
} from "@uag/ledger/permits/pool";
import { type BorrowRequest, type BorrowResponse, LimitKind } from "@uag/proto/billing/v1/limits.ts";

const leaseMs = 4_000;
const keptMs = 4_500;
const windowMs = 60_000;

interface Holder {
  leaseUntil: number;
  lapsed: boolean;
}

/**
 * One key's permit pools and their leases as billing stores them: each call is one step that uses
 * the real logic.
 */
export class Permits {
  readonly #pools = new Map<LimitKind, Pool>();
  readonly #holders = new Map<string, Holder>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  renew(id: string): { leaseMs: number; lapsed: boolean } {
    if (this.#holders.get(id)?.lapsed) return { leaseMs: 0, lapsed: true };
    this.#holders.set(id, { leaseUntil: this.#now() + keptMs, lapsed: false });
    return { leaseMs, lapsed: false };
  }

  hasLapsed(id: string): boolean {
    return this.#holders.get(id)?.lapsed ?? true;
  }

  /** With `last` it always decides; otherwise undefined if other holders must be asked first. */
  borrow(request: BorrowRequest, last: boolean): BorrowResponse | undefined {
    const { holderId, kind } = request;
    if (this.hasLapsed(holderId)) throw new GatewayError("permission_denied");
    const now = this.#now();
    const limit = Number(request.limit);
    const before = this.#pools.get(kind) ?? newPool(limit, request.keyVersion);
    const need = Number(request.need);
    const terms = {
      holderId,
      sequence: Number(request.sequence),
      limit,
      keyVersion: request.keyVersion,
      need,
      last,
      want: Math.max(need, Number(request.want)),
      returned: request.returned.map(({ count, freeInMs }) => ({ count: Number(count), freeInMs })),
    };
    const { pool, lent, answered } = borrow(before, terms, now);
    this.#pools.set(kind, pool);
    if (!answered) return otherHolders(pool, holderId).length > 0 ? undefined : this.borrow(request, true);
    const short = freeOf(lent) < need;
    const freeInMs = nextFreeInMs(pool, now);
    return {
      lent: lent.map((permits) => ({ ...permits, count: BigInt(permits.count) })),
      retryAfterMs: short && freeInMs !== undefined ? Math.max(1, Math.ceil(freeInMs)) : 0,
    };
  }

  /** Billing changes the key's limit of requests per minute. */
  change(limit: number, keyVersion: bigint): void {
    const pool = this.#pools.get(LimitKind.REQUESTS) ?? newPool(limit, keyVersion);
    this.#pools.set(LimitKind.REQUESTS, learnLimit(pool, limit, keyVersion));
  }

  /** The permits, by limit, that each of these holders has. */
  lentTo(holderIds: ReadonlySet<string>): string[] {
    return [...this.#pools].flatMap(([kind, { loans }]) =>
      Object.entries(loans).flatMap(([id, { held }]) =>
        holderIds.has(id) && held > 0 ? [`${id} has ${held} of ${kind}`] : [],
      ),
    );
  }

  /** Reclaims the permits of all holders whose lease has expired. */
  reap(): void {
    const now = this.#now();
    for (const [id, holder] of this.#holders) {
      if (holder.lapsed || holder.leaseUntil >= now) continue;
      holder.lapsed = true;
      for (const [kind, pool] of this.#pools) {
        const busyMs = kind === LimitKind.CONCURRENCY ? 0 : windowMs;
        this.#pools.set(kind, forfeit(pool, id, holder.leaseUntil + busyMs, now));
      }
    }
  }
}
