/** Permits as they travel: how many, and in how many milliseconds they are free. */
export interface Permits {
  readonly count: number;
  readonly freeInMs: number;
}

/** How long a used permit rests, milliseconds: the window of "per minute". */
export const restMs = 60_000;

/**
 * Rests end on multiples of this, rounded up, so that a busy limit keeps few entries. Costs at most
 * 0.2 % of the limit.
 */
const grainMs = 100;

/**
 * One replica's permits of one per-minute limit: some free, the others resting until 60 s after
 * their use. Every permit is used at most once in any 60 s, so the sum over all replicas that hold
 * permits never admits more than there are permits. Times are milliseconds of the replica's own
 * monotonic clock.
 */
export class WindowPermits {
  private free = 0;
  /** Taken by requests that are not admitted yet: their minute has not begun. */
  private reserved = 0;
  /** Of those so many do not stay here, whether their requests are admitted or not. */
  private leaving = 0;
  private restingCount = 0;
  private lastFree = 0;
  /**
   * Time of becoming free -> count; insertion order is not time order, since permits arrive with
   * any rest.
   */
  private readonly resting = new Map<number, number>();
  private nextFree = Number.POSITIVE_INFINITY;

  /** Permits in this replica's hands, free, reserved or resting. */
  get held(): number {
    return this.free + this.reserved + this.restingCount;
  }

  /** Permits that were used in the last 60 s, or are about to be. */
  usedAt(now: number): number {
    this.wake(now);
    return this.reserved + this.restingCount;
  }

  /** Milliseconds until every permit is free. */
  allFreeInMs(now: number): number {
    if (this.usedAt(now) === 0) return 0;
    return this.reserved > 0 ? restMs : this.lastFree - now;
  }

  /**
   * Milliseconds until `count` permits are free, if no more are used until then; `undefined` when
   * there are not as many.
   */
  freeInMs(count: number, now: number): number | undefined {
    let missing = count - this.freeAt(now);
    if (missing <= 0) return 0;
    for (const until of [...this.resting.keys()].sort((a, b) => a - b)) {
      missing -= this.resting.get(until) as number;
      if (missing <= 0) return until - now;
    }
    return missing <= this.reserved ? restMs : undefined;
  }

  freeAt(now: number): number {
    this.wake(now);
    return this.free;
  }

  /** Milliseconds until a used permit is free; `undefined` when none is used. */
  nextFreeInMs(now: number): number | undefined {
    this.wake(now);
    if (this.nextFree < Number.POSITIVE_INFINITY) return this.nextFree - now;
    return this.reserved > 0 ? restMs : undefined;
  }

  /**
   * Takes `count` permits for a request that is to be admitted; false when there are too few.
   * {@link use} or {@link unreserve} follows.
   */
  reserve(count: number, now: number): boolean {
    this.wake(now);
    if (count > this.free) return false;
    this.free -= count;
    this.reserved += count;
    return true;
  }

  /**
   * The request is admitted: its permits rest from now on. Answers until when (hand it to {@link
   * unuse}).
   */
  use(count: number, now: number): number {
    const until = Math.ceil((now + restMs) / grainMs) * grainMs;
    this.reserved -= count;
    this.rest(count, until);
    return until;
  }

  /** The request is not admitted: its permits were never used. */
  unreserve(count: number): void {
    this.reserved -= count;
    this.free += count;
  }

  /**
   * Takes back a part of a use that did not happen: the tokens that were reserved and not needed.
   */
  unuse(count: number, until: number, now: number): void {
    this.wake(now);
    const resting = this.resting.get(until) ?? 0;
    const undone = Math.min(count, resting);
    if (undone === 0) return;
    if (undone === resting) this.resting.delete(until);
    else this.resting.set(until, resting - undone);
    this.free += undone;
    this.restingCount -= undone;
  }

  /**
   * Uses more than was reserved, after the fact: free permits go below zero and the debt is paid by
   * those that wake next.
   */
  overuse(count: number, now: number): void {
    this.wake(now);
    this.free -= count;
    this.rest(count, Math.ceil((now + restMs) / grainMs) * grainMs);
  }

  /** Adds borrowed permits. */
  add(permits: Permits, now: number): void {
    if (permits.freeInMs <= 0) this.free += permits.count;
    else this.rest(permits.count, Math.ceil((now + permits.freeInMs) / grainMs) * grainMs);
  }

  /**
   * Takes out up to `count` permits to give back, the free ones first, then those that rest
   * longest; never what is reserved.
   */
  remove(count: number, now: number): Permits[] {
    this.wake(now);
    const out: Permits[] = [];
    const free = Math.min(Math.max(this.free, 0), count);
    if (free > 0) out.push({ count: free, freeInMs: 0 });
    this.free -= free;
    // What was used beyond the permits is a debt of this replica, which permits at rest here have
    // to pay.
    let left = Math.min(count - free, Math.max(0, this.free + this.restingCount));
    for (const until of [...this.resting.keys()].sort((a, b) => b - a)) {
      if (left === 0) break;
      const resting = this.resting.get(until) as number;
      const taken = Math.min(resting, left);
      if (taken === resting) this.resting.delete(until);
      else this.resting.set(until, resting - taken);
      out.push({ count: taken, freeInMs: Math.ceil(until - now) });
      left -= taken;
      this.restingCount -= taken;
    }
    return out;
  }

  /**
   * Takes out all, and lets those that are reserved leave when they are so no more: {@link
   * removeLeaving}.
   */
  removeAll(now: number): Permits[] {
    const out = this.remove(this.held, now);
    this.leaving = this.reserved;
    return out;
  }

  /** Takes out what was to leave and is reserved no more. */
  removeLeaving(now: number): Permits[] {
    const count = this.leaving - this.reserved;
    if (count <= 0) return [];
    this.leaving = this.reserved;
    return this.remove(count, now);
  }

  private rest(count: number, until: number): void {
    this.restingCount += count;
    if (until > this.lastFree) this.lastFree = until;
    this.resting.set(until, (this.resting.get(until) ?? 0) + count);
    if (until < this.nextFree) this.nextFree = until;
  }

  private wake(now: number): void {
    if (now < this.nextFree) return;
    let next = Number.POSITIVE_INFINITY;
    for (const [until, count] of this.resting) {
      if (until <= now) {
        this.free += count;
        this.restingCount -= count;
        this.resting.delete(until);
      } else if (until < next) next = until;
    }
    this.nextFree = next;
  }
}
