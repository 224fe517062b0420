import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { adminApi } from "@uag/cli/commands/admin-api";
import { counterOf } from "@uag/harness/fleet/metrics";
import { type Receiver, startReceiver } from "@uag/harness/fleet/receiver";
import { startTestFleet, type TestFleet } from "@uag/harness/fleet/with-fleet";
import { waitFor } from "@uag/harness/testing/wait-for";
import { MailServer } from "./mail/mail-server.ts";

interface Refusal {
  readonly error: { readonly code: string; readonly message: string; readonly param: string | null };
}

describe("budgets of the messages that people send", () => {
  const resources = new AsyncDisposableStack();
  let fleet: TestFleet;
  let receiver: Receiver;
  let mail: MailServer;

  before(async () => {
    const dataDir = await mkdtemp(join(tmpdir(), "message-budgets-"));
    resources.defer(() => rm(dataDir, { recursive: true, force: true }));
    receiver = resources.use(await startReceiver({ refuseEvery: 0 }));
    mail = resources.use(await MailServer.start());
    const env = { SMTP_URL: mail.url(), SMTP_CA: mail.ca, SMTP_FROM: "Gateway <gateway@example.com>" };
    fleet = resources.use(await startTestFleet({ dataDir, env, egressAllow: receiver.address }));
  });
  after(() => resources.disposeAsync());

  const call = async (method: string, path: string, body?: unknown): Promise<Response> =>
    await fetch(`${fleet.run.admin_url}${path}`, {
      method,
      headers: { authorization: `Bearer ${fleet.run.admin.token}`, "content-type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  const idOf = (made: unknown): string => (made as { id: string }).id;
  const newAccount = async (): Promise<string> =>
    idOf(await adminApi(fleet.run).call("POST", "/accounts", { name: "Sender" }));
  const newAlert = (accountId: string, receivers: object): Promise<Response> =>
    call("POST", "/alerts", { account_id: accountId, monthly_usd: "1000", ...receivers });
  const sent = async (accountId: string): Promise<{ id: string; state: string }[]> => {
    const listed = await call("GET", `/webhooks/deliveries?account=${accountId}&limit=200`);
    return ((await listed.json()) as { data: { id: string; state: string }[] }).data;
  };
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
    assert.ok((await counterOf(fleet, "video", "uag_video_messages_refused_total")) >= 2);
  });

  test("a delivered mail cannot be replayed for minutes", async () => {
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

  test("an account cannot call webhooks without limit by replaying a delivery", async () => {
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

  test("an account has at most 20 recipients of mail a day, those of deleted alerts included", async () => {
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
});
