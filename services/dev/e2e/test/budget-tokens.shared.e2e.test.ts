import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { callAdmin } from "@uag/harness/fleet/admin-call";
import { createTestClient } from "@uag/harness/fleet/client";
import { openSharedFleet, type SharedFleet } from "@uag/harness/fleet/shared-fleet";
import { waitFor } from "@uag/harness/testing/wait-for";

interface Row {
  readonly id: string;
  readonly budget_id?: string | null;
  readonly key_id?: string;
  readonly request_id?: string;
}

interface Listing {
  readonly data: readonly Row[];
}

const chat = "/v1/chat/completions";
const body = { model: "gpt-4o-mini", max_tokens: 10, messages: [{ role: "user", content: "repeat 3 words" }] };

/** What a team has: a budget below the company's, one below it, a key of this one, and an envelope. */
interface Team {
  readonly budgetId: string;
  readonly keyId: string;
  readonly secret: string;
  /** Every id that names something of the team. */
  readonly ids: readonly string[];
  readonly requestIds: readonly string[];
}

describe("an admin token of one budget", () => {
  let fleet: SharedFleet;
  let ours: Team;
  let theirs: Team;
  let companyId: string;
  let token: string;

  const admin = <T>(method: string, path: string, fields?: object, expected = 200): Promise<T> =>
    callAdmin(fleet.run, method, path, fields, expected);

  /** A call with the token of one budget. */
  const limited = <T>(method: string, path: string, fields?: object, expected = 200): Promise<T> =>
    callAdmin({ ...fleet.run, admin: { ...fleet.run.admin, token } }, method, path, fields, expected);

  async function teamOf(name: string): Promise<Team> {
    const { account_id } = fleet.run;
    const budgetOf = (parentId: string) =>
      admin<Row>("POST", "/budgets", { account_id, name, max_budget: "5", parent_id: parentId }, 201);
    const team = await budgetOf(companyId);
    const project = await budgetOf(team.id);
    const made = await admin<{ id: string; key: string }>(
      "POST",
      "/keys",
      { account_id, key_alias: name, budget_id: project.id },
      201,
    );
    const client = createTestClient({ baseUrl: fleet.run.base_url, apiKey: made.key });
    const opened = await client.post("/v1/envelopes", { max_usd: "0.1", ttl: 600 });
    assert.equal(opened.status, 201, opened.text);
    const envelope = opened.json<{ id: string; key: string; key_id: string }>();
    const agent = createTestClient({ baseUrl: fleet.run.base_url, apiKey: envelope.key });
    const answers = [await client.post(chat, body), await agent.post(chat, body)];
    const refused = await client.post(chat, { ...body, model: "no-such-model" });
    assert.deepEqual([...answers.map(({ status }) => status), refused.status], [200, 200, 400]);
    const requestIds = answers.map(({ headers }) => headers.get("x-request-id") ?? "");
    const events = () => admin<Listing>("GET", `/usage/events?account=${account_id}&key=${envelope.key_id}`);
    await waitFor(async () => (await events()).data.length > 0, { what: "the usage" });
    const refusals = () => admin<Listing>("GET", `/refusals?account=${account_id}&key=${made.id}`);
    await waitFor(async () => (await refusals()).data.length > 0, { what: "the refusal" });
    const ids = [team.id, project.id, made.id, envelope.id, envelope.key_id, ...requestIds];
    return { budgetId: team.id, keyId: made.id, secret: made.key, ids, requestIds };
  }

  before(async () => {
    fleet = await openSharedFleet();
    const { account_id } = fleet.run;
    companyId = (await admin<Row>("POST", "/budgets", { account_id, name: "Company", max_budget: "50" }, 201)).id;
    [ours, theirs] = [await teamOf("Ours"), await teamOf("Theirs")];
    const limits = { role: "operator", account_id, budget_id: ours.budgetId };
    ({ token } = await admin<{ token: string }>("POST", "/tokens", { name: "Ours", ...limits, expires: "1h" }, 201));
  });

  test("lists what is below its budget, envelopes and their requests included, and never another team's id", async () => {
    const lists: readonly (readonly [path: string, own: readonly string[]])[] = [
      ["/budgets", ours.ids.slice(0, 2)],
      ["/keys?include_revoked=true", [ours.keyId]],
      ["/keys?sort=alias", [ours.keyId]],
      ["/envelopes", [ours.ids[3] ?? ""]],
      ["/usage", [ours.keyId, ours.ids[4] ?? ""]],
      ["/usage/events", ours.requestIds],
      ["/usage/series?group_by=key", [ours.keyId, ours.ids[4] ?? ""]],
      ["/refusals", [ours.keyId]],
      ["/refusals/series?group_by=key", [ours.keyId]],
    ];
    for (const [path, own] of lists) {
      const text = JSON.stringify(await limited("GET", path));
      for (const id of own) assert.ok(text.includes(`"${id}"`), `${path} has ${id}: ${text}`);
      for (const id of [companyId, ...theirs.ids]) assert.ok(!text.includes(id), `${path} has ${id}: ${text}`);
    }
    const all = await admin<Listing>("GET", `/keys?account=${fleet.run.account_id}&limit=100`);
    const listed = await limited<Listing>("GET", "/keys");
    assert.deepEqual(
      listed.data.map(({ id }) => id),
      [ours.keyId],
    );
    assert.ok(all.data.length > listed.data.length);
  });

  test("another team's budgets, keys, envelopes and requests do not exist for it", async () => {
    const [budgetId, projectId, keyId, envelopeId] = theirs.ids;
    for (const path of [
      `/budgets/${companyId}`,
      `/budgets/${budgetId}`,
      `/budgets/${projectId}/end-users`,
      `/keys/${keyId}`,
      `/keys/${keyId}/use`,
      `/envelopes/${envelopeId}`,
      ...theirs.requestIds.map((id) => `/usage/events/${id}`),
    ])
      await limited("GET", path, undefined, 404);
    await limited("DELETE", `/keys/${keyId}`, undefined, 404);
    await limited("POST", `/envelopes/${envelopeId}/close`, undefined, 404);
    await limited("PATCH", `/budgets/${budgetId}`, { max_budget: "9" }, 404);
    const named = await limited<Listing>("GET", `/usage/events?key=${keyId}`);
    assert.deepEqual(named.data, []);
    for (const id of ours.requestIds) await limited("GET", `/usage/events/${id}`);
    await limited("GET", `/envelopes/${ours.ids[3]}`);
  });

  test("it manages budgets and keys below its own budget, which it neither changes nor moves keys out of", async () => {
    const made = await limited<Row>("POST", "/keys", { key_alias: "new" }, 201);
    assert.equal(made.budget_id, ours.budgetId);
    const project = await limited<Row & { parent_id: string }>("POST", "/budgets", { name: "P", max_budget: "1" }, 201);
    assert.equal(project.parent_id, ours.budgetId);
    assert.equal((await limited<Row>("PATCH", `/keys/${made.id}`, { budget_id: project.id })).budget_id, project.id);
    await limited("PATCH", `/keys/${made.id}`, { budget_id: theirs.budgetId }, 404);
    await limited("PATCH", `/keys/${made.id}`, { budget_id: companyId }, 404);
    await limited("PATCH", `/keys/${made.id}`, { budget_id: null }, 403);
    await limited("PATCH", `/budgets/${project.id}`, { max_budget: "2" });
    await limited("PATCH", `/budgets/${ours.budgetId}`, { max_budget: "50" }, 403);
    await limited("DELETE", `/budgets/${ours.budgetId}`, undefined, 403);
    await limited("DELETE", `/keys/${made.id}`);
    await limited("DELETE", `/budgets/${project.id}`);
    await limited("GET", `/accounts/${fleet.run.account_id}`, undefined, 403);
  });

  test("it is created for a budget of its account only, and is listed with this budget", async () => {
    const { account_id } = fleet.run;
    const fields = { name: "x", role: "keys" };
    await admin("POST", "/tokens", { ...fields, budget_id: ours.budgetId }, 400);
    await admin("POST", "/tokens", { ...fields, account_id, budget_id: "bud_none" }, 404);
    const made = await admin<Row>("POST", "/tokens", { ...fields, account_id, budget_id: ours.budgetId }, 201);
    assert.equal(made.budget_id, ours.budgetId);
    const { data } = await admin<Listing>("GET", "/tokens");
    assert.equal(data.find(({ id }) => id === made.id)?.budget_id, ours.budgetId);
    await admin("DELETE", `/tokens/${made.id}`);
  });
});
