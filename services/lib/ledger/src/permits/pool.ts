/** Permits in a message: how many, and in how many milliseconds they become free. */
export interface Permits {
  readonly count: number;
  readonly freeInMs: number;
}

/** Permits that become free at a given time, in milliseconds of the database's clock. */
export interface Resting {
  readonly count: number;
  readonly freeAtMs: number;
}

/** What one holder has been lent. */
export interface Loan {
  readonly held: number;
  /** Of the holder's latest call. */
  readonly sequence: number;
  /** What that call has been lent so far, as it was at that time. */
  readonly lent: readonly Permits[];
  /** That call has a result: repeated, it gets the same result and nothing more. */
  readonly answered: boolean;
}

/**
 * The permits of one limit of one key: each is free, cooling down, or lent to one holder. After the
 * limit is lowered there may be more of them than the limit; none is lent then, and the first to
 * become free are dropped until the count matches.
 */
export interface Pool {
  readonly limit: number;
  /** Version of the key that set the limit. */
  readonly keyVersion: bigint;
  readonly free: number;
  readonly resting: readonly Resting[];
  readonly loans: Readonly<Record<string, Loan>>;
}

export interface BorrowTerms {
  readonly holderId: string;
  readonly sequence: number;
  readonly limit: number;
  readonly keyVersion: bigint;
  /** The smallest useful number; 0: the call needs nothing. */
  readonly need: number;
  readonly want: number;
  readonly returned: readonly Permits[];
  /**
   * True when the call returns now, whatever is available; false when it may continue after a
   * recall.
   */
  readonly last: boolean;
}

export interface Lent {
  readonly pool: Pool;
  /** Everything this call was lent. */
  readonly lent: readonly Permits[];
  /** Whether the call has a result. */
  readonly answered: boolean;
}

/** Times are rounded up to this, so that a busy limit keeps few entries. */
const grainMs = 100;

export function newPool(limit: number, keyVersion: bigint): Pool {
  return { limit, keyVersion, free: limit, resting: [], loans: {} };
}

export function permitPoolSize(pool: Pool): number {
  let sum = pool.free;
  for (const { count } of pool.resting) sum += count;
  for (const { held } of Object.values(pool.loans)) sum += held;
  return sum;
}

/** Adopts the limit of a newer version of the key. */
export function learnLimit(pool: Pool, limit: number, keyVersion: bigint): Pool {
  return keyVersion > pool.keyVersion ? { ...pool, limit, keyVersion } : pool;
}

/**
 * Moves permits whose cooldown has ended to the free ones, and adjusts their number to the limit as
 * far as possible now.
 */
export function settlePool(pool: Pool, nowMs: number): Pool {
  const woken = pool.resting.filter(({ freeAtMs }) => freeAtMs <= nowMs);
  const resting = pool.resting.filter(({ freeAtMs }) => freeAtMs > nowMs);
  const free = woken.reduce((sum, { count }) => sum + count, pool.free);
  const surplus = permitPoolSize(pool) - pool.limit;
  // A free permit was not used for a minute, so dropping it now and creating it again later are
  // both safe.
  return { ...pool, resting, free: surplus > 0 ? Math.max(0, free - surplus) : free - surplus };
}

function addReturned(pool: Pool, permits: readonly Permits[], nowMs: number): Pool {
  let { free } = pool;
  const resting = new Map(pool.resting.map(({ freeAtMs, count }) => [freeAtMs, count]));
  for (const { count, freeInMs } of permits) {
    if (freeInMs <= 0) free += count;
    else {
      const freeAtMs = Math.ceil((nowMs + freeInMs) / grainMs) * grainMs;
      resting.set(freeAtMs, (resting.get(freeAtMs) ?? 0) + count);
    }
  }
  return { ...pool, free, resting: [...resting].map(([freeAtMs, count]) => ({ freeAtMs, count })) };
}

/** Reclaims what the holder returns, but never more than it was lent. */
function reclaim(pool: Pool, terms: BorrowTerms, nowMs: number): Pool {
  let held = pool.loans[terms.holderId]?.held ?? 0;
  const taken: Permits[] = [];
  for (const { count, freeInMs } of terms.returned) {
    const part = Math.min(count, held);
    held -= part;
    if (part > 0) taken.push({ count: part, freeInMs });
  }
  const loan: Loan = { held, sequence: terms.sequence, lent: [], answered: false };
  return addReturned({ ...pool, loans: { ...pool.loans, [terms.holderId]: loan } }, taken, nowMs);
}

/**
 * Takes back what the call returns and lends what is available, once per sequence number: a
 * repeated call changes nothing except that, if it has no result yet, it continues to borrow; an
 * older one changes nothing at all.
 */
export function borrow(pool: Pool, terms: BorrowTerms, nowMs: number): Lent {
  const known = pool.loans[terms.holderId];
  if (known !== undefined && terms.sequence < known.sequence) return { pool, lent: [], answered: true };
  const again = known?.sequence === terms.sequence;
  if (again && known.answered) return { pool, lent: known.lent, answered: true };
  const current = learnLimit(pool, terms.limit, terms.keyVersion);
  return lend(settlePool(again ? current : reclaim(current, terms, nowMs), nowMs), terms, nowMs);
}

/**
 * Lends free permits up to what is wanted. A sole holder also gets those that cool down, so that it
 * knows as much as this pool.
 */
function lend(pool: Pool, terms: BorrowTerms, nowMs: number): Lent {
  const loan = pool.loans[terms.holderId] as Loan;
  const part = Math.min(pool.free, Math.max(0, Math.max(terms.need, terms.want) - freeOf(loan.lent)));
  const alone = terms.want > 0 && otherHolders(pool, terms.holderId).length === 0;
  const moved = alone && permitPoolSize(pool) <= pool.limit ? pool.resting : [];
  const news = moved.map(({ count, freeAtMs }) => ({ count, freeInMs: Math.ceil(freeAtMs - nowMs) }));
  if (part > 0) news.push({ count: part, freeInMs: 0 });
  const lent = [...loan.lent, ...news];
  const answered = terms.last || freeOf(lent) >= terms.need;
  const held = news.reduce((sum, { count }) => sum + count, loan.held);
  const after: Loan = { ...loan, held, lent, answered };
  const resting = moved.length > 0 ? [] : pool.resting;
  return {
    pool: { ...pool, free: pool.free - part, resting, loans: { ...pool.loans, [terms.holderId]: after } },
    lent,
    answered,
  };
}

/** Counts the permits that were free when they were lent. */
export function freeOf(permits: readonly Permits[]): number {
  return permits.reduce((sum, { count, freeInMs }) => (freeInMs === 0 ? sum + count : sum), 0);
}

/** Takes everything from a lapsed holder: its permits become free at `freeAtMs`. */
export function forfeit(pool: Pool, holderId: string, freeAtMs: number, nowMs: number): Pool {
  const { [holderId]: loan, ...loans } = pool.loans;
  if (loan === undefined) return pool;
  if (loan.held === 0) return { ...pool, loans };
  return addReturned({ ...pool, loans }, [{ count: loan.held, freeInMs: freeAtMs - nowMs }], nowMs);
}

/** Holders other than `holderId` that hold permits. */
export function otherHolders(pool: Pool, holderId: string): string[] {
  return Object.entries(pool.loans).flatMap(([id, { held }]) => (id !== holderId && held > 0 ? [id] : []));
}

/** Milliseconds until the next permit's cooldown ends; undefined when none cools down here. */
export function nextFreeInMs(pool: Pool, nowMs: number): number | undefined {
  const first = Math.min(...pool.resting.map(({ freeAtMs }) => freeAtMs));
  return first === Number.POSITIVE_INFINITY ? undefined : Math.max(0, first - nowMs);
}
