import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { callAdmin } from "@uag/harness/fleet/admin-call";
import { createTestClient } from "@uag/harness/fleet/client";
import { openSharedFleet, type SharedFleet } from "@uag/harness/fleet/shared-fleet";
import { waitFor } from "@uag/harness/testing/wait-for";

interface Budget {
  readonly id: string;
  readonly spent_usd: string;
  readonly reserved_usd: string;
  readonly available_usd: string;
  readonly resets_at: string | null;
}

interface Alert {
  readonly id: string;
  readonly monthly_usd: string | null;
  readonly spent_usd: string;
  readonly month: string;
  readonly notices: readonly { readonly threshold: number | null }[];
}

interface ErrorResponse {
  readonly error: { message: string; code: string; param: string | null };
}

const chat = "/v1/chat/completions";
/** Holds the longest output: 1,000 tokens of 0.0000006 USD, and a few of the prompt. */
const body = { model: "gpt-4o-mini", max_tokens: 1_000, messages: [{ role: "user", content: "repeat 10 words" }] };

describe("budgets that keys share", () => {
  let fleet: SharedFleet;

  before(async () => {
    fleet = await openSharedFleet();
  });

  const admin = <T>(method: string, path: string, fields?: object, expected = 200): Promise<T> =>
    callAdmin(fleet.run, method, path, fields, expected);

  const budgetOf = (name: string, fields: object): Promise<Budget> =>
    admin("POST", "/budgets", { account_id: fleet.run.account_id, name, ...fields }, 201);

  async function clientWith(budgetId: string) {
    const fields = { account_id: fleet.run.account_id, key_alias: "k", budget_id: budgetId };
    const { id, key } = await admin<{ id: string; key: string }>("POST", "/keys", fields, 201);
    return { id, client: createTestClient({ baseUrl: fleet.run.base_url, apiKey: key }) };
  }

  test("requests of two keys are refused once their common budget does not cover them, with its name and reset, until it is raised", async () => {
    const company = await budgetOf("Company", { max_budget: "0.001", period: "week" });
    const research = await budgetOf("Research", { max_budget: "5", period: "day", parent_id: company.id });
    const [one, two] = [await clientWith(research.id), await clientWith(company.id)];
    const first = await one.client.post(chat, body);
    assert.equal(first.status, 200, first.text);
    const cost = Number(first.headers.get("x-gateway-cost-usd"));
    const shown = () => admin<Budget>("GET", `/budgets/${company.id}`);
    await waitFor(async () => Number((await shown()).spent_usd) === cost, { what: "the charge in the budget" });

    const large = { ...body, max_tokens: 10_000 };
    for (const { client } of [one, two]) {
      const { status, json, text } = await client.post(chat, large);
      assert.equal(status, 429, text);
      const { error } = json<ErrorResponse>();
      assert.equal(error.code, "budget_exceeded");
      const { resets_at } = await shown();
      const until = `${resets_at?.slice(0, 16).replace("T", " ")} (UTC)`;
      assert.ok(error.message.includes(`the budget "Company" (${company.id}) has $`), error.message);
      assert.ok(error.message.includes(` left until ${until}.`), error.message);
    }
    await admin("PATCH", `/budgets/${company.id}`, { max_budget: "1" });
    const raised = await two.client.post(chat, large);
    assert.equal(raised.status, 200, raised.text);
    const both = cost + Number(raised.headers.get("x-gateway-cost-usd"));
    await waitFor(async () => Math.abs(Number((await shown()).spent_usd) - both) < 1e-12, { what: "both charges" });
    const team = await admin<Budget>("GET", `/budgets/${research.id}`);
    assert.equal(Number(team.spent_usd), cost, "only its own key's requests count toward the lower budget");
  });

  test("a key that leaves a used up budget is served at once, and a budget in use is not deleted", async () => {
    const spent = await budgetOf("Spent", { max_budget: "0.000001", period: "total" });
    const { id, client } = await clientWith(spent.id);
    const refused = await client.post(chat, body);
    assert.equal(refused.status, 429, refused.text);
    assert.match(refused.json<ErrorResponse>().error.message, /"Spent" .* left; it does not reset\./);
    const kept = await admin<ErrorResponse>("DELETE", `/budgets/${spent.id}`, undefined, 400);
    assert.match(kept.error.message, /Keys have this budget/);
    await admin("PATCH", `/keys/${id}`, { budget_id: null });
    await waitFor(async () => (await client.post(chat, body)).status === 200, { what: "a response" });
    await admin("DELETE", `/budgets/${spent.id}`);
    const listed = await admin<{ data: Budget[] }>("GET", `/budgets?account=${fleet.run.account_id}`);
    assert.ok(listed.data.every((budget) => budget.id !== spent.id));
  });

  test("keys share the limits of the budgets above them, refusals name the budget, and changes are in force within seconds", async () => {
    const company = await budgetOf("Company", { max_budget: "5", rpm_limit: 4 });
    const research = await budgetOf("Research", { max_budget: "5", parent_id: company.id, tpm_limit: 100_000 });
    const [one, two] = [await clientWith(research.id), await clientWith(company.id)];
    const statuses: number[] = [];
    for (const { client } of [one, two, one, two]) statuses.push((await client.post(chat, body)).status);
    assert.deepEqual(statuses, [200, 200, 200, 200]);
    const refused = await one.client.post(chat, body);
    assert.equal(refused.status, 429, refused.text);
    const { code, message } = refused.json<ErrorResponse>().error;
    assert.equal(code, "rate_limit_exceeded");
    const reached = `The budget "Company" (${company.id}) has reached its limit of 4 requests a minute.`;
    assert.ok(message.startsWith(reached), message);
    const { headers } = refused;
    const shown = ["limit-requests", "remaining-requests", "limit-tokens"].map((n) => headers.get(`x-ratelimit-${n}`));
    assert.deepEqual(shown, ["4", "0", "100000"]);
    assert.ok(Number(headers.get("retry-after")) > 0);

    await admin("PATCH", `/budgets/${company.id}`, { rpm_limit: null, models: ["gpt-4o*"] });
    await waitFor(async () => (await two.client.post(chat, body)).status === 200, { what: "the raised limit" });
    await admin("PATCH", `/budgets/${research.id}`, { models: ["gpt-4o-mini"] });
    const models = async () =>
      (await one.client.get("/v1/models")).json<{ data: { id: string }[] }>().data.map(({ id }) => id);
    await waitFor(async () => (await models()).length === 1, { what: "the model that both allow" });
    assert.deepEqual(await models(), ["gpt-4o-mini"]);
    const withheld = await one.client.post(chat, { ...body, model: "gpt-4o" });
    assert.equal(withheld.status, 400, withheld.text);
    const named = `The budget "Research" (${research.id}) does not allow the model 'gpt-4o'.`;
    assert.ok(withheld.json<ErrorResponse>().error.message.startsWith(named), withheld.text);
    assert.equal((await two.client.post(chat, { ...body, model: "gpt-4o" })).status, 200);
    const opened = await one.client.post("/v1/envelopes", { max_usd: "0.1", ttl: 60 });
    assert.equal(opened.status, 201, opened.text);
    const agent = createTestClient({ baseUrl: fleet.run.base_url, apiKey: opened.json<{ key: string }>().key });
    const below = await agent.post(chat, { ...body, model: "gpt-4o" });
    assert.ok(below.json<ErrorResponse>().error.message.startsWith(named), below.text);
  });

  test("an alert reports that a share of a shared budget is spent, also of one that refuses nothing", async () => {
    const soft = await budgetOf("Soft", { max_budget: "0.000001", period: "day", hard: false });
    const { client } = await clientWith(soft.id);
    const fields = { account_id: fleet.run.account_id, kind: "budget", webhook_url: "https://example.com/hook" };
    const unknown = { ...fields, budget_id: "budget_other" };
    assert.equal((await admin<ErrorResponse>("POST", "/alerts", unknown, 404)).error.code, "not_found");
    const neither = await admin<ErrorResponse>("POST", "/alerts", fields, 400);
    assert.match(neither.error.message, /either key_id or budget_id/);
    const { id } = await admin<{ id: string }>("POST", "/alerts", { ...fields, budget_id: soft.id }, 201);
    const response = await client.post(chat, body);
    assert.equal(response.status, 200, response.text);
    const shown = async () => {
      const { data } = await admin<{ data: Alert[] }>("GET", `/alerts?account=${fleet.run.account_id}`);
      return data.find((alert) => alert.id === id);
    };
    await waitFor(async () => (await shown())?.notices.length === 3, { what: "notices of three thresholds" });
    const { monthly_usd, spent_usd, month, notices } = (await shown()) as Alert;
    assert.deepEqual([monthly_usd, spent_usd], ["0.000001000", response.headers.get("x-gateway-cost-usd")]);
    assert.match(month, /^\d{4}-\d{2}-\d{2}$/);
    assert.deepEqual(
      notices.map(({ threshold }) => threshold),
      [50, 80, 100],
    );
    await admin("DELETE", `/alerts/${id}`);
  });

  test("a video holds the budgets of its key until it ends, and is charged to them", async () => {
    const videos = await budgetOf("Videos", { max_budget: "2", period: "month" });
    const { client } = await clientWith(videos.id);
    const video = { model: "grok-imagine-video", prompt: "a boat", duration: 2, resolution: "480p" };
    const submitted = await client.post("/v1/videos/generations", video);
    assert.ok(submitted.status < 300, submitted.text);
    const shown = () => admin<Budget>("GET", `/budgets/${videos.id}`);
    await waitFor(async () => Number((await shown()).spent_usd) > 0, { what: "the video's charge" });
    assert.equal(Number((await shown()).reserved_usd), 0);
  });
});
