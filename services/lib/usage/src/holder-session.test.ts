import assert from "node:assert/strict";
import { test } from "node:test";
import type { Caller } from "@uag/proto/common/v1/caller.ts";
import { Outcome, Pricing, SettlementRule } from "@uag/proto/metering/v1/usage.ts";
import { maxEndUsers } from "./end-users/recent.ts";
import { HolderSession } from "./holder-session.ts";
import { OpenRequest } from "./request.ts";
import type { SessionDependencies } from "./session-dependencies.ts";

const nothing = (): void => undefined;
const caller: Caller = {
  keyId: "k",
  accountId: "a",
  models: [],
  expiresAtMs: 0n,
  limits: undefined,
  version: 1n,
  budgetIds: [],
  levels: [],
};
const requested = {
  requestId: "r",
  caller,
  operation: "chat.completions",
  model: "m",
  holdNanoUsd: 0n,
  tokens: 1,
  priceVersion: "v1",
  stream: false,
};
const bill = {
  outcome: Outcome.COMPLETED,
  settlementRule: SettlementRule.COMPLETED,
  pricing: Pricing.EXACT,
  units: [],
  costNanoUsd: 0n,
  upstream: "",
  upstreamModel: "",
  rawUsage: Buffer.alloc(0),
  attempts: 1,
  failedAttempts: [],
  status: 200,
};

/**
 * A holder whose journal is at segment 10 with everything confirmed, and a request in segment 0.
 */
function setUp() {
  const seen = { appends: 0, trims: [] as number[] };
  const journal = {
    segment: 0,
    hurry: nothing,
    appendLazy: () => Promise.resolve(),
    append: () => {
      seen.appends++;
      return Promise.resolve();
    },
    trim: (segment: number) => {
      seen.trims.push(segment);
      // A loop that trims without ever waiting would hang the test.
      if (seen.trims.length > 100) throw new Error("trimming does not end");
      return Promise.resolve();
    },
  };
  const failures: unknown[] = [];
  const dependencies = {
    service: "test",
    billing: {},
    wallet: {},
    beats: false,
    clock: { now: Date.now, monotonic: () => 0 },
    log: { warn: nothing, error: nothing },
    publisher: () => ({ keepSegment: 10 }),
    delay: () => new Promise<void>(nothing),
    quiet: (work: Promise<unknown>) => void work.catch((error: unknown) => failures.push(error)),
  } as unknown as SessionDependencies;
  const session = new HolderSession(dependencies, { holderId: "h", journal: journal as never, fenced: nothing });
  const request = new OpenRequest(session, requested, {});
  journal.segment = 10;
  return { session, request, journal, seen, failures };
}

test("rewrites the records of an open request and deletes the older segments", async () => {
  const { session, seen, failures } = setUp();
  session.trim();
  await new Promise(setImmediate);
  assert.deepEqual([seen.appends, seen.trims], [1, [0, 10]]);
  assert.deepEqual(failures, []);
});

test("a bill that the disk refuses keeps its journal segments, and trimming does not loop", async () => {
  const { session, request, journal, seen, failures } = setUp();
  journal.append = () => Promise.reject(new Error("ENOSPC"));
  void request.settle(bill);
  await new Promise(setImmediate);
  session.trim();
  await new Promise(setImmediate);
  assert.deepEqual(seen.trims, [0]);
  assert.deepEqual(failures, []);
});

test("an account with any number of end users has a bounded number of purses, and evicts none of other accounts", () => {
  const { session } = setUp();
  const of = (accountId: string, n: number): Caller => ({ ...caller, accountId, budgetIds: [`bud:${n}`, "bud"] });
  const other = session.account(of("b", 0));
  const shared = session.account({ ...caller, budgetIds: ["bud"] });
  for (let n = 0; n < maxEndUsers + 100; n++) session.account(of("a", n));
  assert.equal([...session.accounts].length, maxEndUsers + 2);
  assert.equal(session.account(of("b", 0)), other);
  assert.equal(session.account({ ...caller, budgetIds: ["bud"] }), shared);
});
