import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, test } from "node:test";
import { scratchDatabase } from "@uag/harness/scratch-database";
import { waitFor } from "@uag/harness/testing/wait-for";
import { Webhook } from "standardwebhooks";
import { type Replica, startReplica } from "./support.ts";

interface Arrival {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Responds to each webhook with the next of `statuses`, repeating the last; 0: no response. */
async function startReceiver(statuses: number[], headers: Record<string, string> = {}, responseBody = "") {
  const arrivals: Arrival[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const status = statuses[Math.min(arrivals.length, statuses.length - 1)] ?? 204;
    arrivals.push({ headers: request.headers, body: Buffer.concat(chunks).toString("utf8") });
    if (status === 0) return;
    response.writeHead(status, headers).flushHeaders();
    // A body shorter than announced keeps the response open.
    if (headers["content-length"] === undefined) response.end(responseBody);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    arrivals,
    address,
    url: `http://${address}/hook?token=hidden`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

describe("sends the webhooks of tasks", () => {
  let perTest: AsyncDisposableStack;
  let at: { url: string; database: string };
  let receiver: Awaited<ReturnType<typeof startReceiver>>;
  let replica: Replica;
  const accountId = "acct_1";

  const begin = async (
    statuses: number[],
    more: { env?: NodeJS.ProcessEnv; headers?: Record<string, string>; responseBody?: string } = {},
  ) => {
    receiver = perTest.use(await startReceiver(statuses, more.headers, more.responseBody));
    const env = { EGRESS_ALLOW: receiver.address, ...more.env };
    replica = perTest.use(await startReplica({ at, env }));
  };
  /** Has the webhook of a task sent; returns the task's id. */
  const finish = async (status = "succeeded"): Promise<string> => {
    const task = randomUUID();
    const type = `video.generation.${status}`;
    const body = JSON.stringify({ type, timestamp: new Date().toISOString(), data: { id: task, status } });
    const webhook = { id: `msg_${task}`, accountId, taskIds: [`t_${task}`, task], type, url: receiver.url, body };
    // A process that dies after the call repeats it.
    for (const _ of [1, 2]) await replica.notifications.sendWebhook(webhook);
    return task;
  };
  const deliveries = async () =>
    (await replica.notifications.listDeliveries({ accountId, state: "", taskId: "", alertId: "", page: undefined }))
      .deliveries;
  const reaches = (state: string): Promise<true> =>
    waitFor(async () => (await deliveries())[0]?.state === state, { what: `a delivery that is ${state}` });
  const rotate = (overlapMs = 0n, immediately = false) =>
    replica.notifications.rotateSecret({ accountId, overlapMs, immediately, actor: undefined });

  beforeEach(async () => {
    perTest = new AsyncDisposableStack();
    at = perTest.use(scratchDatabase());
  });
  afterEach(() => perTest.disposeAsync());

  test("sends a webhook once, however often it is requested, with a signature that the official library verifies", async () => {
    await begin([204]);
    const { secret } = await rotate();
    const id = await finish();
    await reaches("delivered");
    assert.equal(receiver.arrivals.length, 1);
    const { headers, body } = receiver.arrivals[0] as Arrival;
    const event = new Webhook(secret).verify(body, headers as Record<string, string>) as Record<string, unknown>;
    assert.deepEqual([event["type"], event["data"]], ["video.generation.succeeded", { id, status: "succeeded" }]);
    assert.equal(headers["webhook-id"], `msg_${id}`);
  });

  test("retries a failed attempt under the same id, and lists every attempt", async () => {
    await begin([500, 503, 200]);
    await finish();
    await reaches("delivered");
    assert.equal(new Set(receiver.arrivals.map(({ headers }) => headers["webhook-id"])).size, 1);
    assert.equal(new Set(receiver.arrivals.map(({ body }) => body)).size, 1);
    const [delivery] = await deliveries();
    assert.deepEqual(
      delivery?.attempts.map(({ status }) => status),
      [500, 503, 200],
    );
    assert.equal(delivery?.url.includes("hidden"), false);
  });

  test("retries a receiver that is slow, unreachable or redirects, and follows no redirect", async () => {
    await using elsewhere = await startReceiver([200]);
    await begin([302, 0, 204], { headers: { location: elsewhere.url }, env: { WEBHOOK_TIMEOUT_MS: "300" } });
    await finish();
    await reaches("delivered");
    assert.equal(elsewhere.arrivals.length, 0);
    assert.deepEqual(
      (await deliveries())[0]?.attempts.map(({ status }) => status),
      [302, 0, 204],
    );
  });

  test("410 ends the attempts, and a replay restarts them under the same id", async () => {
    await begin([410, 204]);
    await finish();
    await reaches("stopped");
    const [delivery] = await deliveries();
    const id = delivery?.id ?? "";
    await replica.notifications.replay({ id });
    await reaches("delivered");
    assert.deepEqual(
      receiver.arrivals.map(({ headers }) => headers["webhook-id"]),
      [id, id],
    );
    await assert.rejects(replica.notifications.replay({ id: "msg_unknown" }), { code: "not_found" });
  });

  test("honours a receiver's retry-after", async () => {
    await begin([429, 204], { headers: { "retry-after": "2" } });
    await finish();
    await reaches("delivered");
    const [first, second] = (await deliveries())[0]?.attempts ?? [];
    assert.ok(Number((second?.atMs ?? 0n) - (first?.atMs ?? 0n)) >= 1_990);
  });

  test("rotating the encryption key loses no secret, even if no webhook was sent meanwhile", async () => {
    const [old, fresh] = ["5a".repeat(32), "7b".repeat(32)];
    await begin([204]);
    const { secret } = await rotate();
    for (const env of [
      { WEBHOOK_KEY: old, WEBHOOK_KEY_PREVIOUS: fresh },
      { WEBHOOK_KEY: fresh, WEBHOOK_KEY_PREVIOUS: old },
      { WEBHOOK_KEY: fresh },
    ]) {
      await replica[Symbol.asyncDispose]();
      await begin([204], { env });
    }
    await finish();
    await reaches("delivered");
    const { headers, body } = receiver.arrivals[0] as Arrival;
    new Webhook(secret).verify(body, headers as Record<string, string>);
  });

  test("stops after the tenth attempt", async () => {
    await begin([500], { env: { WEBHOOK_SCALE: "0.0000001" } });
    await finish();
    await reaches("failed");
    assert.equal(receiver.arrivals.length, 10);
  });

  test("overlapping secrets both sign; a revoked one stops at once", async () => {
    await begin([204]);
    const old = (await rotate()).secret;
    const fresh = (await rotate(60_000n)).secret;
    await finish();
    await reaches("delivered");
    const verify = (secret: string, { headers, body }: Arrival) =>
      new Webhook(secret).verify(body, headers as Record<string, string>);
    const first = receiver.arrivals[0] as Arrival;
    for (const secret of [old, fresh]) verify(secret, first);
    const last = (await rotate(0n, true)).secret;
    await finish();
    await waitFor(() => receiver.arrivals.length === 2, { what: "the second webhook" });
    const second = receiver.arrivals[1] as Arrival;
    verify(last, second);
    for (const secret of [old, fresh]) assert.throws(() => verify(secret, second));
  });

  for (const [what, response] of [
    ["a flood", { responseBody: "x".repeat(5_000_000) }],
    ["a body that never ends", { headers: { "content-length": "1000" } }],
  ] as const) {
    test(`ignores everything in a receiver's response but its status: ${what}`, async () => {
      await begin([200], response);
      await finish();
      await reaches("delivered");
      assert.equal(receiver.arrivals.length, 1);
    });
  }

  test("never calls a webhook URL in a private network", async () => {
    await begin([204], { env: { EGRESS_ALLOW: "", WEBHOOK_SCALE: "0.0000001" } });
    await finish();
    await reaches("failed");
    assert.equal(receiver.arrivals.length, 0);
  });

  test("lists deliveries newest first, by account, state and task, page by page, and shows one with its body", async () => {
    await begin([410, 204]);
    const tasks = [await finish(), await finish("failed"), await finish()];
    const tried = async (): Promise<number> =>
      (await deliveries()).filter(({ attempts }) => attempts.length > 0).length;
    await waitFor(async () => (await tried()) === 3, { what: "three attempts" });
    const pages = async (query: { state?: string; taskId?: string; accountId?: string }, limit: number) => {
      const found = [];
      for (let cursor = ""; ; ) {
        const filter = { accountId, state: "", taskId: "", alertId: "", ...query };
        const page = await replica.notifications.listDeliveries({ ...filter, page: { limit, cursor } });
        found.push(...page.deliveries);
        cursor = page.nextCursor;
        if (cursor === "") return found;
      }
    };
    const all = await pages({}, 1);
    assert.deepEqual(new Set(all.map(({ taskId }) => taskId)), new Set(tasks));
    const times = all.map(({ createdAtMs }) => Number(createdAtMs));
    assert.deepEqual(
      times,
      times.toSorted((a, b) => b - a),
    );
    assert.equal((await pages({ state: "stopped" }, 10)).length, 1);
    assert.equal((await pages({ state: "delivered" }, 1)).length, 2);
    assert.deepEqual(await pages({ accountId: "acct_2" }, 10), []);
    const [one] = await pages({ taskId: tasks[1] ?? "" }, 10);
    const shown = await replica.notifications.getDelivery({ id: one?.id ?? "" });
    assert.equal(JSON.parse(shown.body).data.id, tasks[1]);
    await assert.rejects(replica.notifications.getDelivery({ id: "msg_unknown" }), { code: "not_found" });
    await assert.rejects(pages({ state: "weird" }, 1), { code: "invalid_request" });
    const page = { limit: 1, cursor: "weird" };
    const pending = replica.notifications.listDeliveries({ accountId, state: "", taskId: "", alertId: "", page });
    await assert.rejects(pending, { code: "invalid_request" });
  });

  test("shows a secret once, lists valid secrets without their values, and revokes an earlier one", async () => {
    await begin([204]);
    const actor = { id: "adm_1", name: "$secrets", requestId: "req_1" };
    const first = await replica.notifications.rotateSecret({ accountId, overlapMs: 0n, immediately: false, actor });
    const second = await rotate(60_000n);
    const { secrets } = await replica.notifications.listSecrets({ accountId });
    assert.deepEqual(
      secrets.map(({ id }) => id),
      [second.made?.id, first.made?.id],
    );
    assert.equal(secrets[1]?.createdBy?.name, "$secrets");
    assert.ok(first.secret.endsWith(secrets[1]?.hint ?? "nothing"));
    const text = JSON.stringify(secrets, (_name, value) => (typeof value === "bigint" ? Number(value) : value));
    for (const { secret } of [first, second]) assert.equal(text.includes(secret.slice(6, 20)), false);
    await assert.rejects(replica.notifications.endSecret({ id: second.made?.id ?? "" }), { code: "invalid_request" });
    await replica.notifications.endSecret({ id: first.made?.id ?? "" });
    await assert.rejects(replica.notifications.endSecret({ id: first.made?.id ?? "" }), { code: "not_found" });
    await finish();
    await reaches("delivered");
    const { headers, body } = receiver.arrivals[0] as Arrival;
    assert.equal(String(headers["webhook-signature"]).split(" ").length, 1);
    new Webhook(second.secret).verify(body, headers as Record<string, string>);
    assert.deepEqual((await replica.notifications.listSecrets({ accountId: "acct_2" })).secrets, []);
  });
});
