import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { adminApi } from "@uag/cli/commands/admin-api";
import { fetchAdmin } from "@uag/harness/fleet/admin-call";
import { counterOf } from "@uag/harness/fleet/metrics";
import { type Receiver, startReceiver } from "@uag/harness/fleet/receiver";
import { startTestFleet, type TestFleet } from "@uag/harness/fleet/with-fleet";
import { waitFor } from "@uag/harness/testing/wait-for";
import { Visitor } from "./console/visitor.ts";
import { confirmationLink, lettersTo, subjectsTo } from "./mail/letters.ts";
import { MailServer } from "./mail/mail-server.ts";

interface Refusal {
  readonly error: { readonly code: string; readonly message: string; readonly param: string | null };
}

describe("budgets of messages sent by users", () => {
  const resources = new AsyncDisposableStack();
  let fleet: TestFleet;
  let receiver: Receiver;
  let mail: MailServer;
  /** A URL without content. */
  let site: string;

  before(async () => {
    const dataDir = await mkdtemp(join(tmpdir(), "message-budgets-"));
    resources.defer(() => rm(dataDir, { recursive: true, force: true }));
    receiver = resources.use(await startReceiver({ refuseEvery: 0 }));
    mail = resources.use(await MailServer.start());
    const env = {
      SMTP_URL: mail.url(),
      SMTP_CA: mail.ca,
      SMTP_FROM: "Gateway <gateway@example.com>",
      MAIL_CONFIRMED_DOMAINS: "example.com",
      ALERTS_EVERY_MS: "300",
      URL_FETCHES_PER_HOUR: "2",
    };
    const nothing = createServer((_, response) => void response.writeHead(404).end()).listen(0, "127.0.0.1");
    resources.defer(() => void nothing.close());
    await once(nothing, "listening");
    const address = `127.0.0.1:${(nothing.address() as AddressInfo).port}`;
    site = `http://${address}/picture`;
    fleet = resources.use(
      await startTestFleet({ dataDir, single: true, env, egressAllow: `${receiver.address},${address}` }),
    );
  });
  after(() => resources.disposeAsync());

  const call = (method: string, path: string, body?: unknown): Promise<Response> =>
    fetchAdmin(fleet.run, method, path, body);
  const idOf = (made: unknown): string => (made as { id: string }).id;
  const newAccount = async (): Promise<string> =>
    idOf(await adminApi(fleet.run).call("POST", "/accounts", { name: "Sender" }));
  const newAlert = (accountId: string, receivers: object): Promise<Response> =>
    call("POST", "/alerts", { account_id: accountId, monthly_usd: "1000", ...receivers });
  const rows = async <T>(path: string): Promise<T[]> =>
    ((await (await call("GET", path)).json()) as { data: T[] }).data;
  const sent = (accountId: string): Promise<{ id: string; type: string; state: string }[]> =>
    rows(`/webhooks/deliveries?account=${accountId}&limit=200`);
  const alertsOf = (accountId: string): Promise<{ unconfirmed_emails: readonly string[] }[]> =>
    rows(`/alerts?account=${accountId}`);
  const assertRefused = async (response: Response, message: RegExp, maxSeconds: number): Promise<void> => {
    const { error } = (await response.json()) as Refusal;
    assert.deepEqual([response.status, error.code], [429, "rate_limit_exceeded"], error.message);
    assert.match(error.message, message);
    const seconds = Number(response.headers.get("retry-after"));
    assert.ok(seconds > 0 && seconds <= maxSeconds, `retry-after: ${seconds}`);
  };

  test("an account cannot mail strangers by creating, testing and deleting alerts", async () => {
    const accountId = await newAccount();
    const refusals: Response[] = [];
    for (let n = 0; n < 12; n++) {
      const alertId = idOf(await (await newAlert(accountId, { emails: [`stranger${n}@example.com`] })).json());
      const tested = await call("POST", `/alerts/${alertId}/test`);
      if (tested.status !== 202) refusals.push(tested);
      assert.equal((await call("DELETE", `/alerts/${alertId}`)).status, 200);
    }
    assert.equal((await sent(accountId)).length, 10);
    assert.equal(refusals.length, 2);
    for (const refusal of refusals) await assertRefused(refusal, /10 mails an hour/, 3_600);
    const letters = () => mail.letters.filter(({ to }) => to.startsWith("stranger"));
    await waitFor(() => letters().length === 10, { what: "the mails within the budget" });
    assert.ok((await counterOf(fleet, "notifications", "uag_notifications_refused_total")) >= 2);
  });

  test("a delivered mail cannot be replayed within minutes", async () => {
    const accountId = await newAccount();
    const alertId = idOf(await (await newAlert(accountId, { emails: ["once@example.com"] })).json());
    assert.equal((await call("POST", `/alerts/${alertId}/test`)).status, 202);
    const delivery = await waitFor(async () => (await sent(accountId)).find(({ state }) => state === "delivered"), {
      what: "the delivered mail",
    });
    for (let n = 0; n < 3; n++) {
      await assertRefused(await call("POST", `/webhooks/deliveries/${delivery.id}/replay`), /once@example\.com/, 300);
    }
    assert.equal(mail.letters.filter(({ to }) => to === "once@example.com").length, 1);
  });

  test("replays of a webhook delivery are limited", async () => {
    const accountId = await newAccount();
    const alertId = idOf(await (await newAlert(accountId, { webhook_url: receiver.url })).json());
    assert.equal((await call("POST", `/alerts/${alertId}/test`)).status, 202);
    const [delivery] = await sent(accountId);
    const statuses: number[] = [];
    let last: Response | undefined;
    for (let n = 0; n < 65 && last?.status !== 429; n++) {
      last = await call("POST", `/webhooks/deliveries/${delivery?.id}/replay`);
      statuses.push(last.status);
    }
    assert.ok(last?.status === 429 && statuses.length >= 60, `${statuses}`);
    await assertRefused(last, /60 webhook calls an hour/, 3_600);
    const other = await newAccount();
    const others = idOf(await (await newAlert(other, { webhook_url: receiver.url })).json());
    assert.equal((await call("POST", `/alerts/${others}/test`)).status, 202);
  });

  test("an account has at most 20 mail recipients a day, including those of deleted alerts", async () => {
    const accountId = await newAccount();
    for (let n = 0; n < 4; n++) {
      const emails = Array.from({ length: 5 }, (_, at) => `recipient${n}-${at}@example.com`);
      const alertId = idOf(await (await newAlert(accountId, { emails })).json());
      if (n % 2 === 0) assert.equal((await call("DELETE", `/alerts/${alertId}`)).status, 200);
    }
    const refused = await newAlert(accountId, { emails: ["Recipient1-1@example.com", "another@example.com"] });
    const { error } = (await refused.json()) as Refusal;
    assert.deepEqual([refused.status, error.code, error.param], [400, "invalid_request", "emails"]);
    assert.match(error.message, /at most 20 addresses/);
    assert.equal((await newAlert(accountId, { emails: ["Recipient0-1@example.com"] })).status, 201);
    assert.equal((await newAlert(await newAccount(), { emails: ["another@example.com"] })).status, 201);
  });

  test("an unconfirmed address gets one confirmation mail and then the delayed notice; a GET does not confirm it", async () => {
    const [accountId, to] = [await newAccount(), "stranger@example.org"];
    // The account has no balance, so the alert is due at once.
    const low = { kind: "balance", monthly_usd: undefined, below_usd: "5", name: "Buy pills", emails: [to] };
    const alert = (await (await newAlert(accountId, low)).json()) as { id: string; unconfirmed_emails: string[] };
    assert.deepEqual(alert.unconfirmed_emails, [to]);
    await waitFor(() => lettersTo(mail, to).length === 1, { what: "the confirmation mail" });
    const notice = async () => (await sent(accountId)).some(({ type }) => type === "balance.low");
    await waitFor(notice, { what: "the delayed notice" });
    await call("POST", `/alerts/${alert.id}/test`);
    assert.deepEqual(subjectsTo(mail, to), ["Confirm this address for spend alerts"]);
    assert.doesNotMatch(lettersTo(mail, to)[0]?.text ?? "", /pills/, "the mail contains no text of the account");

    const { page, token } = confirmationLink(mail, to);
    const { console_url: console } = fleet.run;
    assert.equal(page, `${console}/confirm-address`);
    for (const path of ["/confirm-address", `/api/address-confirmations?token=${token}`]) {
      await new Visitor(console).get(path);
    }
    assert.deepEqual((await alertsOf(accountId))[0]?.unconfirmed_emails, [to]);
    assert.equal(lettersTo(mail, to).length, 1);

    const recipient = new Visitor(console);
    const confirmed = await recipient.post("/api/address-confirmations", { token });
    assert.deepEqual([confirmed.status, confirmed.json().email, confirmed.json().account_id], [200, to, accountId]);
    await waitFor(() => lettersTo(mail, to).length === 2, { what: "the delayed notice" });
    assert.match(subjectsTo(mail, to)[1] ?? "", /^Buy pills: \$0\.00 is left/);
    assert.deepEqual((await alertsOf(accountId))[0]?.unconfirmed_emails, []);
    const again = await recipient.post("/api/address-confirmations", { token });
    assert.deepEqual([again.status, again.json().error.code], [404, "not_found"]);
    const recorded = await rows<{ action: string; target_id: string }>(`/audit-log?account=${accountId}`);
    const confirmations = recorded.filter(({ action }) => action === "console.address_confirm");
    assert.deepEqual(
      confirmations.map(({ target_id }) => target_id),
      [to],
    );
  });

  test("an alert whose confirmation mails exceed the budget is not created", async () => {
    const accountId = await newAccount();
    const emails = (n: number) => Array.from({ length: 5 }, (_, at) => `person${n}-${at}@example.org`);
    for (const n of [1, 2]) assert.equal((await newAlert(accountId, { emails: emails(n) })).status, 201);
    await assertRefused(await newAlert(accountId, { emails: emails(3) }), /10 mails an hour/, 3_600);
    assert.equal((await alertsOf(accountId)).length, 2);
    const budgets = await rows<{ kind: string; per_hour: number; used: number; full_at: string | null }>(
      `/accounts/${accountId}/message-budgets`,
    );
    const mails = budgets.find(({ kind }) => kind === "mail");
    assert.deepEqual([mails?.per_hour, mails?.used], [10, 10]);
    assert.ok(Date.parse(mails?.full_at ?? "") > Date.now() + 3_000_000);
  });

  test("an account has so many URLs fetched an hour, also by tool calls, and sees how many beside its messages", async () => {
    const accountId = await newAccount();
    await call("POST", `/accounts/${accountId}/top-ups`, { amount_usd: "1", reference: "urls" });
    const { key } = (await (await call("POST", "/keys", { account_id: accountId })).json()) as { key: string };
    const ask = (): Promise<Response> =>
      fetch(`${fleet.run.base_url}/v1/chat/completions`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: JSON.stringify({
          model: "gemini-2.5-flash",
          max_completion_tokens: 10,
          messages: [{ role: "user", content: [{ type: "image_url", image_url: { url: site } }] }],
        }),
      });
    for (const _ of [1, 2]) assert.match(await (await ask()).text(), /returned status 404/);
    await assertRefused(await ask(), /2 fetched URLs per hour/, 1_800);
    const image = { model: "gamma-image-2", prompt: "A dog", images: [site] };
    const tool = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "edit_image", arguments: image } };
    const called = await fetch(fleet.run.mcp_url, {
      method: "POST",
      headers: {
        accept: "application/json, text/event-stream",
        authorization: `Bearer ${key}`,
        "content-type": "application/json",
      },
      body: JSON.stringify(tool),
    });
    assert.match(await called.text(), /rate_limit_exceeded: .*2 fetched URLs per hour.* Retry after \d+ s\./);
    const budgets = await rows<{ kind: string; per_hour: number; used: number; full_at: string }>(
      `/accounts/${accountId}/message-budgets`,
    );
    const budget = budgets.find(({ kind }) => kind === "url");
    assert.deepEqual([budget?.per_hour, budget?.used], [2, 2]);
    assert.ok(Date.parse(budget?.full_at ?? "") > Date.now() + 3_000_000);
    assert.ok((await counterOf(fleet, "chat", "uag_url_fetches_refused_total")) >= 1);
  });

  test("attempts to guess a link are limited", async () => {
    const guesser = new Visitor(fleet.run.console_url);
    const statuses: number[] = [];
    for (let n = 0; n < 60 && statuses.at(-1) !== 429; n++) {
      statuses.push((await guesser.post("/api/address-confirmations", { token: "A".repeat(43) })).status);
    }
    assert.equal(statuses.at(-1), 429);
    assert.ok(statuses.slice(0, -1).every((status) => status === 404));
  });
});
