import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import { type Backend, startBackend } from "@uag/harness/backend";
import { replica } from "@uag/harness/replica";
import { request, settlement } from "./harness.ts";

async function counted(backend: Backend, name: string): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${backend.billing.adminPort}/metrics`)).text();
  return Number(new RegExp(`^${name}\\{[^}]*\\} (\\d+)$`, "m").exec(text)?.[1]);
}

test("three replicas spend one account at full rate: all affordable requests are admitted, none is refused before, and few transactions conflict", async (t) => {
  await using backend = await startBackend();
  const [hold, workers] = [1_000_000n, 24];
  const affordable = 6_000;
  const account = await backend.account(BigInt(affordable) * hold);
  let [calls, admitted, refused] = [0, 0, 0];
  {
    const publish = { gatherMs: 20, confirmMs: 200 };
    await using stack = new AsyncDisposableStack();
    const open = async () => stack.use(await replica(backend.env, { publish, stopMs: 60_000 }));
    const replicas = [await open(), await open(), await open()];
    const worker = async (at: number): Promise<void> => {
      for (;;) {
        try {
          const mine = await replicas[at % replicas.length]!.admit(request(account, `r${calls++}`, hold));
          admitted++;
          await mine.flushStarted();
          await mine.settle(settlement(hold));
        } catch (error) {
          assert.ok(error instanceof GatewayError, String(error));
          // After a pause of the whole machine billing may not have responded in time.
          if (error.code === "service_unavailable") {
            await sleep(50);
            continue;
          }
          assert.equal(error.code, "insufficient_balance", String(error));
          // Requests of the other workers may be in flight.
          assert.ok(admitted > affordable - workers, `refused after ${admitted}`);
          refused++;
          return;
        }
      }
    };
    await Promise.all(Array.from({ length: workers }, (_, at) => worker(at)));
  }
  assert.deepEqual([admitted, refused], [affordable, workers]);
  const { chargedNanoUsd, availableNanoUsd, heldNanoUsd } = await settledAccount(backend, account);
  assert.deepEqual([chargedNanoUsd, availableNanoUsd, heldNanoUsd], [BigInt(affordable) * hold, 0n, 0n]);
  assert.deepEqual((await backend.ledger.audit({})).violations, []);
  const retries = await counted(backend, "uag_billing_transaction_retries_total");
  const committed = await counted(backend, "uag_billing_transactions_total");
  t.diagnostic(`${retries} of ${committed} transactions ran again`);
  assert.ok(committed > 10 && retries <= committed / 100, `${retries} of ${committed}`);
});

/** The account once all replicas have stopped, which they do when all of their usage is applied. */
async function settledAccount(backend: Backend, id: string) {
  return await backend.accounts.getAccount({ id });
}
