import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import { waitFor } from "@uag/harness/testing/wait-for";
import { BudgetPeriod } from "@uag/proto/billing/v1/budgets.ts";
import {
  type Alert,
  type AlertServiceServer,
  AlertServiceService,
  type AlertTerms,
} from "@uag/proto/metering/v1/alerts.ts";
import {
  type EnqueueRequest,
  type NotificationServiceServer,
  NotificationServiceService,
} from "@uag/proto/notifications/v1/notifications.ts";
import { createLogger } from "@uag/runtime/log";
import { createRpcClient, type RpcClient } from "@uag/runtime/rpc/client";
import { insecure } from "@uag/runtime/rpc/identity";
import { serveRpc, unaryService } from "@uag/runtime/rpc/server";
import { startService } from "../src/service.ts";
import { type Bench, event, startBench } from "./harness.ts";

const terms = {
  kind: "spend",
  name: "Research",
  monthlyNanoUsd: 1_000n,
  thresholds: [50, 80, 100],
  webhookUrl: "https://example.com/hook?token=1",
  emails: ["a@example.com"],
};

/** Video as metering sees it: what is to be sent, once per id. */
class FakeNotifications {
  readonly messages = new Map<string, EnqueueRequest>();
  /** What the next calls fail with. */
  readonly failures: Error[] = [];
  readonly confirmationFailures: Error[] = [];
  /** Accounts and the addresses that were asked to confirm. */
  readonly asked: string[] = [];

  of(alertId: string): EnqueueRequest[] {
    return [...this.messages.values()].filter((message) => message.alertId === alertId);
  }

  async serve() {
    const enqueue = async (message: EnqueueRequest) => {
      const failure = this.failures.shift();
      if (failure !== undefined) throw failure;
      if (!this.messages.has(message.id)) this.messages.set(message.id, message);
      return {};
    };
    const unused = async (): Promise<never> => {
      throw new GatewayError("not_found");
    };
    const secrets = { rotateSecret: unused, listSecrets: unused, endSecret: unused };
    const deliveries = { listDeliveries: unused, getDelivery: unused, replay: unused, checkTargets: unused };
    const log = createLogger({ service: "test", level: "silent" });
    const sendTest = async ({ messages }: { messages: EnqueueRequest[] }) => {
      for (const message of messages) await enqueue(message);
      return {};
    };
    const requestConfirmations = async ({ accountId, addresses }: { accountId: string; addresses: string[] }) => {
      const failure = this.confirmationFailures.shift();
      if (failure !== undefined) throw failure;
      this.asked.push(...addresses.map((address) => `${accountId} ${address}`));
      return {};
    };
    const others = { listUnconfirmed: unused, confirmAddress: unused, listBudgets: unused, sendWebhook: unused };
    const mail = { describeMail: unused, sendMail: unused };
    const handlers = { ...secrets, ...deliveries, ...others, ...mail, enqueue, sendTest, requestConfirmations };
    const service = unaryService<NotificationServiceServer>(NotificationServiceService, handlers, log);
    return await serveRpc({ identity: insecure, host: "127.0.0.1", port: 0, services: [service] });
  }
}

describe("spend alerts", () => {
  const resources = new AsyncDisposableStack();
  const notifications = new FakeNotifications();
  let bench: Bench;
  let alerts: RpcClient<AlertServiceServer>;
  let accounts = 0;
  let accountId = "";
  let requests = 0;

  before(async () => {
    const sender = resources.use(await notifications.serve());
    bench = resources.use(
      await startBench({ NOTIFICATIONS_ADDR: `127.0.0.1:${sender.port}`, ALERTS_EVERY_MS: "100", GRPC_PORT: "0" }),
    );
    const second = resources.use(await startService(bench.env));
    const address = `127.0.0.1:${second.grpcPort}`;
    alerts = resources.use(createRpcClient<AlertServiceServer>(AlertServiceService, address, insecure));
  });
  after(() => resources.disposeAsync());
  beforeEach(() => {
    accountId = `acct_${++accounts}`;
    notifications.failures.length = 0;
  });

  const create = (more: Partial<AlertTerms> = {}, keyId = ""): Promise<Alert> =>
    alerts.createAlert({ accountId, keyId, budgetId: "", terms: { ...terms, ...more }, actor: undefined });
  const spend = async (costNanoUsd: bigint, keyId = "key_1"): Promise<void> =>
    bench.applied([await bench.publish([event(`r${++requests}`, { accountId, keyId, costNanoUsd })])]);
  const thresholdsOf = async (id: string): Promise<number[]> =>
    (await alerts.getAlert({ id })).notices.map(({ threshold }) => threshold);
  const reports = (id: string, count: number): Promise<true> =>
    waitFor(async () => (await thresholdsOf(id)).length >= count, { what: `${count} thresholds` });

  const subjectsOf = (id: string): string[] =>
    notifications
      .of(id)
      .map(({ subject }) => subject)
      .filter((subject) => subject !== "");
  /** Resolves when an alert of this account or key was evaluated, from now on and to the end. */
  const evaluated = (of: string): Promise<true> => {
    const count = (): number => bench.billing.lookups.get(of) ?? 0;
    const earlier = count();
    return waitFor(() => count() >= earlier + 2, { what: `an evaluation of ${of}` });
  };

  test("reports each threshold once per receiver, however many replicas run, and only the highest of several at once", async () => {
    const { id } = await create();
    await spend(499n);
    await spend(1n);
    await reports(id, 1);
    await spend(600n);
    await reports(id, 3);
    await spend(600n);
    // Another alert of the account reports after evaluations of this one.
    const later = await create({ thresholds: [170] });
    await reports(later.id, 1);
    assert.deepEqual(await thresholdsOf(id), [50, 80, 100]);
    const sent = notifications.of(id).map(({ url, subject }) => [url, subject]);
    const about = (threshold: number): string => `Research: ${threshold}% of $0.000001 is spent in ${monthNow()}`;
    assert.deepEqual(sent.sort(), [
      [terms.webhookUrl, ""],
      [terms.webhookUrl, ""],
      ["mailto:a@example.com", about(100)],
      ["mailto:a@example.com", about(50)],
    ]);
    const { type, data } = JSON.parse(notifications.of(id)[0]?.body ?? "");
    assert.deepEqual(
      [type, data],
      [
        "spend.threshold_reached",
        {
          alert_id: id,
          kind: "spend",
          name: "Research",
          account_id: accountId,
          key_id: null,
          budget_id: null,
          month: monthNow(),
          threshold: 50,
          monthly_usd: "0.000001000",
          spent_usd: "0.000000500",
        },
      ],
    );
  });

  test("a key's alert counts only that key", async () => {
    const { id } = await create({ thresholds: [50] }, "key_2");
    await spend(5_000n, "key_1");
    await spend(400n, "key_2");
    assert.equal((await alerts.getAlert({ id })).spentNanoUsd, 400n);
    await spend(100n, "key_2");
    await reports(id, 1);
    assert.equal((await alerts.getAlert({ id })).notices[0]?.spentNanoUsd, 500n);
  });

  test("reports a share of a shared budget once a period, and not of a deleted one", async () => {
    const budgetId = `budget_${accountId}`;
    const week = (monday: number) => ({ periodStartMs: BigInt(Date.UTC(2027, 0, monday)), spentNanoUsd: 800n });
    const budget = { accountId, name: "Team", amountNanoUsd: 1_000n, period: BudgetPeriod.WEEK, hard: true };
    const { sharedBudgets } = bench.billing;
    sharedBudgets.set(budgetId, { ...budget, ...week(4) });
    const ofBudget = { ...terms, kind: "budget", monthlyNanoUsd: 0n, thresholds: [80, 100] };
    const { id } = await alerts.createAlert({ accountId, keyId: "", budgetId, terms: ofBudget, actor: undefined });
    await reports(id, 1);
    await evaluated(budgetId);
    sharedBudgets.set(budgetId, { ...budget, ...week(11), hard: false });
    await reports(id, 2);
    sharedBudgets.set(budgetId, { ...budget, ...week(11), spentNanoUsd: 1_000n, deletedAtMs: 1n });
    await evaluated(budgetId);
    const { budgetNanoUsd, spentNanoUsd, month, notices } = await alerts.getAlert({ id });
    assert.deepEqual([budgetNanoUsd, spentNanoUsd, month], [0n, 1_000n, "2027-01-11"]);
    assert.deepEqual(
      notices.map((notice) => [notice.month, notice.threshold, notice.monthlyNanoUsd]),
      [
        ["2027-01-04", 80, 1_000n],
        ["2027-01-11", 80, 1_000n],
      ],
    );
    const about = "Research: 80% of $0.000001 of budget Team is spent";
    assert.deepEqual(subjectsOf(id), [about, about]);
    const texts = notifications.of(id).map(({ body }) => body);
    assert.ok(texts.some((body) => body.includes("until the week (UTC) ends or the budget is raised")));
    assert.ok(texts.some((body) => body.includes("Requests are still served, because the budget is not hard.")));
    const { kind, key_id, budget_id } = JSON.parse(texts.find((body) => body.startsWith("{")) ?? "{}").data;
    assert.deepEqual([kind, key_id, budget_id], ["budget", null, budgetId]);
  });

  test("reports a share of a key's budget once a month, and again when the budget changes", async () => {
    const keyId = `key_of_${accountId}`;
    const { id } = await create({ kind: "budget", monthlyNanoUsd: 0n, thresholds: [80, 100] }, keyId);
    await spend(799n, keyId);
    assert.equal((await alerts.getAlert({ id })).budgetNanoUsd, 0n);
    bench.billing.budgets.set(keyId, 1_000n);
    await spend(1n, keyId);
    await reports(id, 1);
    bench.billing.budgets.set(keyId, 500n);
    await reports(id, 3);
    bench.billing.budgets.set(keyId, 1_000n);
    await spend(1n, keyId);
    await evaluated(keyId);
    assert.deepEqual(await thresholdsOf(id), [80, 80, 100]);
    assert.deepEqual(subjectsOf(id), [
      `Research: 80% of the monthly budget of $0.000001 is spent in ${monthNow()}`,
      `Research: 100% of the monthly budget of $0.0000005 is spent in ${monthNow()}`,
    ]);
    const { kind, key_id, monthly_usd } = JSON.parse(notifications.of(id)[0]?.body ?? "").data;
    assert.deepEqual([kind, key_id, monthly_usd], ["budget", keyId, "0.000001000"]);
  });

  test("reports a low balance once until the next top-up, however many replicas run", async () => {
    const low = { kind: "balance", monthlyNanoUsd: 0n, thresholds: [], belowNanoUsd: 5_000_000_000n };
    const balance = (left: bigint, toppedUp: bigint): void => {
      const [availableNanoUsd, toppedUpNanoUsd] = [left * 1_000_000_000n, toppedUp * 1_000_000_000n];
      bench.billing.balances.set(accountId, { availableNanoUsd, toppedUpNanoUsd });
    };
    balance(5n, 10n);
    const { id, balanceNanoUsd } = await create(low);
    assert.equal(balanceNanoUsd, 5_000_000_000n);
    await evaluated(accountId);
    assert.deepEqual(notifications.of(id), []);
    balance(4n, 10n);
    await reports(id, 1);
    balance(3n, 10n);
    await evaluated(accountId);
    assert.equal(notifications.of(id).length, 2);
    balance(4n, 11n);
    await reports(id, 2);
    await evaluated(accountId);
    const subject = "Research: $4.00 is left, less than $5.00";
    assert.deepEqual(subjectsOf(id), [subject, subject]);
    const { type, data } = JSON.parse(notifications.of(id)[0]?.body ?? "");
    const keys = { account_id: accountId, key_id: null, budget_id: null };
    const about = { alert_id: id, kind: "balance", name: "Research", ...keys };
    const found = { below_usd: "5.000000000", balance_usd: "4.000000000" };
    assert.deepEqual([type, data], ["balance.low", { ...about, ...found }]);
  });

  test("an account that billing cannot read delays no other account's alerts, and its own are sent later", async () => {
    bench.billing.balances.set(accountId, { availableNanoUsd: 6n, toppedUpNanoUsd: 10n });
    const { id } = await create({ kind: "balance", monthlyNanoUsd: 0n, thresholds: [], belowNanoUsd: 5n });
    bench.billing.balances.delete(accountId);
    await evaluated(accountId);
    const other = await create({ thresholds: [50] });
    await spend(500n);
    await reports(other.id, 1);
    bench.billing.balances.set(accountId, { availableNanoUsd: 4n, toppedUpNanoUsd: 10n });
    await reports(id, 1);
  });

  test("retries messages that cannot be sent; a permanently rejected receiver delays no other", async () => {
    notifications.failures.push(new GatewayError("service_unavailable"), new GatewayError("invalid_request"));
    const { id } = await create({ thresholds: [50] });
    await spend(500n);
    await reports(id, 1);
    assert.deepEqual(
      notifications.of(id).map(({ url }) => url),
      ["mailto:a@example.com"],
    );
  });

  test("reports the same thresholds again, once, after a change of the amount", async () => {
    const { id } = await create({ thresholds: [50] });
    await spend(500n);
    await reports(id, 1);
    await alerts.updateAlert({ id, terms: { ...terms, thresholds: [50], monthlyNanoUsd: 800n } });
    await reports(id, 2);
    assert.equal(notifications.of(id).length, 4);
  });

  test("requests confirmation of an alert's addresses before creating it, and creates none if that fails", async () => {
    const { id } = await create({ emails: ["a@example.com", "b@example.com"] });
    const asked = () => notifications.asked.filter((one) => one.startsWith(`${accountId} `));
    assert.deepEqual(asked(), [`${accountId} a@example.com`, `${accountId} b@example.com`]);
    await alerts.updateAlert({ id, terms: { ...terms, emails: ["c@example.com"] } });
    assert.equal(asked().at(-1), `${accountId} c@example.com`);
    notifications.confirmationFailures.push(new GatewayError("rate_limit_exceeded"));
    await assert.rejects(create({ emails: ["d@example.com"] }), { code: "rate_limit_exceeded" });
    assert.equal((await alerts.listAlerts({ accountId })).alerts.length, 1);
  });

  test("marks a test message as a test, and delays the next one", async () => {
    const { id } = await create();
    await alerts.testAlert({ id });
    const [webhook, mail] = notifications.of(id);
    assert.equal(JSON.parse(webhook?.body ?? "").type, "spend.test");
    assert.equal(mail?.subject, "Test: Research");
    await assert.rejects(alerts.testAlert({ id }), { code: "rate_limit_exceeded" });
    assert.equal(notifications.of(id).length, 2);
    await assert.rejects(alerts.testAlert({ id: "alert_none" }), { code: "not_found" });
  });

  test("limits the alerts of an account, and a deleted alert is not found", async () => {
    const made = [];
    for (let n = 0; n < 20; n++) made.push((await create()).id);
    await assert.rejects(create(), { code: "invalid_request", param: "account_id" });
    const [first = ""] = made;
    await alerts.deleteAlert({ id: first });
    for (const gone of [alerts.getAlert({ id: first }), alerts.deleteAlert({ id: first })])
      await assert.rejects(gone, { code: "not_found" });
    const listed = (await alerts.listAlerts({ accountId })).alerts.map(({ id }) => id);
    assert.deepEqual(listed.sort(), made.slice(1).sort());
  });
});

const monthNow = (): string => new Date().toISOString().slice(0, 7);
