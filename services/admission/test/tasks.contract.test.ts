import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { GatewayError } from "@uag/kit/errors.ts";
import { Outcome, type UsageEvent } from "@uag/proto/metering/v1/usage.ts";
import type { AdmitTask } from "../src/types.ts";
import { eventually, type House, replica, request, settlement, startHouse } from "./harness.ts";

const usd = 1_000_000_000n;
const publish = { gatherMs: 20, confirmMs: 50 };

describe("tasks that outlive the process that began them", () => {
  let house: House;
  const resources = new AsyncDisposableStack();

  before(async () => {
    house = resources.use(await startHouse());
  });
  after(() => resources.disposeAsync());

  const task = (accountId: string, requestId: string): AdmitTask => {
    const { stream: _, ...asked } = request(accountId, requestId, usd);
    return { ...asked, operation: "videos.generations", untilMs: Date.now() + 3_600_000 };
  };
  const bill = (asked: AdmitTask, grantId: string, cost: bigint): UsageEvent => ({
    ...settlement(cost),
    rawUsage: Buffer.alloc(0),
    holderId: "",
    priceVersion: "v1",
    stream: false,
    outcome: cost === 0n ? Outcome.FAILED : Outcome.COMPLETED,
    requestId: asked.requestId,
    accountId: asked.caller.accountId,
    keyId: asked.caller.keyId,
    grantId,
    operation: asked.operation,
    model: asked.model,
    holdNanoUsd: asked.holdNanoUsd,
    startedAtMs: BigInt(Date.now()),
    endedAtMs: BigInt(Date.now()),
  });
  const moneyOf = async (id: string) => {
    const { availableNanoUsd, heldNanoUsd, chargedNanoUsd } = await house.accounts.getAccount({ id });
    return { available: availableNanoUsd, held: heldNanoUsd, charged: chargedNanoUsd };
  };

  test("exactly the price is held, once for each task, whoever asks; another process settles it, once, however often it is told", async () => {
    const accountId = await house.account(10n * usd);
    const asked = task(accountId, "task-1");
    let grantId = "";
    {
      await using first = await replica(house.env, { publish });
      grantId = await first.admitTask(asked);
      assert.equal(await first.findTaskGrant(asked), grantId);
    }
    assert.deepEqual(await moneyOf(accountId), { available: 9n * usd, held: usd, charged: 0n });
    await using second = await replica(house.env, { publish });
    await using third = await replica(house.env, { publish });
    assert.equal(await second.findTaskGrant(asked), grantId);
    const event = bill(asked, grantId, usd / 2n);
    await Promise.all([second.settleTask(event), third.settleTask(event)]);
    await second.settleTask(event);
    await eventually("the charge", async () => (await moneyOf(accountId)).charged > 0n);
    await eventually("the release", async () => (await moneyOf(accountId)).held === 0n);
    assert.deepEqual(await moneyOf(accountId), { available: (19n * usd) / 2n, held: 0n, charged: usd / 2n });
    // Billing books it before metering files it.
    await eventually("the event", async () => (await house.events(accountId)).length > 0);
    assert.equal((await house.events(accountId)).length, 1);
    assert.deepEqual((await house.ledger.audit({})).violations, []);
  });

  test("a failed task costs nothing, and what it held is free before its bill has arrived", async () => {
    const accountId = await house.account(usd);
    await using only = await replica(house.env, { publish });
    const asked = task(accountId, "task-2");
    const grantId = await only.admitTask(asked);
    await only.settleTask(bill(asked, grantId, 0n));
    assert.deepEqual(await moneyOf(accountId), { available: usd, held: 0n, charged: 0n });
  });

  test("a task that the balance does not cover is refused", async () => {
    const accountId = await house.account(usd - 1n);
    await using only = await replica(house.env, { publish });
    const refused = only.admitTask(task(accountId, "task-3"));
    await assert.rejects(refused, (error) => error instanceof GatewayError && error.code === "insufficient_balance");
  });
});
