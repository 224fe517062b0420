import assert from "node:assert/strict";
import { test } from "node:test";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import type { AcquireRequest, AcquireResponse } from "@uag/proto/billing/v1/grants.ts";
import { Account } from "./account.ts";
import type { GrantReturn } from "./wallet.ts";

interface Books {
  available: bigint;
  readonly results: AcquireRequest[];
  failure: Error | undefined;
  refusal: AcquireResponse | undefined;
}

/** Billing as seen by one account. */
function setUp(available: bigint, envelopeLeftNanoUsd?: bigint, budgetIds: string[] = []) {
  const books: Books = { available, results: [], failure: undefined, refusal: undefined };
  const given = new Map<string, AcquireResponse>();
  let ids = 0;
  const account = new Account(
    { accountId: "a", keyId: "", budgetIds },
    {
      holderId: "h",
      newRequestId: () => `acq_${++ids}`,
      fenced: () => undefined,
      returnGrants: (_, returns) => {
        for (const { amount } of returns) books.available += amount;
      },
      async acquire(request) {
        books.results.push({ ...request });
        const known = given.get(request.requestId);
        const enough = books.available >= request.needNanoUsd;
        const share = books.available / 4n;
        const max = request.wantNanoUsd < share ? request.wantNanoUsd : share;
        const amountNanoUsd = enough ? (max > request.needNanoUsd ? max : request.needNanoUsd) : 0n;
        const response = known ?? {
          grantId: `g${books.results.length}`,
          amountNanoUsd,
          insufficient: !enough,
          owedNanoUsd: 0n,
          budgetExceeded: false,
          scarce: books.available - amountNanoUsd < request.wantNanoUsd * 4n,
          availableNanoUsd: books.available,
          envelopeLeftNanoUsd,
        };
        if (known === undefined) books.available -= amountNanoUsd;
        given.set(request.requestId, response);
        if (books.failure) throw books.failure;
        return books.refusal ?? response;
      },
    },
    {},
  );
  return { account, books };
}

test("concurrent requests share one call to billing, and later ones need none", async () => {
  const { account, books } = setUp(1_000_000n);
  await Promise.all(Array.from({ length: 100 }, () => account.wait(10n)));
  assert.ok(books.results.length <= 2, String(books.results.length));
  assert.ok(account.take(10n));
});

test("with money for exactly k of n waiting requests serves k, with a number of calls that does not grow with n", async () => {
  for (const k of [0, 1, 7, 100, 499]) {
    const { account, books } = setUp(BigInt(k) * 10n + 3n);
    const results = await Promise.allSettled(Array.from({ length: 500 }, () => account.wait(10n)));
    assert.equal(results.filter(({ status }) => status === "fulfilled").length, k);
    assert.ok(books.results.length <= 8, `${k}: ${books.results.length} calls`);
    for (const result of results) {
      if (result.status === "rejected") assert.equal((result.reason as GatewayError).code, "insufficient_balance");
    }
  }
});

test("returns remainders of several grants and acquires them as one grant when a request needs their sum", async () => {
  const { account, books } = setUp(10n);
  const first = await account.wait(5n);
  const second = await account.wait(5n);
  account.settle(first, 5n, 1n);
  account.settle(second, 5n, 1n);
  assert.equal((await account.wait(8n)).amount, 8n);
  assert.equal(books.available, 0n);
});

test("repeats an Acquire whose response was lost with the same id, so its grant is not lost", async () => {
  const { account, books } = setUp(1_000n);
  books.failure = new GatewayError("service_unavailable");
  await assert.rejects(account.wait(10n), { code: "service_unavailable" });
  books.failure = undefined;
  await account.wait(10n);
  assert.equal(books.results[1]?.requestId, books.results[0]?.requestId);
  const held = account.wallet.grants.reduce((sum, { amount }) => sum + amount, 0n);
  assert.equal(held + books.available, 1_000n);
});

test("returns idle money and then forgets the account", async () => {
  const { account, books } = setUp(1_000n);
  account.settle(await account.wait(10n), 10n, 4n);
  for (let second = 0; second < 12; second++) account.advance(1_000, 10_000);
  assert.equal(books.available, 996n);
  assert.equal(account.empty, true);
});

test("looks up what an envelope leaves once, with the smallest grant, which returns when it is idle", async () => {
  const { account, books } = setUp(1_000n, 999n);
  assert.equal(account.envelopeRemaining, undefined);
  account.lookUpEnvelope();
  account.lookUpEnvelope();
  while (account.envelopeRemaining === undefined) await new Promise(setImmediate);
  assert.deepEqual([account.envelopeRemaining, books.available], [1_000n, 999n]);
  account.lookUpEnvelope();
  assert.equal(books.results.length, 1);
  for (let second = 0; second < 12; second++) account.advance(1_000, 10_000);
  assert.deepEqual([books.available, account.empty], [1_000n, true]);
});

test("looking up an envelope that is used up reports 0, and a lookup that fails refuses no later request", async () => {
  const usedUp = setUp(0n, 0n);
  usedUp.account.lookUpEnvelope();
  while (usedUp.account.envelopeRemaining === undefined) await new Promise(setImmediate);
  assert.equal(usedUp.account.envelopeRemaining, 0n);
  const away = setUp(1_000n, 999n);
  away.books.failure = new GatewayError("service_unavailable");
  away.account.lookUpEnvelope();
  await new Promise(setImmediate);
  assert.equal(away.books.results.length, 1);
  away.books.failure = undefined;
  assert.ok(await away.account.wait(10n));
});

test("after a recall an envelope's money returns as its last request ends, without waiting until it is idle", async () => {
  const { account, books } = setUp(1_000n, 0n);
  const grant = await account.wait(10n);
  account.recall();
  assert.equal(books.available, 990n);
  account.settle(grant, 10n, 4n);
  account.advance(1_000, 10_000);
  assert.equal(books.available, 996n);
  assert.equal(account.empty, true);
});

test("finds and returns the grant of an abandoned Acquire whose repetition was refused", async () => {
  const returns: GrantReturn[] = [];
  const results: AcquireRequest[] = [];
  const granted = {
    grantId: "late",
    amountNanoUsd: 70n,
    scarce: true,
    budgetExceeded: false,
    availableNanoUsd: 0n,
    owedNanoUsd: 0n,
  };
  const account = new Account(
    { accountId: "a", keyId: "", budgetIds: [] },
    {
      holderId: "h",
      newRequestId: () => "acq_1",
      fenced: () => undefined,
      returnGrants: (_, more) => returns.push(...more),
      async acquire(request) {
        results.push(request);
        if (results.length === 1) throw new GatewayError("service_unavailable");
        return { ...granted, insufficient: results.length === 2 };
      },
    },
    {},
  );
  await assert.rejects(account.wait(70n), { code: "service_unavailable" });
  await assert.rejects(account.wait(70n), { code: "insufficient_balance" });
  assert.equal(account.empty, false);
  account.advance(60_000, 1_000_000);
  assert.equal(results.length, 2);
  account.advance(10_000, 1_000_000);
  await new Promise(setImmediate);
  assert.deepEqual(
    results.map(({ requestId, needNanoUsd }) => [requestId, needNanoUsd]),
    [
      ["acq_1", 70n],
      ["acq_1", 70n],
      ["acq_1", 1n],
    ],
  );
  assert.deepEqual(returns, [{ grantId: "late", sequence: 1, amount: 70n, close: true, spent: 0n }]);
  assert.equal(account.empty, true);
});

test("an account used once a minute is admitted from memory each time, and idle money is returned once", () => {
  const returns: GrantReturn[] = [];
  const source = {
    holderId: "h",
    newRequestId: () => "acq_1",
    fenced: () => undefined,
    acquire: () => Promise.reject(new Error("unexpected Acquire")),
    returnGrants: (_: string, more: readonly GrantReturn[]) => returns.push(...more),
  };
  const account = new Account({ accountId: "a", keyId: "", budgetIds: [] }, source, {});
  account.wallet.add("g", 1_000n, false);
  for (let minute = 0; minute < 5; minute++) {
    const grant = account.take(1n);
    assert.ok(grant, "admitted from memory");
    account.settle(grant, 1n, 1n);
    for (let second = 0; second < 60; second++) account.advance(1_000, 150_000);
  }
  assert.deepEqual(returns, []);
  for (let second = 0; second < 120; second++) account.advance(1_000, 150_000);
  assert.deepEqual(returns, [{ grantId: "g", sequence: 1, amount: 995n, close: true, spent: 5n }]);
});

test("when billing reports that the account owes money, refuses all waiting requests with the debt and returns the wallet's money", async () => {
  const { account, books } = setUp(1_000n);
  const owing = { grantId: "", amountNanoUsd: 0n, insufficient: true, budgetExceeded: false, scarce: true };
  const taken = await account.wait(10n);
  account.settle(taken, 10n, 10n);
  books.refusal = { ...owing, availableNanoUsd: 900n, owedNanoUsd: 5_000_000_000n };
  const results = await Promise.allSettled([account.wait(900n), account.wait(1n)]);
  for (const result of results) {
    assert.ok(result.status === "rejected");
    assert.equal((result.reason as GatewayError).code, "unpaid_usage");
    assert.match((result.reason as GatewayError).message, /owes \$5\.00 for earlier requests/);
  }
  assert.equal(account.take(1n), undefined, "nothing is admitted from memory");
  assert.equal(books.available, 990n);
});

test("an end user's purse acquires a few requests ahead, and returns everything once it is retired and its requests end", async () => {
  const { account, books } = setUp(1_000_000n, undefined, ["bud:alice", "bud"]);
  const grant = await account.wait(10n);
  assert.equal(books.results[0]?.wantNanoUsd, 40n);
  account.retire();
  assert.equal(account.take(10n), undefined);
  account.settle(grant, 10n, 4n);
  account.advance(1_000, 150_000);
  assert.ok(account.empty);
  assert.equal(books.available, 1_000_000n - 4n);
});
