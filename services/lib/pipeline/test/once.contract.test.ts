import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import { waitFor } from "@uag/harness/testing/wait-for";
import { newId } from "@uag/runtime/ids";
import { keyringOf } from "@uag/runtime/keyring";
import { createConnection } from "mongoose";
import { ResponseBox } from "../src/idempotency/response-box.ts";
import { type MongoGate, startMongoGate } from "./mongo-gate.ts";
import {
  lapseRuns,
  type ReceivedResponse,
  type Replica,
  type ReplicaOptions,
  startReplica,
  TestBooks,
} from "./once-backend.ts";

const url = process.env["TEST_MONGODB_URL"] ?? "";
const leaseMs = 500;

describe("under an idempotency key a request is billed at most once", () => {
  const resources = new AsyncDisposableStack();
  const database = `test_${newId("once").replaceAll(/[^A-Za-z0-9]/g, "")}`;
  let gate: MongoGate;
  let books: TestBooks;
  let keys = 0;
  let key: string;

  before(async () => {
    if (url === "") throw new Error('Set TEST_MONGODB_URL to a running replica set, or run "npm test".');
    resources.defer(async () => {
      const connection = await createConnection(url, { dbName: database }).asPromise();
      await connection.dropDatabase();
      await connection.close();
    });
    gate = resources.use(await startMongoGate(url));
  });
  after(() => resources.disposeAsync());
  beforeEach(() => {
    gate.open();
    books = new TestBooks();
    key = `key-${keys++}`;
  });

  const replica = (more: Partial<ReplicaOptions> = {}): Promise<Replica> =>
    startReplica({ url: gate.url, database, books, leaseMs, ...more });
  /** Retries until the response is not a transient failure. */
  const insist = async (at: Replica): Promise<ReceivedResponse> => {
    for (;;) {
      const response = await at.call(key);
      if (response.header("x-should-retry") !== "true") return response;
      await sleep(50);
    }
  };

  test("MongoDB is unreachable when a key is claimed: responds 503, and nothing runs", async () => {
    await using one = await replica();
    gate.close();
    const refused = await one.call(key);
    assert.equal(refused.status, 503);
    assert.ok(Number(refused.header("retry-after")) >= 1);
    assert.equal(one.received(), 0);
    gate.open();
    assert.equal((await insist(one)).text, "answer");
    assert.deepEqual(books.costs, [1_000n]);
  });

  test("MongoDB becomes unreachable before the start is recorded: no upstream is called, and the next request runs", async () => {
    await using one = await replica();
    const { admit } = books.admission;
    Object.assign(books.admission, {
      admit: async (request: Parameters<typeof admit>[0]) => {
        gate.close();
        return admit(request);
      },
    });
    assert.equal((await one.call(key)).status, 503);
    assert.equal(one.received(), 0);
    Object.assign(books.admission, { admit });
    gate.open();
    assert.equal((await insist(one)).text, "answer");
    assert.equal(one.received(), 1);
    assert.deepEqual(books.costs, [1_000n]);
  });

  test("MongoDB is unreachable for longer than the lease while a request runs: no second run begins, and the response is stored", async () => {
    await using one = await replica();
    await using other = await replica();
    const gateway = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    one.upstream = async () => {
      gate.close();
      begun.resolve();
      await sleep(leaseMs * 3);
      gate.open();
      await gateway.promise;
      return { status: 200, text: "late", costNanoUsd: 5n };
    };
    const first = one.call(key);
    await begun.promise;
    await waitFor(
      async () => {
        const { status, text } = await other.call(key);
        assert.ok(status === 503 || text.includes("idempotency_in_progress"), text);
        return status === 409;
      },
      { what: "MongoDB is back" },
    );
    gateway.resolve();
    assert.equal((await first).text, "late");
    const again = await insist(other);
    assert.deepEqual([again.text, again.header("idempotent-replayed")], ["late", "true"]);
    assert.equal(other.received(), 0);
    assert.deepEqual(books.costs, [5n]);
  });

  test("MongoDB is unreachable for longer than the lease when the response should be stored: no client gets a receipt, and the response is stored once MongoDB is back", async () => {
    // As in production, longer than the driver may take to find its server again.
    const longLeaseMs = 60_000;
    await using one = await replica({ leaseMs: longLeaseMs });
    await using other = await replica({ url, leaseMs: longLeaseMs });
    one.upstream = async () => {
      gate.close();
      return { status: 200, text: "kept later", costNanoUsd: 7n };
    };
    assert.equal((await one.call(key)).text, "kept later");
    await lapseRuns({ url, database });
    assert.match((await other.call(key)).text, /idempotency_in_progress/);
    gate.open();
    assert.equal((await insist(other)).text, "kept later");
    assert.equal(other.received(), 0);
    assert.deepEqual(books.costs, [7n]);
  });

  test("a process dies before its response is stored: the client gets the receipt, and nothing runs again", async () => {
    await using other = await replica({ url });
    {
      await using one = await replica();
      one.upstream = async () => {
        gate.close();
        return { status: 200, text: "gone", costNanoUsd: 9_000_000n };
      };
      await one.call(key);
    }
    const [requestId] = [...books.bills.keys()];
    const lost = await insist(other);
    assert.equal(lost.status, 409);
    assert.match(lost.text, /idempotency_result_lost/);
    assert.equal(lost.header("x-gateway-billed-request-id"), requestId);
    assert.equal(lost.header("x-gateway-cost-usd"), "0.009000000");
    assert.equal(lost.header("x-should-retry"), "false");
    assert.equal((await other.call(key)).text, lost.text);
    assert.equal(other.received(), 0);
  });

  test("a process dies during its upstream call: later requests wait for the bill, and run only if nothing is owed", async () => {
    await using other = await replica({ url });
    const hanging = Promise.withResolvers<never>();
    hanging.promise.catch(() => {});
    let requestId = "";
    {
      await using one = await replica({ renewMs: 60_000 });
      one.upstream = (exchange) => {
        requestId = exchange.requestId;
        return hanging.promise;
      };
      one.call(key).catch(() => {});
      await waitFor(async () => one.received() === 1, { what: "the upstream call" });
    }
    for (const _ of ["the lease ran out", "the lease ran out again, and there is no bill"]) {
      await sleep(leaseMs * 2);
      assert.match((await other.call(key)).text, /idempotency_in_progress/);
    }
    const bill = { ...([...books.bills.values()][0] as never as object), costNanoUsd: 0n, pricing: 1 };
    books.bills.set(requestId, bill as never);
    assert.equal((await other.call(key)).text, "answer");
    assert.deepEqual(books.costs, [1_000n]);
    hanging.reject(new Error("the test is over"));
  });

  test("does not run a billed request again, even if its response was a transient failure", async () => {
    await using one = await replica();
    one.upstream = async () => ({ status: 502, text: "interrupted", costNanoUsd: 11n });
    assert.equal((await one.call(key)).status, 502);
    const again = await one.call(key);
    assert.match(again.text, /idempotency_result_lost/);
    assert.equal(one.received(), 1);
  });

  test("a bill that the disk refuses appears in a receipt only if it is charged later; otherwise the next request runs", async () => {
    await using one = await replica();
    books.full = true;
    assert.equal((await one.call(key)).status, 503);
    books.full = false;
    const again = await insist(one);
    assert.deepEqual([again.status, again.text], [200, "answer"]);
    assert.deepEqual(books.costs, [1_000n]);
    key = `key-${keys++}`;
    one.stream = true;
    books.full = true;
    assert.equal((await one.call(key)).status, 503);
    books.full = false;
    const receipt = await insist(one);
    assert.deepEqual([receipt.status, receipt.header("x-gateway-cost-usd")], [409, "0.000001000"]);
    assert.deepEqual([one.received(), books.costs], [3, [1_000n, 1_000n]]);
  });

  test("a run that was taken over while its process was paused calls no upstream", async () => {
    await using one = await replica({ leaseMs: 60_000, renewMs: 60_000 });
    await using other = await replica();
    const { admit } = books.admission;
    const waking = Promise.withResolvers<void>();
    let admissions = 0;
    Object.assign(books.admission, {
      admit: async (request: Parameters<typeof admit>[0]) => {
        if (++admissions === 1) await waking.promise;
        return admit(request);
      },
    });
    const first = one.call(key);
    await waitFor(async () => admissions === 1, { what: "admission of the first run" });
    await lapseRuns({ url, database });
    assert.equal((await insist(other)).text, "answer");
    waking.resolve();
    assert.match((await first).text, /idempotency_in_progress/);
    assert.equal(one.received(), 0);
    assert.deepEqual(books.costs, [1_000n]);
    assert.equal((await one.call(key)).text, "answer");
  });

  test("of concurrent requests to several replicas one runs, and all get its response", async () => {
    const replicas = await Promise.all(Array.from({ length: 3 }, () => replica()));
    await using all = new AsyncDisposableStack();
    for (const one of replicas) {
      all.use(one);
      one.upstream = async () => {
        await sleep(leaseMs * 2);
        return { status: 200, text: "once", costNanoUsd: 3n };
      };
    }
    const responses = await Promise.all(replicas.flatMap((one) => [insist(one), insist(one)]));
    assert.deepEqual([...new Set(responses.map(({ text }) => text))], ["once"]);
    assert.deepEqual(books.costs, [3n]);
  });

  test("a replay counts toward its key's limits and reports their current state", async () => {
    await using one = await replica();
    assert.equal((await one.call(key)).header("x-ratelimit-remaining-requests"), "9");
    const operations: string[] = [];
    const { admitFree } = one;
    one.admitFree = (request) => {
      operations.push(request.operation);
      return admitFree(request);
    };
    const again = await one.call(key);
    assert.deepEqual([again.text, again.header("x-ratelimit-remaining-requests")], ["answer", "7"]);
    assert.deepEqual(operations, ["embeddings"]);
    one.admitFree = () => {
      throw new GatewayError("rate_limit_exceeded", undefined, { retryAfterMs: 5_000 });
    };
    const refused = await one.call(key);
    assert.deepEqual([refused.status, refused.header("retry-after")], [429, "5"]);
  });

  test("does not replay a response to a key that may no longer use its model", async () => {
    await using one = await replica();
    assert.equal((await one.call(key, { models: ["m"] })).text, "answer");
    const refused = await one.call(key, { models: ["another"] });
    assert.deepEqual([refused.status, /model_not_found/.test(refused.text)], [400, true]);
    assert.equal((await one.call(key, { models: ["m"] })).text, "answer");
  });

  test("never replays a response to another API key of the same account", async () => {
    await using one = await replica();
    await one.call(key);
    const other = await one.call(key, { keyId: "another" });
    assert.equal(other.header("idempotent-replayed"), undefined);
    assert.equal(one.received(), 2);
  });

  test("encrypts stored responses, and gives the client the receipt when their encryption key is gone", async () => {
    await using one = await replica();
    one.upstream = async () => ({ status: 200, text: "a secret between two", costNanoUsd: 4n });
    await one.call(key);
    const connection = await createConnection(url, { dbName: database }).asPromise();
    const rows = await Promise.all(["runs", "answers"].map((name) => connection.collection(name).find({}).toArray()));
    await connection.close();
    assert.equal(JSON.stringify(rows).includes(Buffer.from("a secret").toString("base64").slice(0, 8)), false);
    await using other = await replica({ box: new ResponseBox(keyringOf("77".repeat(32))) });
    assert.match((await other.call(key)).text, /idempotency_result_lost/);
    assert.equal(other.received(), 0);
    assert.equal((await one.call(key)).text, "a secret between two");
  });

  test("bills a request once even if no responses are stored", async () => {
    await using one = await replica({ box: undefined });
    assert.equal((await one.call(key)).text, "answer");
    assert.match((await one.call(key)).text, /idempotency_result_lost/);
    assert.deepEqual(books.costs, [1_000n]);
  });
});
