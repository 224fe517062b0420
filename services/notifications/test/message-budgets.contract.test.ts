import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "node:test";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import { scratchDatabase } from "@uag/harness/scratch-database";
import { waitFor } from "@uag/harness/testing/wait-for";
import { connectMongo } from "@uag/mongo/connect";
import type { EnqueueRequest } from "@uag/proto/notifications/v1/notifications.ts";
import { MessageBudget } from "../src/budget.ts";
import { type Replica, startReplica } from "./support.ts";

const hourMs = 3_600_000;
/** No server listens there: mail stays pending. */
const smtp = {
  SMTP_URL: "smtp://127.0.0.1:1",
  SMTP_FROM: "Gateway <gateway@example.com>",
  MAIL_CONFIRMED_DOMAINS: "example.com",
  PUBLIC_URL: "https://gateway.example.com",
};

describe("budgets of messages", () => {
  let perTest: AsyncDisposableStack;
  let at: { url: string; database: string };
  let ids = 0;

  beforeEach(() => {
    perTest = new AsyncDisposableStack();
    at = perTest.use(scratchDatabase());
  });
  afterEach(() => perTest.disposeAsync());

  const start = async (env: NodeJS.ProcessEnv): Promise<Replica> =>
    perTest.use(await startReplica({ at, env: { ...smtp, ...env } }));
  const message = (url: string, accountId = "acct_1"): EnqueueRequest => ({
    id: `msg_${++ids}`,
    accountId,
    alertId: "alert_1",
    type: "spend.test",
    url,
    body: "{}",
    subject: "Test",
  });
  const mails = (count: number, accountId = "acct_1"): EnqueueRequest[] =>
    Array.from({ length: count }, (_, n) => message(`mailto:person${n}@example.com`, accountId));
  const sent = async ({ notifications }: Replica, accountId: string): Promise<number> =>
    (await notifications.listDeliveries({ accountId, state: "", taskId: "", alertId: "", page: undefined })).deliveries
      .length;

  test("replicas share one budget, and a test that exceeds it sends none of its messages", async () => {
    const replicas = [await start({ MAIL_TESTS_PER_HOUR: "7" }), await start({ MAIL_TESTS_PER_HOUR: "7" })];
    const tests = Array.from({ length: 6 }, (_, n) => replicas[n % 2]?.notifications.sendTest({ messages: mails(3) }));
    const outcomes = await Promise.allSettled(tests);
    const refusals = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason] : []));
    const [first] = replicas as [Replica];
    assert.deepEqual([refusals.length, await sent(first, "acct_1")], [4, 6]);
    for (const refusal of refusals) {
      assert.ok(refusal instanceof GatewayError);
      assert.deepEqual([refusal.code, /7 mails an hour/.test(refusal.message)], ["rate_limit_exceeded", true]);
      assert.ok((refusal.retryAfterMs ?? 0) > 0 && (refusal.retryAfterMs ?? 0) <= (hourMs * 2) / 7);
    }
    await first.notifications.sendTest({ messages: mails(3, "acct_2") });
  });

  test("a test whose mails are refused uses none of the budget of webhook calls", async () => {
    const replica = await start({ MAIL_TESTS_PER_HOUR: "1", WEBHOOK_TESTS_PER_HOUR: "1" });
    const webhook = () => message("https://example.com/hook");
    await replica.notifications.sendTest({ messages: mails(1) });
    const both = replica.notifications.sendTest({ messages: [webhook(), ...mails(1)] });
    await assert.rejects(both, { code: "rate_limit_exceeded" });
    await replica.notifications.sendTest({ messages: [webhook()] });
    await assert.rejects(replica.notifications.sendTest({ messages: [webhook()] }), { code: "rate_limit_exceeded" });
  });

  test("notices have a budget of their own, and repeating one under its id uses none of it", async () => {
    const replica = await start({ NOTICES_PER_HOUR: "2", MAIL_TESTS_PER_HOUR: "1" });
    await replica.notifications.sendTest({ messages: mails(1) });
    const [first, second, third] = mails(3) as [EnqueueRequest, EnqueueRequest, EnqueueRequest];
    for (const notice of [first, first, second, first]) await replica.notifications.enqueue(notice);
    await assert.rejects(replica.notifications.enqueue(third), { code: "rate_limit_exceeded" });
    assert.equal(await sent(replica, "acct_1"), 3);
  });

  test("rejects a replay of mail soon after other mail to the same address", async () => {
    const replica = await start({ MAIL_REPLAY_PAUSE_MS: "3000" });
    const notice = message("mailto:team@example.com");
    await replica.notifications.enqueue(notice);
    const error = await replica.notifications.replay({ id: notice.id }).catch((thrown: unknown) => thrown);
    assert.ok(error instanceof GatewayError && error.code === "rate_limit_exceeded", `${error}`);
    assert.ok((error.retryAfterMs ?? 0) > 0 && (error.retryAfterMs ?? 0) <= 3_000);
    const replayed = () =>
      replica.notifications.replay({ id: notice.id }).then(
        () => true,
        () => false,
      );
    await waitFor(replayed, { what: "the end of the pause" });
    await replica.notifications.sendTest({ messages: [message("mailto:Team@example.com")] });
    assert.equal(await replayed(), false);
  });

  test("a budget refills by the database's clock", async () => {
    const connection = await connectMongo({ ...at, service: "test", maxPoolSize: 2 });
    perTest.defer(() => connection.close());
    const refused: string[] = [];
    const perHour = { mail: 1, webhook: 1_800, notice: 1 };
    const budget = new MessageBudget(connection, perHour, (kind, accountId) => refused.push(`${kind} ${accountId}`));
    await budget.open();
    await budget.take("acct_1", { webhook: 1_801 });
    const error = await budget.take("acct_1", { webhook: 1 }).catch((thrown: unknown) => thrown);
    assert.ok(error instanceof GatewayError && (error.retryAfterMs ?? 0) <= 2_000, `${error}`);
    assert.deepEqual(refused, ["webhook acct_1"]);
    const taken = () =>
      budget.take("acct_1", { webhook: 1 }).then(
        () => true,
        () => false,
      );
    await waitFor(taken, { what: "a refilled budget" });
    assert.equal(await taken(), false);
  });
});
