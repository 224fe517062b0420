/** Permits in transit: how many, and in how many milliseconds they are free. */
export interface Permits {
  readonly count: number;
  readonly freeInMs: number;
}

/** How long a used permit cannot be used again, milliseconds: the window of "per minute". */
export const windowMs = 60_000;

/**
 * Cooldowns end on multiples of this, rounded up, so that a busy limit keeps few entries. Costs at
 * most 0.2 % of the limit.
 */
const grainMs = 100;

/**
 * One replica's permits of a per-minute limit: some free, the others cooling down until 60 s after their
 * use. Every permit is used at most once in any 60 s, so the replicas together never admit more
 * than there are permits. Times are milliseconds on the replica's own monotonic clock.
 */
export class WindowPermits {
  private free = 0;
  /** Taken by requests not admitted yet: their minute has not begun. */
  private reserved = 0;
  /**
   * How many of the reserved permits must be returned, whether or not their requests are admitted.
   */
  private leaving = 0;
  private restingCount = 0;
  private lastFree = 0;
  /**
   * Time of becoming free -> count. Insertion order is not time order: borrowed permits arrive with
   * any remaining cooldown.
   */
  private readonly resting = new Map<number, number>();
  private nextFree = Number.POSITIVE_INFINITY;

  /** Permits this replica holds: free, reserved or cooling down. */
  get held(): number {
    return this.free + this.reserved + this.restingCount;
  }

  /** Permits used in the last 60 s, or about to be. */
  usedAt(now: number): number {
    this.wake(now);
    return this.reserved + this.restingCount;
  }

  /** Milliseconds until every permit is free. */
  allFreeInMs(now: number): number {
    if (this.usedAt(now) === 0) return 0;
    return this.reserved > 0 ? windowMs : this.lastFree - now;
  }

  /**
   * Milliseconds until `count` permits are free if no more are used until then; `undefined` when it
   * holds too few.
   */
  freeInMs(count: number, now: number): number | undefined {
    let missing = count - this.freeAt(now);
    if (missing <= 0) return 0;
    for (const until of [...this.resting.keys()].sort((a, b) => a - b)) {
      missing -= this.resting.get(until) as number;
      if (missing <= 0) return until - now;
    }
    return missing <= this.reserved ? windowMs : undefined;
  }

  freeAt(now: number): number {
    this.wake(now);
    return this.free;
  }

  /** Milliseconds until the next used permit is free; `undefined` when none is in use. */
  nextFreeInMs(now: number): number | undefined {
    this.wake(now);
    if (this.nextFree < Number.POSITIVE_INFINITY) return this.nextFree - now;
    return this.reserved > 0 ? windowMs : undefined;
  }

  /**
   * Takes `count` permits for a request about to be admitted; false when there are too few. Follow
   * with {@link use} or {@link unreserve}.
   */
  reserve(count: number, now: number): boolean {
    this.wake(now);
    if (count > this.free) return false;
    this.free -= count;
    this.reserved += count;
    return true;
  }

  /**
   * The request is admitted: its permits cool down from now on. Returns until when, to pass to {@link
   * unuse}.
   */
  use(count: number, now: number): number {
    const until = Math.ceil((now + windowMs) / grainMs) * grainMs;
    this.reserved -= count;
    this.addResting(count, until);
    return until;
  }

  /** The request is not admitted: its permits were never used. */
  unreserve(count: number): void {
    this.reserved -= count;
    this.free += count;
  }

  /** Undoes part of a use: tokens that were reserved and not needed. */
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
   * Uses more than was reserved, after the fact: free permits go below zero, and the next ones to
   * become free cover it.
   */
  overuse(count: number, now: number): void {
    this.wake(now);
    this.free -= count;
    this.addResting(count, Math.ceil((now + windowMs) / grainMs) * grainMs);
  }

  /** Adds borrowed permits. */
  add(permits: Permits, now: number): void {
    if (permits.freeInMs <= 0) this.free += permits.count;
    else this.addResting(permits.count, Math.ceil((now + permits.freeInMs) / grainMs) * grainMs);
  }

  /**
   * Removes up to `count` permits to return, free ones first, then those with the longest cooldown left; never
   * reserved ones.
   */
  remove(count: number, now: number): Permits[] {
    this.wake(now);
    const out: Permits[] = [];
    const free = Math.min(Math.max(this.free, 0), count);
    if (free > 0) out.push({ count: free, freeInMs: 0 });
    this.free -= free;
    // Overuse is this replica's debt, which its next permits must cover first.
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

  /** Removes everything but reserved permits; those follow through {@link removeLeaving}. */
  removeAll(now: number): Permits[] {
    const out = this.remove(this.held, now);
    this.leaving = this.reserved;
    return out;
  }

  /** Removes permits due for return that are no longer reserved. */
  removeLeaving(now: number): Permits[] {
    const count = this.leaving - this.reserved;
    if (count <= 0) return [];
    this.leaving = this.reserved;
    return this.remove(count, now);
  }

  private addResting(count: number, until: number): void {
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
