import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import { adminApi } from "@uag/cli/commands/admin-api";
import type { SharedFleet } from "@uag/harness/fleet/shared-fleet";
import { waitFor } from "@uag/harness/testing/wait-for";
import OpenAI from "openai";
import { violationsOf } from "./console/page-checks.ts";
import { enrol, firstOperator, password } from "./console/people.ts";
import { maxPollsInForce, Stage, statusOf } from "./console/stage.ts";

const model = "text-embedding-3-small";
const hello = { model, input: "Hello!" };

interface Opened {
  readonly id: string;
  readonly key: string;
}

interface Receipt {
  readonly status: string;
  readonly spent_usd: string;
  readonly costs: { readonly total_usd: string };
}

describe("envelopes in the console", () => {
  let stage: Stage<SharedFleet>;
  const resources = new AsyncDisposableStack();

  before(async () => {
    stage = resources.use(await Stage.share());
  });
  after(() => resources.disposeAsync());
  afterEach(() => stage.closePages());

  const api = () => adminApi(stage.fleet.run);

  /** An account with money and a key. */
  async function openAccount(): Promise<{ account: string; key: string }> {
    const { id } = (await api().call("POST", "/accounts", { name: "Agents" })) as { id: string };
    await api().call("POST", `/accounts/${id}/top-ups`, { amount_usd: "5", reference: "first" });
    const { key } = (await api().call("POST", "/keys", { account_id: id, key_alias: "orchestrator" })) as Opened;
    return { account: id, key };
  }

  async function open(key: string, name: string): Promise<Opened> {
    const response = await fetch(`${stage.fleet.run.base_url}/v1/envelopes`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ max_usd: 0.5, ttl: 3_600, name }),
    });
    assert.equal(response.status, 201);
    return (await response.json()) as Opened;
  }

  const clientOf = ({ key: apiKey }: Opened): OpenAI =>
    new OpenAI({ baseURL: `${stage.fleet.run.base_url}/v1`, apiKey, maxRetries: 0 });

  test("an agent's run is shown with its nested envelopes and its costs, and closing it ends all their keys", async () => {
    const { account, key } = await openAccount();
    const page = await stage.visit(`/billing?account=${account}`, "Billing");
    await page.getByText("No open envelopes.").waitFor();
    await page.getByText(`curl ${stage.fleet.run.base_url}/v1/envelopes`).waitFor();
    const run = await open(key, "research run");
    const worker = await open(run.key, "web reader");
    for (let sent = 0; sent < 2; sent++) await clientOf(worker).embeddings.create(hello);
    await clientOf(run).embeddings.create(hello);
    const receipt = () => api().call("GET", `/envelopes/${run.id}`) as Promise<Receipt>;
    await waitFor(
      async () => {
        const { spent_usd: spent, costs } = await receipt();
        return Number(spent) > 0 && spent === costs.total_usd;
      },
      { what: "the costs of three requests" },
    );

    await page.reload();
    const table = page.getByRole("table", { name: "Envelopes" });
    const names = table.locator("tbody tr").locator("td:first-child");
    await table.getByText("web reader").waitFor();
    assert.deepEqual(
      (await names.allInnerTexts()).map((text) => text.split("\n")[0]),
      ["research run", "web reader"],
    );
    await table.getByRole("link", { name: /^orchestrator/ }).waitFor();
    await table.getByText("research run").click();
    const drawer = page.getByRole("dialog", { name: "research run", exact: true });
    const costs = drawer.getByRole("table", { name: "Costs of the run" });
    const rows = costs.getByRole("row").filter({ hasText: model });
    await rows.getByRole("link", { name: "1 request", exact: true }).waitFor();
    const link = rows.getByRole("link", { name: "2 requests", exact: true });
    const requests = await page.context().newPage();
    await requests.goto(new URL((await link.getAttribute("href")) ?? "", page.url()).href);
    await waitFor(async () => (await requests.locator("tbody tr[tabindex]").count()) === 2, { what: "two requests" });

    await drawer.getByRole("button", { name: "Close envelope" }).click();
    await page
      .getByRole("dialog", { name: "Close “research run”?" })
      .getByRole("button", { name: "Close envelope" })
      .click();
    await page.getByText("Envelope closed.").waitFor();
    await drawer.getByText("Closed").first().waitFor();
    assert.equal(await drawer.getByRole("button", { name: "Close envelope" }).count(), 0);
    for (const one of [run, worker])
      await waitFor(async () => (await statusOf(clientOf(one).embeddings.create(hello))) === 401, {
        what: "the end of the envelope's key",
        maxPolls: maxPollsInForce,
      });
    await page.keyboard.press("Escape");
    await page.getByText("No open envelopes.").waitFor();
    await page.getByText("Ended", { exact: true }).click();
    await table.getByText("web reader").waitFor();
    assert.equal(await table.getByText("Closed", { exact: true }).filter({ visible: true }).count(), 2);

    const { data } = (await api().call("GET", `/audit-log?account=${account}&action=envelope.close`)) as {
      data: { actor: { name: string }; target_id: string }[];
    };
    assert.deepEqual(
      data.map(({ target_id }) => target_id),
      [run.id],
    );
    assert.match(data[0]?.actor.name ?? "", new RegExp(stage.fleet.run.admin.email));
  });

  test("an auditor sees an envelope without a button that closes it", async () => {
    const { account, key } = await openAccount();
    const { id } = await open(key, "nightly run");
    const email = `auditor-${account}@example.com`;
    await enrol(stage.fleet, await firstOperator(stage.fleet), { email, role: "auditor", account_id: null });
    const page = await stage.visit(`/billing?account=${account}&envelope=${id}`, "Billing", { email, password });
    const drawer = page.getByRole("dialog", { name: "nightly run" });
    await drawer.getByText("Open", { exact: true }).waitFor();
    assert.equal(await drawer.getByRole("button", { name: "Close envelope" }).count(), 0);
  });

  test("axe finds nothing serious in the list and the details of envelopes, light or dark", async () => {
    const { account, key } = await openAccount();
    const run = await open(key, "run");
    await open(run.key, "worker");
    const page = await stage.visit(`/billing?account=${account}`, "Billing");
    const storageState = await page.context().storageState();
    // axe is injected by hand, which the page's security policy forbids.
    const judged = await stage.newPage(`/billing?account=${account}`, { bypassCSP: true, storageState });
    await judged.getByRole("table", { name: "Envelopes" }).getByText("worker").waitFor();
    const problems: string[] = [];
    const judge = async (what: string): Promise<void> => {
      for (const colorScheme of ["light", "dark"] as const) {
        await judged.emulateMedia({ colorScheme });
        await judged.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor();
        for (const { id, nodes } of await violationsOf(judged))
          problems.push(`${what}, ${colorScheme}: ${id}: ${nodes[0]?.html}`);
      }
    };
    await judge("list");
    await judged.getByText("worker").click();
    await judged.getByRole("dialog").getByRole("table", { name: "Costs of the run" }).waitFor();
    await judge("details");
    assert.deepEqual(problems, []);
  });
});
