import assert from "node:assert/strict";
import { test } from "node:test";
import { seededInt } from "@uag/harness/testing/seeded-random";
import {
  type BorrowTerms,
  borrow,
  forfeit,
  freeOf,
  newPool,
  type Permits,
  type Pool,
  permitPoolSize,
  settlePool,
} from "./pool.ts";

const windowMs = 60_000;
const leaseMs = 4_000;
const marginMs = 500;

/** A holder in the simulation: its permits by the time they become free, and its pending call. */
class Holder {
  id: string;
  permits: number[] = [];
  /** Concurrency: permits in use. */
  inUse = 0;
  sequence = 0;
  waitingFor: BorrowTerms | undefined;
  leaseUntil = Number.NEGATIVE_INFINITY;
  pausedUntil = 0;

  constructor(id: string) {
    this.id = id;
  }
}

/**
 * Several holders and one pool, with delayed, lost and duplicated messages, crashes, pauses and
 * changes of the limit.
 */
class World {
  now = 0;
  pool: Pool;
  readonly uses: number[] = [];
  readonly limits: { at: number; limit: number }[] = [];
  readonly holders: Holder[] = [];
  readonly leases = new Map<string, { until: number; lapsed: boolean }>();
  readonly messages: { at: number; deliver: () => void }[] = [];
  readonly random: (below: number) => number;
  readonly concurrency: boolean;
  limit: number;
  version = 1n;
  readonly #changes: boolean;
  #made = 0;

  constructor(seed: number) {
    this.random = seededInt(seed);
    this.#changes = seed % 2 === 0;
    this.concurrency = this.random(2) === 0;
    this.limit = 1 + this.random(12);
    this.limits.push({ at: 0, limit: this.limit });
    this.pool = newPool(this.limit, this.version);
    for (let i = 0; i < 3; i++) this.holders.push(this.born());
  }

  born(): Holder {
    return new Holder(`h${++this.#made}`);
  }

  send(deliver: () => void): void {
    if (this.random(12) === 0) return;
    const copies = this.random(12) === 0 ? 2 : 1;
    for (let i = 0; i < copies; i++) {
      const delay = this.random(30) === 0 ? this.random(20_000) : this.random(60);
      this.messages.push({ at: this.now + delay, deliver });
    }
  }

  renew(holder: Holder): void {
    const { id } = holder;
    const sentAt = this.now;
    this.send(() => {
      const lease = this.leases.get(id) ?? { until: 0, lapsed: false };
      if (!lease.lapsed) lease.until = Math.max(lease.until, this.now + leaseMs + marginMs);
      this.leases.set(id, lease);
      const { lapsed } = lease;
      this.send(() => {
        if (holder.id !== id || holder.pausedUntil > this.now) return;
        if (lapsed) this.restart(holder);
        else holder.leaseUntil = Math.max(holder.leaseUntil, sentAt + leaseMs);
      });
    });
  }

  /** A new id without any permits; requests in flight continue. */
  restart(holder: Holder): void {
    Object.assign(holder, this.born(), { inUse: holder.inUse, pausedUntil: holder.pausedUntil });
  }

  call(holder: Holder): void {
    const returned: Permits[] = [];
    const giving = this.random(3) === 0 ? this.random(holder.permits.length + 1) : 0;
    if (holder.waitingFor === undefined) {
      for (const freeAt of holder.permits.splice(0, giving))
        returned.push({ count: 1, freeInMs: Math.max(0, freeAt - this.now) });
      const need = this.random(4);
      const { limit, version: keyVersion } = this;
      const sequence = ++holder.sequence;
      holder.waitingFor = {
        holderId: holder.id,
        sequence,
        limit,
        keyVersion,
        need,
        want: need + this.random(6),
        returned,
        last: false,
      };
    }
    const terms = holder.waitingFor;
    const last = this.random(2) === 0;
    this.send(() => {
      if (this.leases.get(terms.holderId)?.lapsed ?? true) return;
      const { pool, lent, answered } = borrow(this.pool, { ...terms, last }, this.now);
      this.pool = pool;
      if (!answered) return;
      this.send(() => {
        if (
          holder.id !== terms.holderId ||
          holder.waitingFor?.sequence !== terms.sequence ||
          holder.pausedUntil > this.now
        )
          return;
        holder.waitingFor = undefined;
        for (const { count, freeInMs } of lent)
          for (let i = 0; i < count; i++) holder.permits.push(this.now + freeInMs);
      });
    });
  }

  use(holder: Holder): void {
    if (holder.leaseUntil <= this.now) return;
    const index = holder.permits.findIndex((freeAt) => freeAt <= this.now);
    if (this.concurrency) {
      if (holder.permits.length <= 0) return;
      holder.permits.pop();
      holder.inUse++;
    } else if (index >= 0) {
      holder.permits[index] = this.now + windowMs;
      this.uses.push(this.now);
    }
  }

  reap(): void {
    for (const [id, lease] of this.leases) {
      if (lease.until >= this.now) continue;
      lease.lapsed = true;
      this.pool = forfeit(this.pool, id, lease.until + (this.concurrency ? 0 : windowMs), this.now);
    }
  }

  change(): void {
    // In every other world the limit is fixed, so that it is enforced exactly.
    if (!this.#changes) return;
    this.limit = 1 + this.random(12);
    this.version++;
    this.limits.push({ at: this.now, limit: this.limit });
  }

  step(): void {
    this.now += this.random(120);
    for (const message of this.messages.splice(0)) {
      if (message.at <= this.now) message.deliver();
      else this.messages.push(message);
    }
    const holder = this.holders[this.random(3)]!;
    if (holder.pausedUntil > this.now) return;
    const dice = this.random(100);
    if (dice < 15) this.renew(holder);
    else if (dice < 40) this.call(holder);
    else if (dice < 85) this.use(holder);
    else if (dice < 97) this.finish(holder);
    else if (dice < 98) this.reap();
    else if (this.random(8) === 0) this.mishap(holder);
  }

  /** Ends a request: its permit can be used again, if it is still ours. */
  finish(holder: Holder): void {
    if (holder.inUse === 0) return;
    holder.inUse--;
    holder.permits.push(this.now);
  }

  mishap(holder: Holder): void {
    const dice = this.random(3);
    if (dice === 0) holder.pausedUntil = this.now + this.random(20_000);
    else if (dice === 1) this.holders[this.holders.indexOf(holder)] = this.born();
    else this.change();
  }
}

test("with messages lost, duplicated or late, and holders paused or killed, no more than the limit is used in any 60 s", () => {
  for (let seed = 1; seed <= 150; seed++) {
    const world = new World(seed);
    for (let i = 0; i < 4_000; i++) world.step();
    if (world.concurrency) continue;
    const max = Math.max(...world.limits.map(({ limit }) => limit));
    for (const at of world.uses) {
      const used = world.uses.filter((use) => use > at - windowMs && use <= at).length;
      assert.ok(used <= max, `seed ${seed} at ${at}: ${used} of ${max}`);
    }
  }
});

test("lent and free permits never exceed the limit, and none is lost when all holders are gone", () => {
  for (let seed = 1; seed <= 150; seed++) {
    const world = new World(seed);
    const max = (): number => Math.max(...world.limits.map(({ limit }) => limit));
    for (let i = 0; i < 3_000; i++) {
      world.step();
      assert.ok(permitPoolSize(world.pool) <= max(), `seed ${seed}: permits were created`);
      assert.ok(world.pool.free >= 0, `seed ${seed}: lent permits that it did not have`);
    }
    world.now += 200_000;
    world.reap();
    const idle = settlePool(world.pool, world.now + windowMs + leaseMs + marginMs);
    assert.equal(idle.free, idle.limit, `seed ${seed}: permits were lost`);
    assert.deepEqual([idle.loans, idle.resting], [{}, []], `seed ${seed}`);
  }
});

const terms = (more: Partial<BorrowTerms>): BorrowTerms => ({
  holderId: "a",
  sequence: 1,
  limit: 10,
  keyVersion: 1n,
  need: 1,
  want: 1,
  returned: [],
  last: true,
  ...more,
});

test("a lowered limit lends nothing until permits used under the old limit have cooled down, and then exactly the new limit", () => {
  let pool = borrow(newPool(10, 1n), terms({ need: 8 }), 0).pool;
  const returned = [{ count: 8, freeInMs: 60_000 }];
  const change = { limit: 3, keyVersion: 2n };
  let lent = borrow(pool, terms({ ...change, sequence: 2, returned, need: 3 }), 0);
  assert.equal(freeOf(lent.lent), 0);
  pool = lent.pool;
  lent = borrow(pool, terms({ ...change, sequence: 3, need: 5 }), 60_000);
  assert.equal(freeOf(lent.lent), 3);
  assert.equal(permitPoolSize(lent.pool), 3);
});

test("a single holder also gets the permits that cool down, and two holders never get the same ones", () => {
  const used = borrow(newPool(10, 1n), terms({ need: 8, want: 8 }), 0).pool;
  const given = borrow(
    used,
    terms({ sequence: 2, need: 0, want: 0, returned: [{ count: 8, freeInMs: 30_000 }] }),
    0,
  ).pool;
  const alone = borrow(given, terms({ holderId: "b", need: 3 }), 10_000);
  assert.deepEqual(alone.lent, [
    { count: 8, freeInMs: 20_000 },
    { count: 2, freeInMs: 0 },
  ]);
  assert.deepEqual(borrow(alone.pool, terms({ holderId: "c", need: 3 }), 10_000).lent, []);
  const modest = borrow(given, terms({ holderId: "b", need: 1, want: 1 }), 10_000);
  assert.deepEqual(modest.lent, [
    { count: 8, freeInMs: 20_000 },
    { count: 1, freeInMs: 0 },
  ]);
});

test("a raised limit lends more at once, and an older version of the key does not lower it again", () => {
  const pool = borrow(newPool(3, 1n), terms({ need: 3, limit: 3 }), 0).pool;
  const raised = borrow(pool, terms({ sequence: 2, keyVersion: 2n, need: 9 }), 0);
  assert.equal(freeOf(raised.lent), 7);
  const old = borrow(raised.pool, terms({ sequence: 1, holderId: "b", limit: 3, need: 1 }), 0);
  assert.equal(freeOf(old.lent), 0);
  assert.equal(old.pool.limit, 10);
});

test("a repeated call gets the same result and returns nothing twice", () => {
  const first = borrow(newPool(10, 1n), terms({ need: 4 }), 0);
  const giving = terms({ sequence: 2, need: 0, want: 0, returned: [{ count: 3, freeInMs: 0 }] });
  const gave = borrow(first.pool, giving, 0);
  assert.equal(gave.pool.free, 9);
  const again = borrow(gave.pool, giving, 0);
  assert.equal(again.pool, gave.pool);
  assert.equal(borrow(again.pool, terms({ need: 4 }), 0).lent.length, 0);
  const tooMuch = borrow(gave.pool, { ...giving, sequence: 3, returned: [{ count: 99, freeInMs: 0 }] }, 0);
  assert.equal(tooMuch.pool.free, 10);
});
