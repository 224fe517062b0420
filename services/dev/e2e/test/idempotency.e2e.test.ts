import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { callAdmin } from "@uag/harness/fleet/admin-call";
import type { TestClient, TestResponse } from "@uag/harness/fleet/client";
import { faultHits, setFault } from "@uag/harness/fleet/faults";
import { newAccount, newKey } from "@uag/harness/fleet/limited-key";
import { startTestFleet, type TestFleet } from "@uag/harness/fleet/with-fleet";
import { waitFor } from "@uag/harness/testing/wait-for";
import type { CrashPoint } from "@uag/runtime/crash-point";

const completions = "/v1/chat/completions";
const headers = { "idempotency-key": "once" };

function body(text: string): object {
  return { model: "gpt-4o-mini", messages: [{ role: "user", content: text }], max_tokens: 20 };
}

/**
 * Repeats a request under one key, like a client that needs its response, until another attempt
 * cannot help.
 */
async function insist(client: TestClient, text: string): Promise<TestResponse> {
  for (let tries = 0; tries < 300; tries++) {
    const response = await client.post(completions, body(text), { headers }).catch(() => undefined);
    if (response !== undefined && response.headers.get("x-should-retry") !== "true") return response;
    await sleep(200);
  }
  throw new Error("the request got no final response within the attempts");
}

describe("a request resent repeatedly under an Idempotency-Key", () => {
  let fleet: TestFleet;
  const resources = new AsyncDisposableStack();

  before(async () => {
    const dataDir = await mkdtemp(join(tmpdir(), "once-"));
    resources.defer(() => rm(dataDir, { recursive: true, force: true }));
    const services = ["billing", "metering", "chat", "router"];
    fleet = resources.use(await startTestFleet({ dataDir, services, env: { ACK_WAIT_MS: "1500" } }));
  });
  after(() => resources.disposeAsync());

  /** A key's bills with a cost. */
  const billsOf = async (keyId: string) => {
    const report = await fleet.audit();
    assert.deepEqual(report.violations, []);
    return report.books.billed.filter((bill) => bill.keyId === keyId && bill.costNanoUsd > 0n);
  };

  const endings: readonly [point: CrashPoint, hasResponse: boolean][] = [
    ["claimed", true],
    ["journalled", true],
    ["noted", true],
    ["upstream-sent", true],
    ["billed", false],
    ["kept", true],
  ];
  for (const [point, hasResponse] of endings) {
    const what = hasResponse ? "its response" : "its receipt";
    test(`the client gets ${what} and is billed exactly once when chat is killed at "${point}"`, async () => {
      const { client, key } = await newKey(fleet, {});
      await fleet.processes.restart("chat", { CRASH_AT: `${point}:1` });
      const last = await insist(client, point);
      assert.equal(fleet.processes.restarts("chat") > 0, true, "chat was not killed");
      // Until the bill is read from the journal, a recorded crash explains to the audit why it is
      // not in the ledger.
      await waitFor(async () => (await billsOf(key.id)).length > 0, { what: "the bill" });
      const bills = await billsOf(key.id);
      assert.equal(bills.length, 1);
      if (hasResponse) assert.equal(last.status, 200, last.text);
      else {
        assert.equal(last.status, 409, last.text);
        assert.match(last.text, /idempotency_result_lost/);
        assert.equal(last.headers.get("x-gateway-billed-request-id"), bills[0]?.requestId);
      }
      const again = await client.post(completions, body(point), { headers });
      assert.deepEqual([again.status, again.text], [last.status, last.text]);
    });
  }

  test("the client gets its response when MongoDB is killed during the upstream call, and again when MongoDB is back", async () => {
    const { client, key } = await newKey(fleet, {});
    const { simulator_url: simulator } = fleet.run;
    const endFault = await setFault(simulator, { latency: 3_000 });
    const pending = client.post(completions, body("away"), { headers });
    await waitFor(async () => (await faultHits(simulator)) > 0, { what: "the call of the upstream" });
    await fleet.processes.takeDown("mongod");
    const first = await pending;
    assert.equal(first.status, 200, first.text);
    await endFault();
    await fleet.processes.restart("mongod");
    const again = await insist(client, "away");
    assert.deepEqual([again.text, again.headers.get("idempotent-replayed")], [first.text, "true"]);
    // The bill was in the journal while the database was down; a recorded crash explains to the
    // audit why it is not in the ledger yet.
    await waitFor(async () => (await billsOf(key.id)).length > 0);
    assert.equal((await billsOf(key.id)).length, 1);
  });

  test("an account that stores no responses is billed once, and the refusal of a retry explains it", async () => {
    const { client, key } = await newAccount(fleet, 1_000_000_000n);
    const path = `/accounts/${key.accountId}`;
    const changed = await callAdmin<{ keep_answers: boolean }>(fleet.run, "PATCH", path, { keep_answers: false });
    assert.equal(changed.keep_answers, false);
    const first = await client.post(completions, body("secret"), { headers });
    assert.equal(first.status, 200, first.text);
    const again = await client.post(completions, body("secret"), { headers });
    assert.deepEqual([again.status, /idempotency_result_lost/.test(again.text)], [409, true]);
    assert.equal((await billsOf(key.id)).length, 1);
  });
});
