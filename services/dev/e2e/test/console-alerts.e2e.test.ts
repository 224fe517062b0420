import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { after, afterEach, before, describe, test } from "node:test";
import { promisify } from "node:util";
import { adminApi } from "@uag/cli/commands/admin-api";
import { counterOf } from "@uag/harness/fleet/metrics";
import { type Receiver, startReceiver } from "@uag/harness/fleet/receiver";
import { waitFor } from "@uag/harness/testing/wait-for";
import { repoRoot } from "@uag/local/paths";
import OpenAI from "openai";
import type { Locator } from "playwright-core";
import { Stage } from "./console/stage.ts";
import { confirmationLink, lettersTo, subjectsTo } from "./mail/letters.ts";
import { MailServer } from "./mail/mail-server.ts";

/** A request that costs less than the key's budget and more than one percent of it. */
const hello = {
  model: "gpt-4o-mini",
  messages: [{ role: "user" as const, content: "Hello!" }],
  max_completion_tokens: 20,
};

describe("spend alerts in the console and from the command line", () => {
  let stage: Stage;
  let receiver: Receiver;
  let mail: MailServer;
  const resources = new AsyncDisposableStack();

  before(async () => {
    receiver = resources.use(await startReceiver({ refuseEvery: 0 }));
    mail = resources.use(await MailServer.start());
    const smtp = { SMTP_URL: mail.url(), SMTP_CA: mail.ca, SMTP_FROM: "Gateway <gateway@example.com>" };
    const env = { ...smtp, MAIL_CONFIRMED_DOMAINS: "example.com", ALERTS_EVERY_MS: "300" };
    stage = resources.use(await Stage.open({ egressAllow: receiver.address, env }));
  });
  after(() => resources.disposeAsync());
  afterEach(() => stage.closePages());

  /** The output of `npm run alerts`. */
  const alerts = async (...args: string[]): Promise<string> => {
    const program = join(repoRoot, "services/dev/cli/src/commands/alerts.ts");
    const env = { ...process.env, DATA_DIR: stage.fleet.dataDir };
    return (await promisify(execFile)(process.execPath, [program, ...args], { env })).stdout;
  };

  test("a partly used key budget and a low balance are reported by webhook and e-mail", async () => {
    const api = adminApi(stage.fleet.run);
    const account = (await api.call("POST", "/accounts", { name: "Small" })) as { id: string };
    const topUp = { amount_usd: "1", reference: "first", note: "" };
    await api.call("POST", `/accounts/${account.id}/top-ups`, topUp);
    const fields = { account_id: account.id, key_alias: "budgeted", max_budget: 0.0001 };
    const { key: apiKey } = (await api.call("POST", "/keys", fields)) as { key: string };
    const { base_url } = stage.fleet.run;
    await new OpenAI({ baseURL: `${base_url}/v1`, apiKey }).chat.completions.create(hello);
    const page = await stage.visit(`/billing?account=${account.id}`, "Billing");
    const create = async (kind: string, fill: (form: Locator) => Promise<void>): Promise<void> => {
      await page.getByRole("button", { name: "New alert" }).click();
      const form = page.getByRole("dialog");
      await form.getByLabel("Name").fill(kind);
      await form.getByRole("combobox", { name: "Type" }).click();
      await page.getByRole("option", { name: kind }).click();
      await fill(form);
      await form.getByLabel("Email recipients").fill(`${account.id}@example.com`);
      await form.getByLabel("Email recipients").press("Enter");
      await form.getByLabel("Webhook URL").fill(receiver.url);
      await form.getByRole("button", { name: "Save" }).click();
      await form.waitFor({ state: "detached" });
    };
    await create("Key budget used", async (form) => {
      await form.getByRole("combobox", { name: "Applies to" }).click();
      await page.getByRole("option", { name: "budgeted" }).click();
      await form.getByLabel("Thresholds").fill("1");
      await form.getByLabel("Thresholds").press("Enter");
    });
    await create("Low balance", (form) => form.getByLabel("Below").fill("1"));
    const letters = () => mail.letters.filter(({ to }) => to === `${account.id}@example.com`);
    await waitFor(() => letters().length >= 2, { what: "both e-mails" });
    const unfolded = letters().map(({ text }) => text.replace(/\r?\n[ \t]/g, " "));
    const subjects = unfolded.map((text) => /^Subject: (.*)$/m.exec(text)?.[1] ?? "");
    assert.match(
      subjects.find((one) => one.startsWith("Key budget used")) ?? "",
      /% of the monthly budget of \$0\.0001 is spent/,
    );
    assert.match(
      subjects.find((one) => one.startsWith("Low")) ?? "",
      /^Low balance: \$0\.99\d+ is left, less than \$1\.00/,
    );
    const types = () => receiver.received.map(({ type }) => type);
    await waitFor(() => types().includes("balance.low"), { what: "the webhook of the balance" });
    await page.getByText(/^Balance .* · </).waitFor();
    assert.equal(letters().length, 2);
  });

  test("a new address is shown as unconfirmed in the console and on the command line until a button confirms it", async () => {
    const to = "colleague@example.org";
    const id = (await alerts("create", "--below", "1000000", "--name", "Low", "--email", to)).trim();
    await waitFor(() => lettersTo(mail, to).length === 1, { what: "the confirmation mail" });
    assert.match(await alerts("list"), new RegExp(`^${id} .* ${to} \\(waiting for confirmation\\)`, "m"));
    const billing = await stage.visit(`/billing?account=${stage.fleet.run.account_id}`, "Billing");
    const waiting = billing.getByText(`Not confirmed yet, receives no alerts: ${to}`);
    await waiting.waitFor();

    const { page: path, token } = confirmationLink(mail, to);
    assert.equal(path, `${stage.fleet.run.console_url}/confirm-address`);
    const page = await stage.newPage(`/confirm-address#${token}`);
    await page.getByRole("heading", { name: "Confirm your address" }).waitFor();
    assert.deepEqual(
      subjectsTo(mail, to),
      ["Confirm this address for spend alerts"],
      "opening the page does not confirm the address",
    );
    await page.getByRole("button", { name: "Confirm" }).click();
    await page.getByRole("heading", { name: "Confirmed" }).waitFor();
    await page.getByText(to).waitFor();
    await waitFor(() => lettersTo(mail, to).length === 2, { what: "the delayed notice" });
    assert.match(subjectsTo(mail, to)[1] ?? "", /^Low: /);
    await billing.reload();
    await billing.getByRole("heading", { level: 1, name: "Billing" }).waitFor();
    await billing.getByText(to, { exact: false }).first().waitFor();
    assert.equal(await waiting.count(), 0);
    assert.doesNotMatch(await alerts("list"), /waiting for confirmation/);
    await alerts("delete", id);
  });

  test("alerts are created, listed, tested and deleted on the command line, and the metrics count their messages", async () => {
    const { fleet } = stage;
    const told = (): Promise<number> => counterOf(fleet, "metering", "uag_spend_alerts_total");
    const earlier = await told();
    const email = "command@example.com";
    const id = (await alerts("create", "--below", "1000000", "--name", "From here", "--email", email)).trim();
    const letters = () => mail.letters.filter(({ to }) => to === email);
    await waitFor(() => letters().length === 1, { what: "the e-mail" });
    assert.match(letters()[0]?.text ?? "", /^Subject: From here: \$[\d.]+ is left, less than \$1000000\.00/m);
    await waitFor(async () => (await told()) === earlier + 1, { what: "the count" });
    assert.match(
      await alerts("list"),
      new RegExp(`^${id} .* From here .* USD left .* < 1000000\\.0+ USD .* low .* ${email}`, "m"),
    );
    await alerts("test", id);
    await waitFor(() => letters().length === 2, { what: "the e-mail of the test" });
    assert.match(letters()[1]?.text ?? "", /^Subject: Test: From here/m);
    assert.equal(await alerts("delete", id), `${id} is deleted.\n`);
    assert.doesNotMatch(await alerts("list"), new RegExp(id));
    await assert.rejects(
      alerts("create", "--email", email),
      /one of --usd <amount>, --budget, --shared-budget <id>, --below/,
    );
    await assert.rejects(alerts("delete", id), /The alert does not exist/);
  });
});
