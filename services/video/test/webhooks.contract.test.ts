import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "node:test";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import { scratchDatabase } from "@uag/harness/scratch-database";
import { waitFor } from "@uag/harness/testing/wait-for";
import {
  type NotificationServiceServer,
  NotificationServiceService,
  type SendWebhookRequest,
} from "@uag/proto/notifications/v1/notifications.ts";
import { createLogger } from "@uag/runtime/log";
import { insecure } from "@uag/runtime/rpc/identity";
import { type Handlers, serveRpc, unaryService } from "@uag/runtime/rpc/server";
import { startProvider, type TestProvider } from "./provider.ts";
import { order, type Replica, startReplica, TestBooks } from "./support.ts";

/** The notifications service as video sees it. */
class TestNotifications {
  readonly sent: SendWebhookRequest[] = [];
  /** Refuses every webhook while set. */
  isAway = false;
  refused = 0;

  async serve(resources: AsyncDisposableStack): Promise<string> {
    const handlers = {
      sendWebhook: async (request: SendWebhookRequest) => {
        if (this.isAway) {
          this.refused++;
          throw new GatewayError("service_unavailable");
        }
        this.sent.push(request);
        return {};
      },
    } as unknown as Handlers<NotificationServiceServer>;
    const log = createLogger({ service: "notifications-test", level: "silent" });
    const services = [unaryService<NotificationServiceServer>(NotificationServiceService, handlers, log)];
    const server = await serveRpc({ host: "127.0.0.1", port: 0, identity: insecure, services });
    return `127.0.0.1:${resources.use(server).port}`;
  }
}

const webhookUrl = "https://example.com/hook?token=hidden";

describe("has the webhook of an ended task sent", () => {
  let perTest: AsyncDisposableStack;
  let provider: TestProvider;
  let notifications: TestNotifications;
  let books: TestBooks;
  let replica: Replica;

  beforeEach(async () => {
    perTest = new AsyncDisposableStack();
    const at = perTest.use(scratchDatabase());
    provider = perTest.use(await startProvider());
    notifications = new TestNotifications();
    books = new TestBooks();
    const env = { NOTIFICATIONS_ADDR: await notifications.serve(perTest) };
    replica = perTest.use(await startReplica({ at, books, providers: [provider.url], env }));
  });
  afterEach(() => perTest.disposeAsync());

  const submit = async (): Promise<string> => {
    const response = await replica.call("videos.generations", order({ webhook_url: webhookUrl }));
    assert.equal(response.status, 202, response.text);
    return response.json<{ id: string }>().id;
  };

  for (const [word, status] of [
    ["SUCCEEDED", "succeeded"],
    ["FAILED", "failed"],
    ["CANCELED", "cancelled"],
    ["UNKNOWN", "expired"],
  ] as const) {
    test(`notifications gets a task that is ${status} once, as its owner sees it`, async () => {
      const id = await submit();
      for (const task of provider.tasks.values()) task.word = word;
      await waitFor(() => books.open.length === 0 && notifications.sent.length > 0, { what: "the webhook" });
      const [{ body, ...webhook }] = notifications.sent as [SendWebhookRequest];
      const { type, timestamp, data } = JSON.parse(body);
      assert.deepEqual(
        { ...webhook, taskIds: webhook.taskIds.at(-1) },
        { id: webhook.id, accountId: "acct_1", taskIds: id, type: `video.generation.${status}`, url: webhookUrl },
      );
      assert.match(webhook.id, /^msg_[0-9a-f]{32}$/);
      assert.equal(type, webhook.type);
      assert.ok(Math.abs(Date.parse(timestamp) - Date.now()) < 60_000);
      assert.deepEqual(data, (await replica.call("videos.get", undefined, { id })).json());
      assert.equal(notifications.sent.length, 1);
    });
  }

  test("a task is billed once while notifications is unreachable, and its webhook is sent afterwards", async () => {
    notifications.isAway = true;
    await submit();
    for (const task of provider.tasks.values()) task.word = "SUCCEEDED";
    await waitFor(() => books.open.length === 0 && notifications.refused > 0, { what: "the bill" });
    notifications.isAway = false;
    await waitFor(() => notifications.sent.length > 0, { what: "the webhook" });
    assert.equal(books.repeats, 0);
    assert.match(await replica.metrics(), /uag_video_background_failures_total\{work="webhook",[^}]*\} [1-9]/);
  });

  test("a webhook is sent while billing is unreachable, and repeated with the bill under the same id", async () => {
    books.away = true;
    await submit();
    for (const task of provider.tasks.values()) task.word = "SUCCEEDED";
    await waitFor(() => notifications.sent.length > 0, { what: "the webhook" });
    books.away = false;
    await waitFor(() => books.open.length === 0, { what: "the bill" });
    assert.equal(new Set(notifications.sent.map(({ id }) => id)).size, 1);
  });

  test("rejects a webhook URL in a private network at submission, without a task", async () => {
    for (const host of ["localhost", "LOCALHOST.", "[::1]", "10.0.0.1"]) {
      const response = await replica.call("videos.generations", order({ webhook_url: `https://${host}:8443/hook` }));
      assert.equal(response.status, 400, `${host}: ${response.text}`);
      assert.equal(response.json<{ error: { param: string } }>().error.param, "webhook_url");
    }
    assert.equal(provider.tasks.size, 0);
  });
});
