import assert from "node:assert/strict";
import { test } from "node:test";
import { seededInt } from "@uag/harness/testing/seeded-random";
import { type Grant, Wallet } from "./wallet.ts";

test("over random events a grant's amount equals its balance, open holds, spend and returns, and no hold exceeds the balance", () => {
  for (let seed = 1; seed <= 200; seed++) {
    const random = seededInt(seed);
    const wallet = new Wallet({ requestsAhead: 4 });
    const all = new Map<string, { amount: bigint; returned: bigint; closed: boolean; spent: bigint }>();
    const open: { grant: Grant; hold: bigint }[] = [];
    const gave = (gives: ReturnType<Wallet["returnUnspent"]>): void => {
      for (const give of gives) {
        const grant = all.get(give.grantId);
        assert.ok(grant && !grant.closed, "a closed grant admits nothing");
        grant.returned += give.amount;
        if (!give.close) continue;
        grant.closed = true;
        assert.equal(give.spent, grant.spent);
        assert.equal(grant.amount, grant.spent + grant.returned, "closing a grant leaves no remainder");
        assert.ok(
          !open.some((request) => request.grant.id === give.grantId),
          "a grant with open requests is not closed",
        );
      }
    };
    for (let step = 0; step < 300; step++) {
      const choice = random(10);
      if (choice < 4) {
        const hold = BigInt(1 + random(50));
        const before = wallet.usable;
        const grant = wallet.take(hold);
        if (grant) open.push({ grant, hold });
        else assert.equal(wallet.usable, before);
      } else if (choice < 7 && open.length > 0) {
        const [request] = open.splice(random(open.length), 1);
        const cost = BigInt(random(70));
        wallet.settle(request!.grant, request!.hold, cost);
        all.get(request!.grant.id)!.spent += cost < request!.hold ? cost : request!.hold;
      } else if (choice === 7) {
        const amount = BigInt(1 + random(200));
        all.set(`g${step}`, { amount, returned: 0n, closed: false, spent: 0n });
        wallet.add(`g${step}`, amount, random(4) === 0);
      } else if (choice === 8) gave(wallet.returnRetired());
      else if (random(5) === 0) gave(wallet.returnUnspent());
      else if (random(4) === 0) wallet.retire();
      wallet.advance(random(100));
      let usable = 0n;
      for (const grant of wallet.grants) {
        const held = open.reduce((sum, request) => (request.grant === grant ? sum + request.hold : sum), 0n);
        assert.equal(grant.amount, grant.balance + held + grant.spent + grant.returned, `seed ${seed}`);
        assert.ok(grant.balance >= 0n);
        if (!grant.retired) usable += grant.balance;
      }
      assert.equal(wallet.usable, usable, `seed ${seed}`);
      assert.equal(
        wallet.outstanding,
        open.reduce((sum, request) => sum + request.hold, 0n),
      );
    }
  }
});

test("sizes a refill by recent spend, between the minimum number of requests and the cap", () => {
  const wallet = new Wallet({ requestsAhead: 64, spendAheadMs: 10_000, maxNanoUsd: 1_000_000n });
  assert.equal(wallet.want(100n), 6_400n);
  wallet.add("g", 500_000n, false);
  for (let second = 0; second < 60; second++) {
    for (let n = 0; n < 100; n++) wallet.settle(wallet.take(50n)!, 50n, 50n);
    wallet.advance(1_000);
  }
  const want = wallet.want(50n);
  assert.ok(want > 45_000n && want <= 50_000n, String(want));
  assert.equal(wallet.want(2_000_000n), 2_000_000n);
});

test("requests nothing ahead of need near the end of a balance", () => {
  const wallet = new Wallet();
  wallet.add("g", 10n, true);
  assert.equal(wallet.want(7n), 7n);
  assert.equal(wallet.low, false);
});
