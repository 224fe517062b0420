import { GatewayError } from "@uag/contract/errors/gateway-error";
import { type LimitName, maxReturnedSlots } from "@uag/contract/messages/billing";
import { poolId } from "@uag/ledger/documents/limit-pools";
import {
  type BorrowTerms,
  borrow as borrowPermits,
  freeOf,
  newPool,
  nextFreeInMs,
  otherHolders,
  type Permits,
} from "@uag/ledger/permits/pool";
import { type BorrowRequest, type BorrowResponse, LimitKind } from "@uag/proto/billing/v1/limits.ts";
import { crashPoint } from "@uag/runtime/crash-point";
import type { Billing } from "../billing.ts";
import { isAlive } from "../limits/holders.ts";
import { recallPermits } from "../limits/recall.ts";
import { findLapsed, forfeitAll } from "../limits/reclaim.ts";

const maxIdLength = 200;
const recallWaitMs = 250;
const maxPermits = Number.MAX_SAFE_INTEGER;

const names: Partial<Record<LimitKind, LimitName>> = {
  [LimitKind.REQUESTS]: "requests",
  [LimitKind.TOKENS]: "tokens",
  [LimitKind.CONCURRENCY]: "concurrency",
};

function invalid(param: string): GatewayError {
  return new GatewayError("invalid_request", undefined, { param });
}

function countOf(param: string, value: bigint): number {
  if (value < 0n || value > BigInt(maxPermits)) throw invalid(param);
  return Number(value);
}

interface CheckedBorrow {
  readonly keyId: string;
  readonly limit: LimitName;
  readonly terms: BorrowTerms;
}

function read(request: BorrowRequest): CheckedBorrow {
  for (const [param, id] of [
    ["holder_id", request.holderId],
    ["key_id", request.keyId],
  ] as const) {
    if (!/^[\w.:-]+$/.test(id) || id.length > maxIdLength) throw invalid(param);
  }
  const limit = names[request.kind];
  if (limit === undefined) throw invalid("kind");
  if (request.returned.length > maxReturnedSlots) throw invalid("returned");
  const need = countOf("need", request.need);
  return {
    keyId: request.keyId,
    limit,
    terms: {
      holderId: request.holderId,
      sequence: countOf("sequence", request.sequence),
      limit: countOf("limit", request.limit),
      keyVersion: request.keyVersion,
      need,
      want: Math.max(need, countOf("want", request.want)),
      returned: request.returned.map(({ count, freeInMs }) => ({ count: countOf("returned", count), freeInMs })),
      last: false,
    },
  };
}

interface Attempt {
  readonly lent: readonly Permits[];
  readonly answered: boolean;
  /** Holders whose permits may be idle. */
  readonly others: readonly string[];
  readonly nextFreeInMs: number | undefined;
}

async function attempt(
  billing: Billing,
  requested: CheckedBorrow,
  lapsed: ReadonlyMap<string, number>,
  last: boolean,
): Promise<Attempt> {
  const { keyId, limit, terms } = requested;
  const id = poolId(keyId, limit);
  const first = newPool(terms.limit, terms.keyVersion);
  const response = await billing.limits.changePool({ id, keyId }, first, (before, nowMs) => {
    const { pool, ...response } = borrowPermits(forfeitAll(before, id, lapsed, nowMs), { ...terms, last }, nowMs);
    const others = otherHolders(pool, terms.holderId);
    return { pool, response: { ...response, others, nextFreeInMs: nextFreeInMs(pool, nowMs) } };
  });
  return response as Attempt;
}

async function borrowOrRecall(billing: Billing, requested: CheckedBorrow): Promise<Attempt> {
  const none = new Map<string, number>();
  const { keyId, limit, terms } = requested;
  const first = await attempt(billing, requested, none, false);
  if (first.answered) return first;
  const { store, limits, bus, events } = billing;
  const lapsed = limits.livenessGuard.steady ? await findLapsed(store, first.others) : none;
  const alive = first.others.filter((id) => !lapsed.has(id));
  const second = lapsed.size > 0 ? await attempt(billing, requested, lapsed, alive.length === 0) : first;
  if (second.answered) return second;
  if (alive.length === 0) return attempt(billing, requested, none, true);
  events.limitRecalled({ keyId, limit });
  const { holderId } = terms;
  const need = terms.need - freeOf(second.lent);
  const soonest = await recallPermits(bus, {
    keyId,
    limit,
    holderId,
    need,
    holders: alive.length,
    waitMs: recallWaitMs,
  });
  const third = await attempt(billing, requested, none, true);
  const known = [third.nextFreeInMs, soonest].filter((ms) => ms !== undefined);
  return { ...third, nextFreeInMs: known.length === 0 ? undefined : Math.min(...known) };
}

/**
 * Lends permits of one limit of one key, and takes back those the call returns. `permission_denied`
 * when the holder has lapsed.
 */
export async function borrow(billing: Billing, request: BorrowRequest): Promise<BorrowResponse> {
  const requested = read(request);
  billing.clock.requireInStep();
  if (!(await isAlive(billing.store.limitHolders, requested.terms.holderId))) {
    throw new GatewayError("permission_denied", "This holder's lease expired. Continue under a new id.", {
      param: "holder_id",
    });
  }
  const { lent, nextFreeInMs: freeInMs } = await borrowOrRecall(billing, requested);
  crashPoint("permits-lent");
  const short = freeOf(lent) < requested.terms.need;
  billing.events.borrowed({ keyId: requested.keyId, limit: requested.limit, short });
  return {
    lent: lent.map((permits) => ({ ...permits, count: BigInt(permits.count) })),
    retryAfterMs: short && freeInMs !== undefined ? Math.max(1, Math.ceil(freeInMs)) : 0,
  };
}
