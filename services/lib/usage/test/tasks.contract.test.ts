import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import { type Backend, startBackend } from "@uag/harness/backend";
import { replica } from "@uag/harness/replica";
import { waitFor } from "@uag/harness/testing/wait-for";
import { type EnvelopeServiceServer, EnvelopeServiceService } from "@uag/proto/billing/v1/envelopes.ts";
import { type KeyServiceServer, KeyServiceService } from "@uag/proto/billing/v1/keys.ts";
import { createRpcClient } from "@uag/runtime/rpc/client";
import { insecure } from "@uag/runtime/rpc/identity";
import { purseOf } from "../src/wallet/account.ts";
import { request, settlement, taskBill, taskOf } from "./harness.ts";

const usd = 1_000_000_000n;
const publish = { gatherMs: 20, confirmMs: 50 };

describe("tasks that outlive the process that started them", () => {
  let backend: Backend;
  const resources = new AsyncDisposableStack();

  before(async () => {
    backend = resources.use(await startBackend());
  });
  after(() => resources.disposeAsync());

  const moneyOf = async (id: string) => {
    const { availableNanoUsd, heldNanoUsd, chargedNanoUsd } = await backend.accounts.getAccount({ id });
    return { available: availableNanoUsd, held: heldNanoUsd, charged: chargedNanoUsd };
  };

  test("holds exactly the price once per task, whichever process asks, and any process settles it once, however often it is called", async () => {
    const accountId = await backend.account(10n * usd);
    const requested = taskOf(accountId, "task-1", usd);
    let grantId = "";
    {
      await using first = await replica(backend.env, { publish });
      ({ id: grantId } = await first.admitTask(requested));
      assert.equal(await first.findTaskGrant(requested), grantId);
    }
    assert.deepEqual(await moneyOf(accountId), { available: 9n * usd, held: usd, charged: 0n });
    await using second = await replica(backend.env, { publish });
    await using third = await replica(backend.env, { publish });
    assert.equal(await second.findTaskGrant(requested), grantId);
    const event = taskBill(requested, grantId, usd / 2n);
    await Promise.all([second.settleTask(event), third.settleTask(event)]);
    await second.settleTask(event);
    await waitFor(async () => (await moneyOf(accountId)).charged > 0n, { what: "the charge" });
    await waitFor(async () => (await moneyOf(accountId)).held === 0n, { what: "the release" });
    assert.deepEqual(await moneyOf(accountId), { available: (19n * usd) / 2n, held: 0n, charged: usd / 2n });
    // Billing charges it before metering stores it.
    await waitFor(async () => (await backend.events(accountId)).length > 0, { what: "the event" });
    assert.equal((await backend.events(accountId)).length, 1);
    assert.deepEqual((await backend.ledger.audit({})).violations, []);
  });

  test("a failed task costs nothing, and its hold is released before its bill arrives", async () => {
    const accountId = await backend.account(usd);
    await using only = await replica(backend.env, { publish });
    const requested = taskOf(accountId, "task-2", usd);
    const { id: grantId } = await only.admitTask(requested);
    await only.settleTask(taskBill(requested, grantId, 0n));
    assert.deepEqual(await moneyOf(accountId), { available: usd, held: 0n, charged: 0n });
  });

  test("reports what an envelope leaves beyond a task's grant, and for a request that costs nothing", async () => {
    const accountId = await backend.account(10n * usd);
    const address = backend.env["BILLING"] as string;
    using keys = createRpcClient<KeyServiceServer>(KeyServiceService, address, insecure);
    using envelopes = createRpcClient<EnvelopeServiceServer>(EnvelopeServiceService, address, insecure);
    const { key } = await keys.createKey({ accountId, name: "", models: [], limits: undefined, expiresAtMs: 0n });
    const rootKeyId = key?.id ?? "";
    const { envelope } = await envelopes.createEnvelope({
      scope: { accountId, keyId: rootKeyId },
      amountNanoUsd: 3n * usd,
      ttlSeconds: 600,
      models: [],
      parentId: "",
      name: "",
      requestId: "",
    });
    assert.ok(envelope !== undefined);
    const requested = taskOf(accountId, "task-4", usd);
    const caller = { ...requested.caller, keyId: envelope.keyId, rootKeyId, budgetIds: [envelope.id] };
    await using only = await replica(backend.env, { publish });
    const task = { ...requested, caller, purse: purseOf(caller) };
    const grant = await only.admitTask(task);
    assert.equal(grant.envelopeRemaining, 2n * usd);
    const free = await only.admit({ ...request(accountId, "free", 0n), caller });
    await waitFor(async () => free.envelopeRemaining === 2n * usd, { what: "billing's report" });
    await free.settle(settlement(0n));
    await only.settleTask(taskBill(task, grant.id, usd));
    const large = only.admitTask({ ...task, requestId: "task-5", holdNanoUsd: 2n * usd + 1n });
    await assert.rejects(large, (error) => error instanceof GatewayError && error.code === "envelope_exhausted");
  });

  test("refuses a task that the balance does not cover", async () => {
    const accountId = await backend.account(usd - 1n);
    await using only = await replica(backend.env, { publish });
    const refused = only.admitTask(taskOf(accountId, "task-3", usd));
    await assert.rejects(refused, (error) => error instanceof GatewayError && error.code === "insufficient_balance");
  });
});
