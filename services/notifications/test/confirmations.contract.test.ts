import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "node:test";
import { scratchDatabase } from "@uag/harness/scratch-database";
import { waitFor } from "@uag/harness/testing/wait-for";
import { connectMongo } from "@uag/mongo/connect";
import type { Delivery, EnqueueRequest } from "@uag/proto/notifications/v1/notifications.ts";
import type { DeliveryDocument, NewDelivery } from "../src/deliveries/deliveries.ts";
import { Confirmations } from "../src/mail/confirmations.ts";
import { type Replica, startReplica } from "./support.ts";

/** No server listens there: mail stays pending. */
const smtp = {
  SMTP_URL: "smtp://127.0.0.1:1",
  SMTP_FROM: "Gateway <gateway@example.com>",
  PUBLIC_URL: "https://gateway.example.com/",
  MAIL_CONFIRMED_DOMAINS: "operator.example",
};

const once = { resend: false };
const first = { ...once, id: "msg_1" };

describe("confirmation of addresses", () => {
  let perTest: AsyncDisposableStack;
  let at: { url: string; database: string };
  let ids = 0;

  beforeEach(() => {
    perTest = new AsyncDisposableStack();
    at = perTest.use(scratchDatabase());
  });
  afterEach(() => perTest.disposeAsync());

  const start = async (env: NodeJS.ProcessEnv = {}): Promise<Replica> =>
    perTest.use(await startReplica({ at, env: { ...smtp, ...env } }));
  const open = async (lifetimeMs: number, resendPauseMs = 60_000): Promise<Confirmations> => {
    const connection = await connectMongo({ ...at, service: "test", maxPoolSize: 4 });
    perTest.defer(() => connection.close());
    const publicUrl = "https://gateway.example.com";
    const confirmations = new Confirmations(connection, { confirmedDomains: [], publicUrl, lifetimeMs, resendPauseMs });
    await confirmations.open();
    return confirmations;
  };
  /** The token in a mail as it is sent. */
  const tokenOf = async (confirmations: Confirmations, mail: NewDelivery | undefined): Promise<string> => {
    assert.ok(mail);
    const text = await confirmations.textOf(mail as DeliveryDocument);
    return /\/console\/confirm-address#([\w-]{43})$/m.exec(text ?? "")?.[1] ?? "";
  };
  const message = (url: string): EnqueueRequest => ({
    id: `msg_${++ids}`,
    accountId: "acct_1",
    alertId: "alert_1",
    type: "spend.test",
    url,
    body: "secret figures",
    subject: "Test",
  });
  const sent = async ({ notifications }: Replica, accountId = "acct_1"): Promise<Delivery[]> =>
    (await notifications.listDeliveries({ accountId, state: "", taskId: "", alertId: "", page: undefined })).deliveries;

  test("concurrent requests on several replicas send an address one confirmation mail", async () => {
    const [first, second] = [await start(), await start()];
    const ask = { accountId: "acct_1", addresses: ["Team@example.com"] };
    await Promise.all(
      [first, second, first, second].map(({ notifications }) => notifications.requestConfirmations(ask)),
    );
    for (const { notifications } of [first, second]) {
      await notifications.sendTest({ messages: [message("mailto:team@example.com")] });
    }
    const all = await sent(first);
    assert.deepEqual(
      all.map(({ type, url }) => [type, url]),
      [["mail.confirmation", "mailto:Team@example.com"]],
    );
    const { addresses } = await first.notifications.listUnconfirmed({
      accountId: "acct_1",
      addresses: ["TEAM@example.com", "noc@Operator.example"],
    });
    assert.deepEqual(addresses, ["TEAM@example.com"]);
  });

  test("confirmation mails count in the account's budget of mails", async () => {
    const { notifications } = await start({ MAIL_TESTS_PER_HOUR: "2" });
    await notifications.requestConfirmations({ accountId: "acct_1", addresses: ["a@example.com", "b@example.com"] });
    const beyond = notifications.requestConfirmations({ accountId: "acct_1", addresses: ["c@example.com"] });
    await assert.rejects(beyond, { code: "rate_limit_exceeded" });
    const { budgets } = await notifications.listBudgets({ accountId: "acct_1" });
    const [mail] = budgets;
    assert.deepEqual([mail?.kind, mail?.perHour, mail?.used], ["mail", 2n, 2n]);
    assert.ok((mail?.fullInMs ?? 0n) > 3_500_000n && (mail?.fullInMs ?? 0n) <= 3_600_000n, `${mail?.fullInMs}`);
    assert.deepEqual(
      budgets.slice(1).map(({ kind, used, fullInMs }) => [kind, used, fullInMs]),
      [
        ["webhook", 0n, 0n],
        ["notice", 0n, 0n],
      ],
    );
  });

  test("no mail budget is listed without a mail server", async () => {
    const { notifications } = await start({ SMTP_URL: undefined });
    const { budgets } = await notifications.listBudgets({ accountId: "acct_1" });
    assert.deepEqual(
      budgets.map(({ kind }) => kind),
      ["webhook", "notice"],
    );
  });

  test("the account's owner cannot read the link in a delivery, nor have the mail replayed", async () => {
    const { notifications } = await start();
    await notifications.requestConfirmations({ accountId: "acct_1", addresses: ["stranger@example.com"] });
    const attempts = async () => {
      const [{ id } = { id: "" }] = (
        await notifications.listDeliveries({ accountId: "acct_1", state: "", taskId: "", alertId: "", page: undefined })
      ).deliveries;
      const delivery = await notifications.getDelivery({ id });
      return delivery.attempts.length > 0 ? delivery : undefined;
    };
    const delivery = await waitFor(attempts, { what: "an attempt" });
    assert.match(delivery.body, /press the button:\n<link>\n/);
    assert.doesNotMatch(delivery.body, /confirm-address/);
    await assert.rejects(notifications.replay({ id: delivery.id }), { code: "invalid_request" });
  });

  test("an address that three accounts have asked to confirm gets no mail from a fourth", async () => {
    const replica = await start();
    for (const accountId of ["acct_1", "acct_2", "acct_3", "acct_4"]) {
      await replica.notifications.requestConfirmations({ accountId, addresses: ["victim@example.com"] });
    }
    const counts = await Promise.all(["acct_1", "acct_3", "acct_4"].map((id) => sent(replica, id)));
    assert.deepEqual(
      counts.map(({ length }) => length),
      [1, 1, 0],
    );
  });

  test("a link works once, for its own account, and a retried mail's earlier link works too", async () => {
    const confirmations = await open(60_000);
    const mail = await confirmations.ask("acct_1", "Team@example.com", first);
    const [earlier, later] = [await tokenOf(confirmations, mail), await tokenOf(confirmations, mail)];
    assert.notEqual(earlier, later);
    assert.equal(await confirmations.ask("acct_1", "team@example.com", { ...once, id: "msg_2" }), undefined);
    const confirmed = await confirmations.confirm(earlier);
    assert.deepEqual([confirmed?.accountId, confirmed?.address], ["acct_1", "team@example.com"]);
    for (const token of [earlier, later, "A".repeat(43), ""]) {
      assert.equal(await confirmations.confirm(token), undefined);
    }
    assert.deepEqual(await confirmations.unconfirmed("acct_1", ["TEAM@example.com"]), []);
    assert.deepEqual(await confirmations.unconfirmed("acct_2", ["team@example.com"]), ["team@example.com"]);
    assert.equal(await confirmations.ask("acct_1", "team@example.com", { resend: true, id: "msg_3" }), undefined);
  });

  test("after a confirmation link expires, another can be requested", async () => {
    const confirmations = await open(300);
    const token = await tokenOf(confirmations, await confirmations.ask("acct_1", "team@example.com", first));
    assert.deepEqual(await confirmations.unasked("acct_1", ["team@example.com"], once), []);
    const unasked = async () => (await confirmations.unasked("acct_1", ["team@example.com"], once)).length === 1;
    await waitFor(unasked, { what: "the end of the link" });
    assert.equal(await confirmations.confirm(token), undefined);
    assert.ok(
      await tokenOf(confirmations, await confirmations.ask("acct_1", "team@example.com", { ...once, id: "msg_2" })),
    );
  });

  test("a lost confirmation mail is sent again after a pause, and three times at most", async () => {
    const address = "team@example.com";
    const ask = async (confirmations: Confirmations, id: string) =>
      await confirmations.ask("acct_1", address, { resend: true, id });
    const paused = await open(60_000);
    const token = await tokenOf(paused, await ask(paused, "msg_1"));
    assert.deepEqual(await paused.unasked("acct_1", [address], { resend: true }), []);
    assert.equal(await ask(paused, "msg_2"), undefined);

    const confirmations = await open(60_000, 0);
    assert.deepEqual(await confirmations.unasked("acct_1", [address], once), []);
    assert.deepEqual(await confirmations.unasked("acct_1", [address], { resend: true }), [address]);
    const mails = [await ask(confirmations, "msg_2"), await ask(confirmations, "msg_3")];
    assert.deepEqual(
      mails.map((mail) => mail?._id),
      ["msg_2", "msg_3"],
    );
    assert.deepEqual(await confirmations.unasked("acct_1", [address], { resend: true }), []);
    assert.equal(await ask(confirmations, "msg_4"), undefined);
    assert.equal((await confirmations.confirm(token))?.address, address, "the first mail's link stays valid");
  });

  test("the database does not contain confirmation tokens", async () => {
    const confirmations = await open(60_000);
    const token = await tokenOf(confirmations, await confirmations.ask("acct_1", "team@example.com", first));
    const connection = await connectMongo({ ...at, service: "test", maxPoolSize: 1 });
    perTest.defer(() => connection.close());
    const stored = await connection.collection("mail_confirmations").find().toArray();
    assert.equal(stored.length, 1);
    assert.ok(!JSON.stringify(stored).includes(token));
  });

  test("notifications does not start with a mail server but without PUBLIC_URL", async () => {
    const { PUBLIC_URL: _, ...without } = smtp;
    await assert.rejects(startReplica({ at, env: without }), /PUBLIC_URL must be set/);
  });
});
