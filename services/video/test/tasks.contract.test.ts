import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "node:test";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import { scratchDatabase } from "@uag/harness/scratch-database";
import { waitFor } from "@uag/harness/testing/wait-for";
import { Outcome, Pricing } from "@uag/proto/metering/v1/usage.ts";
import { createConnection } from "mongoose";
import { type ProviderTask, startProvider, type TestProvider } from "./provider.ts";
import { order, type Replica, startReplica, TestBooks } from "./support.ts";

interface View {
  readonly id: string;
  readonly status: string;
  readonly [field: string]: unknown;
}

describe("video tasks", () => {
  let at: { url: string; database: string };
  let provider: TestProvider;
  let books: TestBooks;
  let replica: Replica;
  let perTest: AsyncDisposableStack;

  beforeEach(async () => {
    perTest = new AsyncDisposableStack();
    at = perTest.use(scratchDatabase());
    provider = perTest.use(await startProvider());
    books = new TestBooks();
    replica = perTest.use(await startReplica({ at, books, providers: [provider.url] }));
  });
  afterEach(() => perTest.disposeAsync());

  const submit = async (more?: object, options?: Parameters<Replica["call"]>[2]): Promise<View> => {
    const response = await replica.call("videos.generations", order(more), options);
    assert.equal(response.status, 202, response.text);
    return response.json<View>();
  };
  const get = async (id: string): Promise<View> => (await replica.call("videos.get", undefined, { id })).json<View>();
  const reaches = (id: string, status: string): Promise<true> =>
    waitFor(async () => (await get(id)).status === status, { what: `${id} to be ${status}` });
  const onlyTask = (): ProviderTask => {
    assert.equal(provider.tasks.size, 1);
    return [...provider.tasks.values()][0] as ProviderTask;
  };
  const changeTask = async (id: string, update: object): Promise<void> => {
    const connection = await createConnection(at.url, { dbName: at.database }).asPromise();
    const { matchedCount } = await connection.collection("tasks").updateOne({ ids: id }, update);
    assert.equal(matchedCount, 1);
    await connection.close();
  };
  /** Leaves a task as if its process had died before the provider's id was stored. */
  const loseProcess = async (requestId: string): Promise<View> => {
    const task = await submit({}, { requestId });
    const unset = { upstreamId: 1, grantId: 1 };
    // The claim excludes a poll that is in progress.
    await changeTask(task.id, { $set: { dueAt: new Date(), misses: 0, claim: "lost" }, $unset: unset });
    return task;
  };
  const billOf = (requestId: string) => books.bills.get(requestId);

  test("a submission with an envelope's key states what remains, and neither a repeated one nor another key's does", async () => {
    const remaining = async (key: string) => {
      const response = await replica.call("videos.generations", order(), { headers: ["idempotency-key", key] });
      assert.equal(response.status, 202, response.text);
      return response.header("x-gateway-envelope-remaining-usd");
    };
    assert.equal(await remaining("one"), undefined);
    books.envelopeRemaining = 1_500_000_000n;
    assert.equal(await remaining("two"), "1.500000000");
    assert.equal(await remaining("two"), undefined);
  });

  test("a task moves from submitted through queued and running to succeeded, and is billed by the provider's count", async () => {
    const submitted = await submit();
    assert.deepEqual(Object.keys(submitted).sort(), ["created_at", "id", "model", "object", "status"]);
    assert.equal(submitted.status, "submitted");
    await reaches(submitted.id, "queued");
    const task = onlyTask();
    task.word = "RUNNING";
    await reaches(submitted.id, "running");
    assert.deepEqual(books.open, [task.requestId]);
    assert.equal(books.grants.get(task.requestId)?.holdNanoUsd, 500_000_000n);
    task.word = "SUCCEEDED";
    await reaches(submitted.id, "succeeded");
    const done = await get(submitted.id);
    assert.deepEqual(done["content"], { video_url: `https://video.example/${task.id}.mp4` });
    assert.deepEqual(done["usage"], { duration: 5, SR: 720, video_count: 1, resolution: "720p" });
    assert.equal(done["upstream_status"], "SUCCEEDED");
    await waitFor(() => books.open.length === 0, { what: "the bill" });
    const bill = billOf(task.requestId);
    assert.deepEqual([bill?.costNanoUsd, bill?.outcome], [500_000_000n, Outcome.COMPLETED]);
    assert.deepEqual(JSON.parse(Buffer.from(bill?.rawUsage ?? []).toString()), {
      duration: 5,
      SR: 720,
      video_count: 1,
    });
    assert.equal(bill?.grantId, `gr_${task.requestId}`);
  });

  test("a failed task costs nothing and reports the reason", async () => {
    const { id } = await submit();
    onlyTask().word = "FAILED";
    await reaches(id, "failed");
    assert.deepEqual((await get(id))["error"], { code: "failed", message: "It went wrong." });
    await waitFor(() => books.open.length === 0, { what: "the bill" });
    assert.deepEqual(
      [...books.bills.values()].map((bill) => [bill.costNanoUsd, bill.outcome]),
      [[0n, Outcome.FAILED]],
    );
  });

  test("a task that the provider has deleted expires", async () => {
    const { id } = await submit();
    onlyTask().word = "UNKNOWN";
    await reaches(id, "expired");
    await waitFor(() => books.open.length === 0, { what: "the release" });
  });

  test("failed polls do not end a task", async () => {
    const { id } = await submit();
    provider.poll = "error";
    const task = onlyTask();
    const before = task.polls;
    await waitFor(() => task.polls > before + 3, { what: "more polls" });
    assert.match((await get(id)).status, /submitted|queued/);
    provider.poll = "ok";
    task.word = "SUCCEEDED";
    await reaches(id, "succeeded");
  });

  test("a request that waits for the task's end gets it with 200", async () => {
    const waiting = replica.call("videos.generations", order({ wait: 20 }));
    await waitFor(() => provider.tasks.size === 1, { what: "the task" });
    onlyTask().word = "SUCCEEDED";
    const response = await waiting;
    assert.equal(response.status, 200);
    assert.equal(response.json<View>().status, "succeeded");
    const tooShort = await replica.call("videos.generations", order(), { headers: ["prefer", "wait=0"] });
    assert.equal(tooShort.status, 202);
  });

  test("another account's task is reported as nonexistent", async () => {
    const { id } = await submit();
    const texts = new Set<string>();
    for (const options of [
      { id, accountId: "acct_2" },
      { id: "01a1fd78-c9d0-721f-85d1-76bd17f83080" },
      { id: "cgt-20260101000000-aaaaa" },
      { id: encodeURIComponent('{"$ne":1}') },
      { id: "x".repeat(10_000) },
      { id: "%E0%A4%A" },
    ]) {
      for (const operation of ["videos.get", "videos.cancel"]) {
        const response = await replica.call(operation, undefined, options);
        assert.equal(response.status, 404);
        texts.add(response.text);
      }
    }
    assert.equal(texts.size, 1);
  });

  test("cancels a queued task at the provider, at no cost", async () => {
    const { id } = await submit();
    const response = await replica.call("videos.cancel", undefined, { id });
    assert.deepEqual([response.status, response.json<View>().status], [200, "cancelled"]);
    assert.equal(onlyTask().word, "CANCELED");
    await waitFor(() => books.open.length === 0, { what: "the release" });
    assert.equal((await replica.call("videos.cancel", undefined, { id })).json<View>().status, "cancelled");
  });

  test("a running task cannot be cancelled and continues; cancelling a finished one returns its state", async () => {
    const { id } = await submit();
    onlyTask().word = "RUNNING";
    assert.equal((await replica.call("videos.cancel", undefined, { id })).status, 400);
    onlyTask().word = "SUCCEEDED";
    const response = await replica.call("videos.cancel", undefined, { id });
    assert.deepEqual([response.status, response.json<View>().status], [200, "succeeded"]);
  });

  test("lists an account's tasks newest first, page by page", async () => {
    const accountId = "acct_list";
    const ids: string[] = [];
    for (let n = 0; n < 5; n++) ids.unshift((await submit({}, { accountId })).id);
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const query: string = `?limit=2${cursor === null ? "" : `&cursor=${cursor}`}`;
      const page = (await replica.call("videos.list", undefined, { accountId, query })).json<{
        data: View[];
        next_cursor: string | null;
      }>();
      seen.push(...page.data.map(({ id }) => id));
      cursor = page.next_cursor;
    } while (cursor !== null);
    assert.deepEqual(seen, ids);
    const none = await replica.call("videos.list", undefined, { accountId, query: "?status=succeeded" });
    assert.deepEqual(none.json<{ data: View[] }>().data, []);
    for (const query of ["?limit=0", "?limit=many", "?status=weird", "?cursor=%7B%7D"])
      assert.equal((await replica.call("videos.list", undefined, { accountId, query })).status, 400, query);
  });

  test("an invalid request, or one that the balance does not cover, leaves no task and no hold", async () => {
    const accountId = "acct_nothing";
    const bad = await replica.call("videos.generations", order({ duration: 1e9 }), { accountId });
    assert.equal(bad.status, 400);
    books.refuse = new GatewayError("insufficient_balance");
    assert.equal((await replica.call("videos.generations", order(), { accountId })).status, 402);
    const list = await replica.call("videos.list", undefined, { accountId });
    assert.deepEqual(list.json<{ data: View[] }>().data, []);
    assert.equal(provider.tasks.size, 0);
    assert.equal(books.grants.size, 0);
  });

  test("rejects a webhook URL that may not be called", async () => {
    for (const webhookUrl of [
      "http://example.com/",
      "https://127.0.0.1/",
      "https://[::1]/",
      "nonsense",
      "https://a:b@example.com/",
    ])
      assert.equal(
        (await replica.call("videos.generations", order({ webhook_url: webhookUrl }))).status,
        400,
        webhookUrl,
      );
  });

  test("a refusal by the provider is reported with its message, costs nothing and leaves no task", async () => {
    const accountId = "acct_refused";
    provider.create = "invalid";
    const response = await replica.call("videos.generations", order(), { accountId });
    assert.equal(response.status, 400);
    assert.match(response.text, /The prompt is not nice/);
    provider.create = "unauthorized";
    const ours = await replica.call("videos.generations", order(), { accountId });
    assert.equal(ours.status, 502);
    assert.doesNotMatch(ours.text, /API-key/);
    await waitFor(() => books.open.length === 0 && books.bills.size === 2, { what: "the release" });
    const list = await replica.call("videos.list", undefined, { accountId });
    assert.deepEqual(list.json<{ data: View[] }>().data, []);
  });

  for (const mode of ["lost", "hang"] as const) {
    test(`finds a task whose response was lost (${mode}) and never creates it twice`, async () => {
      provider.create = mode;
      const { id } = await submit({ input: { prompt: `lost by ${mode}` } });
      provider.create = "ok";
      const task = onlyTask();
      task.word = "SUCCEEDED";
      await reaches(id, "succeeded");
      assert.equal(provider.tasks.size, 1);
      await waitFor(() => books.open.length === 0, { what: "the bill" });
      assert.equal(billOf(task.requestId)?.costNanoUsd, 500_000_000n);
    });
  }

  test("a task that a broken proxy may have forwarded, and no provider has, fails and costs nothing", async () => {
    provider.create = "broken";
    const { id } = await submit();
    await reaches(id, "failed");
    assert.equal(provider.tasks.size, 0);
    await waitFor(() => books.open.length === 0, { what: "the release" });
    assert.deepEqual(
      [...books.bills.values()].map(({ costNanoUsd }) => costNanoUsd),
      [0n],
    );
  });

  for (const code of ["insufficient_balance", "budget_exceeded", "unpaid_usage", "already_exists"] as const) {
    test(`charges a lost task to its account when its grant is refused with ${code}`, async () => {
      books.refuseGrants = new GatewayError(code);
      const requestId = `req_${code}`;
      // Its hold was never confirmed, and the process died after the provider had the task.
      const { id } = await loseProcess(requestId);
      onlyTask().word = "SUCCEEDED";
      await reaches(id, "succeeded");
      await waitFor(() => books.bills.size > 0, { what: "the bill" });
      assert.deepEqual([billOf(requestId)?.grantId, billOf(requestId)?.costNanoUsd], ["", 500_000_000n]);
    });
  }

  test("ends a lost task by its deadline when billing never responds", async () => {
    books.refuseGrants = new GatewayError("service_unavailable");
    const { id } = await loseProcess("req_silent");
    provider.tasks.clear();
    await changeTask(id, { $set: { expiresAt: new Date(Date.now() + 500) } });
    await reaches(id, "failed");
    assert.equal(billOf("req_silent")?.costNanoUsd, 0n);
  });

  test("ends a task by its deadline when each of its polls throws", async () => {
    const { id } = await submit();
    await reaches(id, "queued");
    const task = onlyTask();
    // Its bill cannot be computed, from the next claim on.
    await changeTask(id, { $set: { rates: null } });
    const polls = task.polls;
    await waitFor(() => task.polls > polls + 1, { what: "two more polls" });
    task.word = "SUCCEEDED";
    await changeTask(id, { $set: { expiresAt: new Date(Date.now() + 500) } });
    await reaches(id, "expired");
    await waitFor(() => books.open.length === 0, { what: "the release" });
  });

  test("finds a lost task although an older one of its model is still lost", async () => {
    books.refuseGrants = new GatewayError("service_unavailable");
    const stuck = await loseProcess("req_stuck");
    await changeTask(stuck.id, { $set: { createdAt: new Date(Date.now() - 3_600_000) } });
    provider.tasks.clear();
    provider.create = "lost";
    const { id } = await submit();
    provider.create = "ok";
    onlyTask().word = "SUCCEEDED";
    await reaches(id, "succeeded");
  });

  test("charges the hold when a provider reports an implausible length, and leaves the price to an operator", async () => {
    const { id } = await submit();
    const task = onlyTask();
    task.seconds = 9e15;
    task.word = "SUCCEEDED";
    await reaches(id, "succeeded");
    await waitFor(() => books.bills.size === 1, { what: "the bill" });
    const bill = billOf(task.requestId);
    assert.deepEqual([bill?.costNanoUsd, bill?.pricing], [500_000_000n, Pricing.UNPRICED]);
  });

  test("counts a video whose cost exceeds its hold, by provider and model", async () => {
    const { id } = await submit();
    const task = onlyTask();
    task.seconds = 20;
    task.word = "SUCCEEDED";
    await reaches(id, "succeeded");
    await waitFor(() => books.bills.size === 1, { what: "the bill" });
    assert.ok((billOf(task.requestId)?.costNanoUsd ?? 0n) > 500_000_000n);
    assert.match(await replica.metrics(), /uag_cost_above_hold_total\{provider="[^"]+",model="[^"]+",[^}]*\} 1/);
  });

  test("two lost tasks of one model are identified or fail, so that no account gets another's video", async () => {
    provider.create = "lost";
    const one = await submit({ input: { prompt: "one" } }, { accountId: "acct_1" });
    const two = await submit({ input: { prompt: "two" } }, { accountId: "acct_2" });
    for (const task of provider.tasks.values()) task.word = "SUCCEEDED";
    const ended = async (id: string, accountId: string): Promise<View> => {
      let view: View | undefined;
      await waitFor(
        async () => {
          view = (await replica.call("videos.get", undefined, { id, accountId })).json<View>();
          return view["completed_at"] !== undefined;
        },
        { what: "the end" },
      );
      return view as View;
    };
    for (const [view, prompt] of [
      [await ended(one.id, "acct_1"), "one"],
      [await ended(two.id, "acct_2"), "two"],
    ] as const) {
      if (view.status !== "succeeded") continue;
      const url = (view["content"] as { video_url: string }).video_url;
      assert.equal([...provider.tasks.values()].find(({ id }) => url.includes(`${id}.mp4`))?.prompt, prompt);
    }
  });

  test("skips an overloaded provider and tries the next", async () => {
    await using second = await startProvider();
    await using both = await startReplica({ at, books, providers: [provider.url, second.url] });
    provider.create = "overloaded";
    const response = await both.call("videos.generations", order());
    assert.equal(response.status, 202);
    assert.deepEqual([provider.tasks.size, second.tasks.size], [0, 1]);
    for (const task of second.tasks.values()) task.word = "SUCCEEDED";
    await reaches(response.json<View>().id, "succeeded");
  });

  test("a task's bill waits while billing is unreachable, and is then charged once", async () => {
    const { id } = await submit();
    books.away = true;
    onlyTask().word = "SUCCEEDED";
    await reaches(id, "succeeded");
    books.away = false;
    await waitFor(() => books.open.length === 0, { what: "the bill" });
    assert.equal(books.repeats, 0);
  });
});
