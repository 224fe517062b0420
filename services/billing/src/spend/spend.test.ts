import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { seededInt } from "@uag/harness/testing/seeded-random";
import { type CredentialSpend as Row, spendLease } from "@uag/ledger/rules/credential-spend";
import { CredentialSpend } from "@uag/usage/spend/credential-spend";

const cap = 1_000n;
const day = "2027-01-31";
const credential = { provider: "acme", credentialId: "c", caps: { daily: cap, monthly: 10n * cap } };

interface Open {
  readonly amount: bigint;
  readonly cost: bigint;
}

/** One seed's replicas and billing, whose calls are lost, late and out of order. */
function stage(seed: number) {
  const int = seededInt(seed);
  let now = 0;
  const rows = new Map<string, Row>();
  const late: (() => void)[] = [];
  const rowOf = (holderId: string): Row => rows.get(holderId) ?? { day, holderId, spent: 0n, leased: 0n, sequence: 0n };
  let spent = 0n;

  const holder = (holderId: string) => {
    const spend = new CredentialSpend({
      holderId,
      now: () => now,
      failed: () => undefined,
      billing: {
        async leaseSpend({ sequence, leastNanoUsd: least, wantNanoUsd: want }) {
          const { daily, monthly } = credential.caps;
          const terms = { holderId, day, sequence, least, want, daily, monthly };
          const apply = () => {
            const { leased, isLate } = spendLease([...rows.values()], terms);
            if (!isLate) rows.set(holderId, { ...rowOf(holderId), leased, sequence });
            return { leasedNanoUsd: leased, untilMs: 0n };
          };
          await setImmediate();
          const fate = int(10);
          if (fate === 0) late.push(() => void apply());
          if (fate <= 1) throw new Error("the request was lost, or is late");
          const response = apply();
          if (fate === 2) throw new Error("the response was lost");
          return response;
        },
      },
    });
    const open: Open[] = [];
    const unsettled: bigint[] = [];
    return {
      /** A request that is admitted if a lease covers the most that it can cost. */
      async request(): Promise<void> {
        const amount = BigInt(1 + int(60));
        const lease = spend.leaseOf(credential, day);
        await lease.ensure(amount);
        if (!lease.covers(amount)) return;
        lease.take(amount);
        open.push({ amount, cost: BigInt(int(Number(amount) + 1)) });
      },
      /** The bill of a request is on disk. */
      bill(): void {
        const [request] = open.splice(0, 1);
        if (request === undefined) return;
        spend.leaseOf(credential, day).give(request.amount, request.cost);
        unsettled.push(request.cost);
        spent += request.cost;
      },
      /** Its open requests are billed by others, and all its bills are settled. */
      close(): void {
        for (const { cost } of open.splice(0)) {
          unsettled.push(cost);
          spent += cost;
        }
        this.settle(unsettled.length);
        rows.set(holderId, { ...rowOf(holderId), leased: 0n, sequence: 1_000_000n });
      },
      settle(count: number): void {
        for (const cost of unsettled.splice(0, count)) {
          const row = rowOf(holderId);
          rows.set(holderId, { ...row, spent: row.spent + cost });
        }
      },
      advance: () => spend.advance(day),
    };
  };
  return {
    int,
    holder,
    late,
    pass: (ms: number): void => {
      now += ms;
    },
    spent: () => spent,
    counted: () => [...rows.values()].reduce((sum, row) => sum + row.spent, 0n),
  };
}

test("in any order of requests, bills, settlements, lost and late calls and deaths, a cap is never exceeded, and every bill counts once", async () => {
  let most = 0n;
  for (let seed = 1; seed <= 60; seed++) {
    const { int, holder, late, pass, spent, counted } = stage(seed);
    let deaths = 0;
    const holders = Array.from({ length: 3 }, (_, n) => holder(`h${n}`));
    const dead: ReturnType<typeof holder>[] = [];
    const work: Promise<void>[] = [];
    for (let step = 0; step < 400; step++) {
      const at = int(holders.length);
      const one = holders[at] ?? assert.fail("no holder");
      const action = int(100);
      if (action < 45) work.push(one.request());
      else if (action < 75) one.bill();
      else if (action < 85) one.settle(int(5));
      else if (action < 92) pass(500);
      else if (action < 95) pass(11_000);
      else if (action < 97) late.shift()?.();
      else if (action === 97) {
        dead.push(one);
        holders[at] = holder(`h${3 + deaths++}`);
      } else if (action === 98) dead.shift()?.close();
      else for (const each of holders) each.advance();
      if (step % 7 === 0) await setImmediate();
      assert.ok(spent() <= cap, `seed ${seed}: ${spent()}`);
    }
    await Promise.all(work);
    for (const one of [...holders, ...dead]) one.close();
    assert.ok(spent() <= cap, `seed ${seed}: ${spent()}`);
    assert.equal(counted(), spent(), `seed ${seed}`);
    if (spent() > most) most = spent();
  }
  assert.ok(most > (cap * 9n) / 10n, `at most ${most} of ${cap} was spent`);
});
