import assert from "node:assert/strict";
import { test } from "node:test";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import { startBackend } from "@uag/harness/backend";
import { replica } from "@uag/harness/replica";
import { roomInHour } from "@uag/harness/testing/room-in-hour";
import { waitFor } from "@uag/harness/testing/wait-for";
import { type KeyServiceServer, KeyServiceService } from "@uag/proto/billing/v1/keys.ts";
import type { Caller } from "@uag/proto/common/v1/caller.ts";
import { createRpcClient } from "@uag/runtime/rpc/client";
import { insecure } from "@uag/runtime/rpc/identity";
import { request, settlement } from "./harness.ts";

const usd = 1_000_000_000n;
const limits = { requestsPerMinute: 0n, tokensPerMinute: 0n, concurrentRequests: 0n, monthlyBudgetNanoUsd: 5_000n };

test("a key spends its monthly budget over two replicas to the last nano-USD, and the account's other keys are unaffected", async () => {
  await roomInHour();
  await using backend = await startBackend();
  using keys = createRpcClient<KeyServiceServer>(KeyServiceService, backend.env["BILLING"] as string, insecure);
  const accountId = await backend.account(usd);
  const options = { publish: { gatherMs: 20, confirmMs: 50 }, idleMs: 1_000 };
  await using first = await replica(backend.env, options);
  await using second = await replica(backend.env, options);
  const { key } = await keys.createKey({ accountId, name: "", models: [], expiresAtMs: 0n, limits } as never);
  const keyId = key?.id as string;
  const caller: Caller = {
    keyId,
    accountId,
    models: [],
    expiresAtMs: 0n,
    limits,
    version: 1n,
    budgetIds: [],
    levels: [],
  };
  const call = (n: number, by = caller) => ({ ...request(accountId, `r${n}`, 1_000n), caller: by });

  const outcomes = await Promise.allSettled(
    Array.from({ length: 40 }, (_, n) => (n % 2 === 0 ? first : second).admit(call(n))),
  );
  const admitted = outcomes.flatMap((outcome) => (outcome.status === "fulfilled" ? [outcome.value] : []));
  const reasons = outcomes.flatMap((outcome) =>
    outcome.status === "rejected" ? [outcome.reason as GatewayError] : [],
  );
  assert.equal(admitted.length, 5);
  assert.deepEqual([...new Set(reasons.map(({ code }) => code))], ["budget_exceeded"]);
  const free: Caller = { ...caller, keyId: "key_other", limits: { ...limits, monthlyBudgetNanoUsd: 0n } };
  await (await second.admit(call(100, free))).settle(settlement(10n));

  // Each costs half of its hold: the rest of the budget can be spent again.
  for (const each of admitted) await each.settle(settlement(500n));
  await waitFor(async () => (await backend.events(accountId)).length === 6, { what: "the bills" });
  let more = 0;
  for (let n = 200; ; n++) {
    const result = await (n % 2 === 0 ? first : second).admit(call(n)).catch((error: unknown) => error);
    if (result instanceof GatewayError) {
      assert.equal(result.code, "budget_exceeded");
      assert.match(result.message, /has \$0\.0000005 left of its budget/);
      break;
    }
    await (result as Awaited<ReturnType<typeof first.admit>>).settle(settlement(1_000n));
    more += 1;
    if (more === 2) {
      // The last 500 do not cover a hold of 1,000.
      await waitFor(async () => (await backend.events(accountId)).length === 8, { what: "the bills" });
    }
  }
  assert.equal(more, 2);
  assert.deepEqual((await backend.ledger.audit({})).violations, []);
});
