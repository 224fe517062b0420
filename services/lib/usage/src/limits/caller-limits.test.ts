import assert from "node:assert/strict";
import { test } from "node:test";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import { maxReturnedSlots } from "@uag/contract/messages/billing";
import type { BorrowRequest, LimitServiceServer } from "@uag/proto/billing/v1/limits.ts";
import { LimitKind } from "@uag/proto/billing/v1/limits.ts";
import type { Limits } from "@uag/proto/common/v1/caller.ts";
import type { Clock } from "@uag/runtime/clock";
import type { RpcClient } from "@uag/runtime/rpc/client";
import { CallerLimits } from "./caller-limits.ts";
import { Holder } from "./holder.ts";
import { ScopeLimits } from "./scope-limits.ts";
import { SharedLimit } from "./shared-limit.ts";
import { WindowPermits } from "./window-permits.ts";

const none: Limits = { requestsPerMinute: 0n, tokensPerMinute: 0n, concurrentRequests: 0n, monthlyBudgetNanoUsd: 0n };
const request = { tokens: 10, native: false };

const heapId = (id: string, kind: LimitKind): string => `${id}/${kind}`;

/** A billing that lends from a pile of permits, and a clock set by hand. */
class Stage {
  time = 0;
  readonly calls: BorrowRequest[] = [];
  /** Permits at billing: of the key by kind, of a budget by its id and kind. */
  readonly heap = new Map<LimitKind | string, number>();
  away = false;
  lapsed = false;
  /** Refuses every call as invalid. */
  invalid = false;
  retryAfterMs = 0;
  /** Called on every borrow. */
  borrowed: (() => void) | undefined;
  readonly holder: Holder;
  readonly levels: ScopeLimits[] = [];
  readonly #clock: Clock;
  readonly key: ScopeLimits;
  /** The key's limits and, where a test sets them, those of the levels above it. */
  caller: CallerLimits;

  constructor(limits: Partial<Limits>) {
    const clock: Clock = { now: () => this.time, monotonic: () => this.time };
    const billing = {
      renew: async () => {
        if (this.away) throw new GatewayError("service_unavailable");
        const { lapsed } = this;
        this.lapsed = false;
        return { leaseMs: 4_000, lapsed };
      },
      borrow: async (request: BorrowRequest) => this.#borrow(request),
      [Symbol.dispose]: () => undefined,
    } as unknown as RpcClient<LimitServiceServer>;
    this.holder = new Holder({
      billing,
      clock,
      lapsed: () => {
        for (const scope of [this.key, ...this.levels]) scope.lapse();
      },
    });
    this.#clock = clock;
    this.key = new ScopeLimits("key_1", { holder: this.holder, clock });
    this.caller = new CallerLimits([this.key], clock);
    this.learn(limits, 1n);
    for (const [kind, limit] of [
      [LimitKind.REQUESTS, limits.requestsPerMinute],
      [LimitKind.TOKENS, limits.tokensPerMinute],
      [LimitKind.CONCURRENCY, limits.concurrentRequests],
    ] as const)
      this.heap.set(kind, Number(limit ?? 0n));
  }

  learn(limits: Partial<Limits>, version: bigint): void {
    this.key.learn({ limits: { ...none, ...limits }, version });
  }

  /** Puts a budget above the others, of which billing has as many permits as it allows. */
  addLevel(name: string, limits: Partial<Limits>): ScopeLimits {
    const id = `bud_${name}`;
    const level = new ScopeLimits(id, { holder: this.holder, clock: this.#clock });
    level.learn({ limits: { ...none, ...limits }, version: 1n, name });
    this.levels.push(level);
    this.caller = new CallerLimits([this.key, ...this.levels], this.#clock);
    this.heap.set(heapId(id, LimitKind.REQUESTS), Number(limits.requestsPerMinute ?? 0n));
    this.heap.set(heapId(id, LimitKind.TOKENS), Number(limits.tokensPerMinute ?? 0n));
    this.heap.set(heapId(id, LimitKind.CONCURRENCY), Number(limits.concurrentRequests ?? 0n));
    return level;
  }

  #borrow(request: BorrowRequest) {
    if (this.away) throw new GatewayError("service_unavailable");
    this.calls.push(request);
    if (this.invalid || request.returned.length > maxReturnedSlots) throw new GatewayError("invalid_request");
    this.borrowed?.();
    const back = request.returned.reduce((sum, { count }) => sum + Number(count), 0);
    const heap = request.keyId === "key_1" ? request.kind : heapId(request.keyId, request.kind);
    const there = (this.heap.get(heap) ?? 0) + back;
    const lent = Math.min(there, Number(request.want));
    this.heap.set(heap, there - lent);
    const permits = lent > 0 ? [{ count: BigInt(lent), freeInMs: 0 }] : [];
    return { lent: permits, retryAfterMs: lent < request.need ? this.retryAfterMs : 0 };
  }
}

const refusal =
  (code: string, check: (error: GatewayError) => boolean = () => true) =>
  (error: unknown) =>
    error instanceof GatewayError && error.code === code && check(error);

test("a permit borrowed just before an unused lease expires is valid for the whole admission", async () => {
  const stage = new Stage({ requestsPerMinute: 100n });
  await stage.holder.renew();
  stage.time = 3_990;
  const reservation = await stage.caller.wait(request);
  stage.time = 4_040;
  assert.equal(reservation.live, true);
});

test("a request that finds permits in memory makes no call", async () => {
  const stage = new Stage({ requestsPerMinute: 100n, concurrentRequests: 100n });
  await stage.caller.wait(request);
  const { length } = stage.calls;
  assert.notEqual(stage.caller.take(request), undefined);
  assert.equal(stage.calls.length, length);
});

test("waiting requests share one call to billing and are served in order", async () => {
  const stage = new Stage({ requestsPerMinute: 50n });
  const admitted = await Promise.allSettled(Array.from({ length: 60 }, () => stage.caller.wait(request)));
  assert.equal(admitted.filter(({ status }) => status === "fulfilled").length, 50);
  assert.ok(admitted.slice(0, 50).every(({ status }) => status === "fulfilled"));
  assert.ok(stage.calls.length <= 3, `${stage.calls.length} calls`);
});

test("a refused client that keeps retrying causes no calls to billing until a permit can be free", async () => {
  const stage = new Stage({ requestsPerMinute: 5n });
  stage.heap.set(LimitKind.REQUESTS, 0);
  stage.retryAfterMs = 30_000;
  const late = refusal("rate_limit_exceeded", ({ retryAfterMs }) => (retryAfterMs as number) > 29_000);
  for (let i = 0; i < 100; i++) await assert.rejects(stage.caller.wait(request), late);
  assert.equal(stage.calls.length, 1);
  stage.time += 1_001;
  await assert.rejects(stage.caller.wait(request), refusal("rate_limit_exceeded"));
  assert.equal(stage.calls.length, 2);
});

test("a request that one limit refuses takes nothing from the others", async () => {
  const stage = new Stage({ requestsPerMinute: 5n, concurrentRequests: 1n });
  const first = await stage.caller.wait(request);
  await assert.rejects(stage.caller.wait(request), refusal("concurrency_limit_exceeded"));
  assert.equal(stage.caller.headers(false)[3], "4");
  first.release();
  assert.notEqual(stage.caller.take(request), undefined);
});

test("corrects reserved tokens by the actual usage, up or down", async () => {
  const stage = new Stage({ tokensPerMinute: 100n });
  const first = await stage.caller.wait({ tokens: 60, native: false });
  await assert.rejects(stage.caller.wait({ tokens: 60, native: false }), refusal("token_limit_exceeded"));
  first.admitted();
  first.correct(10);
  const second = await stage.caller.wait({ tokens: 60, native: false });
  second.admitted();
  second.correct(95);
  await assert.rejects(
    stage.caller.wait({ tokens: 1, native: false }),
    refusal("token_limit_exceeded", ({ retryAfterMs }) => retryAfterMs === 60_000),
  );
  await assert.rejects(
    stage.caller.wait({ tokens: 101, native: false }),
    refusal("token_limit_exceeded", ({ retryable, retryAfterMs }) => !retryable && retryAfterMs === undefined),
  );
});

test("while billing is unreachable permits are used until the lease ends; after that requests get 503, not 429", async () => {
  const stage = new Stage({ requestsPerMinute: 10n });
  await stage.caller.wait(request);
  stage.away = true;
  stage.time = 3_999;
  assert.notEqual(stage.caller.take(request) ?? (await stage.caller.wait(request).catch(() => undefined)), undefined);
  stage.time = 4_001;
  assert.equal(stage.caller.take(request), undefined);
  await assert.rejects(stage.caller.wait(request), refusal("service_unavailable"));
  stage.away = false;
  await stage.caller.wait(request);
});

test("after a lapse uses no old permit, borrows under the new id, and still counts requests in flight", async () => {
  const stage = new Stage({ requestsPerMinute: 10n, concurrentRequests: 2n });
  const first = await stage.caller.wait(request);
  const { id } = stage.holder;
  stage.time = 5_000;
  stage.lapsed = true;
  stage.heap.set(LimitKind.CONCURRENCY, 2);
  await stage.caller.wait(request);
  assert.notEqual(stage.holder.id, id);
  await assert.rejects(stage.caller.wait(request), refusal("concurrency_limit_exceeded"));
  first.release();
  await stage.caller.wait(request);
});

test("a lowered limit returns every permit, those in use when their requests end", async () => {
  const stage = new Stage({ concurrentRequests: 8n });
  const taken = await Promise.all(Array.from({ length: 4 }, () => stage.caller.wait(request)));
  stage.learn({ concurrentRequests: 2n }, 2n);
  for (const each of taken) each.release();
  await stage.key.returnAll();
  assert.equal(stage.heap.get(LimitKind.CONCURRENCY), 8);
  assert.ok(stage.calls.at(-1)?.keyVersion === 2n && stage.calls.at(-1)?.limit === 2n);
});

test("a lowered limit also returns the permits of waiting requests, once they are admitted or refused", async () => {
  const stage = new Stage({ requestsPerMinute: 8n, tokensPerMinute: 80n });
  const taken = await Promise.all(Array.from({ length: 4 }, () => stage.caller.wait(request)));
  stage.learn({ requestsPerMinute: 2n, tokensPerMinute: 20n }, 2n);
  await stage.key.returnAll();
  const there = () => [stage.heap.get(LimitKind.REQUESTS), stage.heap.get(LimitKind.TOKENS)];
  assert.deepEqual(there(), [4, 40]);
  taken[0]?.admitted();
  taken[1]?.undo();
  await new Promise(setImmediate);
  assert.deepEqual(there(), [6, 60]);
  taken[2]?.undo();
  taken[3]?.admitted();
  await new Promise(setImmediate);
  assert.deepEqual(there(), [8, 80]);
});

/**
 * The lease expires this many microtasks after permits are borrowed. Returns whether the permits
 * had been taken by then.
 */
async function lapseWhileServed(microtasks: number): Promise<boolean> {
  const stage = new Stage({ requestsPerMinute: 10n });
  stage.borrowed = () => {
    stage.borrowed = undefined;
    stage.lapsed = true;
    const wait = (left: number): void =>
      queueMicrotask(() => void (left === 0 ? stage.holder.renew() : wait(left - 1)));
    wait(microtasks);
  };
  const taken = await stage.caller.wait(request);
  await new Promise(setImmediate);
  const borrowedBy = stage.calls.at(-1)?.holderId;
  const moment = `when the lease expires ${microtasks} microtasks after borrowing`;
  assert.equal(taken.live, borrowedBy === stage.holder.id, `a permit that others may hold admits a request ${moment}`);
  if (taken.live) return false;
  const there = stage.heap.get(LimitKind.REQUESTS);
  taken.undo();
  assert.equal(stage.caller.take(request), undefined, `an old permit remains ${moment}`);
  await new Promise(setImmediate);
  assert.equal(stage.heap.get(LimitKind.REQUESTS), there, `a permit is returned twice ${moment}`);
  return true;
}

test("a lease that expires at any moment while a waiting request is served admits nothing and leaves no permit for the next lease", async () => {
  const taken: boolean[] = [];
  for (let microtasks = 0; microtasks < 16; microtasks++) taken.push(await lapseWhileServed(microtasks));
  assert.deepEqual(taken.toSorted(), taken, "first before the permits are taken, then after");
  assert.ok(taken[0] === false && taken.at(-1) === true);
});

test("returns permits in several calls when they exceed the maximum of one call", async () => {
  const stage = new Stage({ requestsPerMinute: 1n });
  stage.heap.set(LimitKind.REQUESTS, 0);
  const shared = new SharedLimit({
    kind: LimitKind.REQUESTS,
    keyId: "key_1",
    holder: stage.holder,
    now: () => 0,
    permits: new WindowPermits(),
    take: () => false,
    unknownExhaustedMs: 1_000,
    refusal: () => new GatewayError("rate_limit_exceeded"),
  });
  await shared.returnPermits(Array.from({ length: 20_000 }, (_, n) => ({ count: 1, freeInMs: n % 10_000 })));
  assert.deepEqual(
    stage.calls.map(({ returned }) => returned.length),
    [4_096, 4_096, 1_808],
  );
  assert.equal(stage.heap.get(LimitKind.REQUESTS), 20_000);
});

test("never repeats a call that was rejected as invalid", async () => {
  const stage = new Stage({ requestsPerMinute: 100n });
  stage.invalid = true;
  await assert.rejects(stage.caller.wait(request), refusal("service_unavailable"));
  stage.invalid = false;
  await stage.caller.wait(request);
  const [first, second] = stage.calls.map(({ sequence }) => sequence);
  assert.ok(first !== undefined && second !== undefined && second > first, `${first} then ${second}`);
});

const pairsOf = (headers: readonly string[] = []): Map<string, string> =>
  new Map(Array.from({ length: headers.length / 2 }, (_, at) => [headers[2 * at] ?? "", headers[2 * at + 1] ?? ""]));

test("a request that a budget above its key refuses takes nothing of the key or of other budgets, and the error names the budget and the limit", async () => {
  const stage = new Stage({ requestsPerMinute: 10n });
  const team = stage.addLevel("team", { requestsPerMinute: 8n });
  const company = stage.addLevel("company", { concurrentRequests: 2n });
  const held = [await stage.caller.wait(request), await stage.caller.wait(request)];
  const named = /^The budget "company" \(bud_company\) has reached its limit of 2 requests at the same time\./;
  await assert.rejects(
    stage.caller.wait(request),
    refusal("concurrency_limit_exceeded", ({ message, retryAfterMs }) => named.test(message) && retryAfterMs === 500),
  );
  assert.deepEqual([stage.key.used("requests"), team.used("requests"), company.used("concurrency")], [2, 2, 2]);
  held[0]?.release();
  assert.notEqual(stage.caller.take(request), undefined);
});

test("responses show of each limit the tightest one, and a refusal the one that refuses", async () => {
  const stage = new Stage({ requestsPerMinute: 10n, tokensPerMinute: 1_000n });
  stage.addLevel("team", { requestsPerMinute: 3n, tokensPerMinute: 5_000n });
  const first = await stage.caller.wait(request);
  first.admitted();
  const shown = pairsOf(first.headers);
  assert.deepEqual(
    ["limit-requests", "remaining-requests", "limit-tokens", "remaining-tokens"].map((of) =>
      shown.get(`x-ratelimit-${of}`),
    ),
    ["3", "2", "1000", "990"],
  );
  for (let i = 0; i < 2; i++) (await stage.caller.wait(request)).admitted();
  const refused = await stage.caller.wait(request).then(
    () => assert.fail("the limit was exceeded"),
    (error: GatewayError) => error,
  );
  assert.match(refused.message, /^The budget "team" \(bud_team\) has reached its limit of 3 requests a minute\./);
  assert.equal(refused.retryAfterMs, 60_000);
  const headers = pairsOf(refused.headers);
  assert.deepEqual(
    ["limit-requests", "remaining-requests", "reset-requests"].map((of) => headers.get(`x-ratelimit-${of}`)),
    ["3", "0", "1m0s"],
  );
});

test("a request with more tokens than a budget allows in a minute is refused permanently, naming the budget", async () => {
  const stage = new Stage({ tokensPerMinute: 1_000n });
  stage.addLevel("team", { tokensPerMinute: 100n });
  const text = /and the budget "team" \(bud_team\) may use 100 tokens a minute/;
  await assert.rejects(
    stage.caller.wait({ tokens: 101, native: false }),
    refusal("token_limit_exceeded", ({ retryable, message }) => !retryable && text.test(message)),
  );
  assert.equal(stage.calls.length, 0);
});

test("corrects reserved tokens at every level by the actual usage", async () => {
  const stage = new Stage({ tokensPerMinute: 1_000n });
  const team = stage.addLevel("team", { tokensPerMinute: 100n });
  const first = await stage.caller.wait({ tokens: 60, native: false });
  first.admitted();
  first.correct(10);
  assert.deepEqual([stage.key.used("tokens"), team.used("tokens")], [10, 10]);
});

test("a thousand requests of a budget borrow its permits in batches, not one by one", async () => {
  const stage = new Stage({});
  stage.addLevel("company", { requestsPerMinute: 10_000n, concurrentRequests: 10_000n });
  await Promise.all(Array.from({ length: 500 }, () => stage.caller.wait(request)));
  for (let i = 0; i < 500; i++) stage.caller.take(request) ?? (await stage.caller.wait(request));
  assert.ok(stage.calls.length <= 10, `${stage.calls.length} calls`);
});

test("a limit is not forgotten while a request that needs it waits for another limit", async () => {
  const stage = new Stage({ requestsPerMinute: 10n });
  const team = stage.addLevel("team", { concurrentRequests: 1n });
  assert.ok(team.empty);
  const waits = stage.caller.wait(request);
  assert.ok(!team.empty);
  (await waits).release();
});
