import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { callAdmin } from "@uag/harness/fleet/admin-call";
import { createTestClient, type TestClient } from "@uag/harness/fleet/client";
import { openSharedFleet, type SharedFleet } from "@uag/harness/fleet/shared-fleet";
import { waitFor } from "@uag/harness/testing/wait-for";

interface Envelope {
  readonly id: string;
  readonly key: string;
  readonly key_id: string;
  readonly parent: string | null;
  readonly status: string;
  readonly max_usd: string;
  readonly spent_usd: string;
  readonly reserved_usd: string;
  readonly remaining_usd: string;
  readonly models: readonly string[];
  readonly expires_at: string;
  readonly costs: {
    readonly total_usd: string;
    readonly envelopes: readonly {
      readonly id: string;
      readonly own_usd: string;
      readonly total_usd: string;
      readonly models: readonly { model: string; requests: number; cost_usd: string }[];
    }[];
  };
}

interface ErrorResponse {
  readonly error: { message: string; code: string; type: string; param: string | null };
}

const chat = "/v1/chat/completions";
const remainingHeader = "x-gateway-envelope-remaining-usd";
/** Holds the longest output: 1,000 tokens of 0.0000006 USD, and a few of the prompt. */
const body = { model: "gpt-4o-mini", max_tokens: 1_000, messages: [{ role: "user", content: "repeat 10 words" }] };
/** Costs nearly what it holds: about 0.00012 USD. */
const busy = { ...body, max_tokens: 210, messages: [{ role: "user", content: "repeat 200 words" }] };
const nano = (usd: string | null): bigint => BigInt((usd ?? "").replace(".", ""));
const costOf = ({ headers }: { headers: Headers }): bigint => nano(headers.get("x-gateway-cost-usd"));

describe("envelopes for agents", () => {
  let fleet: SharedFleet;
  let owner: TestClient;

  before(async () => {
    fleet = await openSharedFleet();
    owner = fleet.client;
  });

  const clientOf = ({ key }: Pick<Envelope, "key">) => createTestClient({ baseUrl: fleet.run.base_url, apiKey: key });

  async function open(client: TestClient, fields: object): Promise<Envelope> {
    const { status, text, json } = await client.post("/v1/envelopes", { max_usd: 1, ttl: 600, ...fields });
    assert.equal(status, 201, text);
    return json<Envelope>();
  }

  async function refused(client: TestClient, fields: object, expected: { status: number; param: string | null }) {
    const { status, text, json } = await client.post("/v1/envelopes", { max_usd: 1, ttl: 600, ...fields });
    const { error } = json<ErrorResponse>();
    assert.deepEqual({ status, param: error.param }, expected, text);
    return error;
  }

  async function show(client: TestClient, id: string): Promise<Envelope> {
    const { status, text, json } = await client.get(`/v1/envelopes/${id}`);
    assert.equal(status, 200, text);
    return json<Envelope>();
  }

  const admin = <T>(method: string, path: string, fields?: object, expected = 200): Promise<T> =>
    callAdmin(fleet.run, method, path, fields, expected);

  /** A key of the account, which no other test uses. */
  async function ownKey(fields: object = {}): Promise<{ id: string; client: TestClient }> {
    const made = await admin<{ id: string; key: string }>(
      "POST",
      "/keys",
      { account_id: fleet.run.account_id, key_alias: "agent owner", ...fields },
      201,
    );
    return { id: made.id, client: clientOf(made) };
  }

  const settled = (client: TestClient, id: string, cost: bigint) =>
    waitFor(async () => nano((await show(client, id)).costs.total_usd) === cost, {
      what: "all charges in the receipt",
    });

  test("a repeated request with an Idempotency-Key returns the same envelope and key, and one with another body is refused", async () => {
    const headers = { "idempotency-key": `run-${Date.now()}` };
    const post = (body: object) => owner.post("/v1/envelopes", body, { headers });
    const terms = { max_usd: "0.01", ttl: 600 };
    const [first, again] = [await post(terms), await post(terms)];
    assert.deepEqual([first.status, again.status], [201, 201], again.text);
    assert.deepEqual(
      [first, again].map((one) => one.headers.get("idempotent-replayed")),
      [null, "true"],
    );
    const [opened, repeated] = [first.json<Envelope>(), again.json<Envelope>()];
    assert.deepEqual([repeated.id, repeated.key], [opened.id, opened.key]);
    assert.equal((await clientOf(repeated).post(chat, body)).status, 200);
    const other = await post({ ...terms, ttl: 700 });
    assert.deepEqual(
      [other.status, other.json<ErrorResponse>().error.code],
      [422, "idempotency_key_reuse"],
      other.text,
    );
  });

  test("each response states what remains, which is exact once nothing else runs, and a refusal with 402 names the envelope", async () => {
    const envelope = await open(owner, { max_usd: "0.002", name: "planner" });
    assert.match(envelope.id, /^env_/);
    assert.equal(envelope.max_usd, "0.002000000");
    const client = clientOf(envelope);
    let cost = 0n;
    for (let request = 0; request < 2; request++) {
      const response = await client.post(chat, body);
      assert.equal(response.status, 200, response.text);
      cost += costOf(response);
      assert.equal(nano(response.headers.get(remainingHeader)), nano(envelope.max_usd) - cost);
    }
    const large = await client.post(chat, { ...body, max_tokens: 10_000 });
    assert.equal(large.status, 402, large.text);
    const { error } = large.json<ErrorResponse>();
    assert.deepEqual([error.code, error.type], ["envelope_exhausted", "insufficient_balance"]);
    assert.ok(error.message.includes(`the envelope "planner" (${envelope.id}) has $0.00`), error.message);
    assert.equal(large.headers.get("x-should-retry"), "false");
    assert.equal(nano(large.headers.get(remainingHeader)), nano(envelope.max_usd) - cost);
    await settled(client, envelope.id, cost);
    const shown = await show(client, envelope.id);
    assert.equal(nano(shown.spent_usd), cost);
    const [own] = shown.costs.envelopes;
    assert.deepEqual(own?.models, [{ model: "gpt-4o-mini", requests: 2, cost_usd: shown.spent_usd }]);
  });

  test("concurrent requests that would overspend are refused, and what is charged never exceeds the envelope", async () => {
    const envelope = await open(owner, { max_usd: "0.0015" });
    const client = clientOf(envelope);
    const responses = await Promise.all(Array.from({ length: 40 }, () => client.post(chat, busy)));
    const served = responses.filter(({ status }) => status === 200);
    for (const { status, text } of responses) assert.ok(status === 200 || status === 402, text);
    assert.ok(served.length >= 8 && served.length < 40, `${served.length} served`);
    const cost = served.reduce((sum, response) => sum + costOf(response), 0n);
    assert.ok(cost <= nano(envelope.max_usd));
    await settled(owner, envelope.id, cost);
    assert.equal(nano((await show(owner, envelope.id)).spent_usd), cost);
  });

  test("a stream states what remains as of its start, with its own upper bound taken, and is charged to its envelope", async () => {
    const envelope = await open(owner, { max_usd: "0.01" });
    const client = clientOf(envelope);
    const response = await client.post(chat, { ...body, stream: true, stream_options: { include_usage: true } });
    assert.equal(response.status, 200, response.text);
    const remaining = nano(response.headers.get(remainingHeader));
    assert.ok(remaining < nano(envelope.max_usd) - 600_000n, `${remaining}`);
    await waitFor(async () => nano((await show(owner, envelope.id)).spent_usd) > 0n, { what: "the stream's charge" });
  });

  test("envelopes nest: each request draws from all of them, and the tree of costs is one receipt that adds up", async () => {
    const run = await open(owner, { max_usd: "0.001", name: "run" });
    const planner = await open(clientOf(run), { max_usd: "0.001", name: "planner" });
    const coder = await open(owner, { max_usd: "0.0009", parent: run.id, name: "coder" });
    const helper = await open(clientOf(coder), { max_usd: "0.0009", name: "helper" });
    assert.deepEqual([planner.parent, coder.parent, helper.parent], [run.id, run.id, coder.id]);
    const costs: bigint[] = [];
    for (const envelope of [run, planner, coder, helper]) {
      const response = await clientOf(envelope).post(chat, body);
      assert.equal(response.status, 200, response.text);
      costs.push(costOf(response));
    }
    const total = costs.reduce((sum, cost) => sum + cost);
    await settled(owner, run.id, total);
    const shown = await show(owner, run.id);
    assert.equal(nano(shown.spent_usd), total);
    assert.deepEqual(
      shown.costs.envelopes.map(({ id, own_usd }) => [id, nano(own_usd)]),
      [run, planner, coder, helper].map(({ id }, at) => [id, costs[at]]),
    );
    const coders = shown.costs.envelopes.find(({ id }) => id === coder.id);
    assert.equal(nano(coders?.total_usd ?? ""), (costs[2] as bigint) + (costs[3] as bigint));

    const races = await Promise.all(
      [planner, coder, helper].flatMap((envelope) =>
        Array.from({ length: 8 }, () => clientOf(envelope).post(chat, busy)),
      ),
    );
    for (const { status, text } of races) assert.ok(status === 200 || status === 402, text);
    const refusal = races.find(({ status }) => status === 402);
    assert.ok(refusal?.text.includes(run.id), "the highest envelope that is used up is named");
    const all = total + races.reduce((sum, response) => sum + (response.status === 200 ? costOf(response) : 0n), 0n);
    assert.ok(all <= nano(run.max_usd));
    await settled(owner, run.id, all);
    assert.equal(nano((await show(owner, run.id)).spent_usd), all);
  });

  test("the key of an envelope sees only its own part of the tree, and has at most four levels above its end", async () => {
    let deepest = await open(owner, {});
    const top = deepest;
    for (let level = 2; level <= 4; level++) deepest = await open(clientOf(deepest), {});
    const { message } = await refused(clientOf(deepest), {}, { status: 400, param: "parent" });
    assert.match(message, /at most 4 levels/);
    const other = await open(owner, {});
    for (const [path, expected] of [
      [`/v1/envelopes/${top.id}`, 404],
      [`/v1/envelopes/${other.id}`, 404],
      [`/v1/envelopes/${deepest.id}`, 200],
    ] as const)
      assert.equal((await clientOf(deepest).get(path)).status, expected, path);
    await refused(clientOf(top), { parent: other.id }, { status: 404, param: "parent" });
    const closed = await clientOf(deepest).post(`/v1/envelopes/${top.id}/close`, {});
    assert.equal(closed.status, 404);
    const listed = (await clientOf(deepest).get("/v1/envelopes")).json<{ data: Envelope[] }>();
    assert.deepEqual(
      listed.data.map(({ id }) => id),
      [deepest.id],
    );
    const stranger = await ownKey();
    assert.equal((await stranger.client.get(`/v1/envelopes/${top.id}`)).status, 404);
  });

  test("a page lists the newest envelopes first and continues after the last one", async () => {
    const { client } = await ownKey();
    const made: string[] = [];
    for (let at = 0; at < 3; at++) made.unshift((await open(client, {})).id);
    const first = (await client.get("/v1/envelopes?limit=2")).json<{ data: Envelope[]; next_cursor: string }>();
    const rest = (await client.get(`/v1/envelopes?limit=2&after=${first.next_cursor}`)).json<{ data: Envelope[] }>();
    assert.deepEqual(
      [...first.data, ...rest.data].map(({ id }) => id),
      made,
    );
    assert.equal((await client.get("/v1/envelopes?after=!")).status, 400);
  });

  test("an envelope never has more than the key above: models, amount and end", async () => {
    const expires = new Date(Date.now() + 120_000).toISOString();
    const { id, client } = await ownKey({ models: ["gpt-4o*"], expires });
    await refused(client, { models: ["gpt-5"] }, { status: 400, param: "models" });
    const envelope = await open(client, { ttl: 3_600 });
    assert.deepEqual(envelope.models, ["gpt-4o*"]);
    assert.equal(envelope.expires_at, expires);
    const below = await open(clientOf(envelope), { models: ["gpt-4o-mini"] });
    await refused(clientOf(envelope), { max_usd: "1.000000001" }, { status: 400, param: "max_usd" });
    await refused(clientOf(below), { models: ["gpt-4o"] }, { status: 400, param: "models" });
    const served = await clientOf(below).post(chat, body);
    assert.equal(served.status, 200, served.text);
    await admin("PATCH", `/keys/${id}`, { models: ["gpt-4o"] });
    await waitFor(async () => (await clientOf(below).post(chat, body)).status === 400, { what: "no model in common" });
    const models = (await clientOf(below).get("/v1/models")).json<{ data: unknown[] }>();
    assert.deepEqual(models.data, []);
  });

  test("an envelope uses the limits and the monthly budget of the key that opened it", async () => {
    const { id, client } = await ownKey({ max_budget: "0.001" });
    const envelope = await open(client, { max_usd: 1 });
    const first = await clientOf(envelope).post(chat, body);
    assert.equal(first.status, 200, first.text);
    const large = { ...body, max_tokens: 1_700 };
    for (const one of [clientOf(envelope), client]) {
      const refusal = await one.post(chat, large);
      assert.equal(refusal.status, 429, refusal.text);
      assert.equal(refusal.json<ErrorResponse>().error.code, "budget_exceeded");
    }
    await admin("PATCH", `/keys/${id}`, { max_budget: null, rpm_limit: 1 });
    await waitFor(
      async () => (await clientOf(envelope).post(chat, body)).headers.get("x-ratelimit-limit-requests") === "1",
      { what: "the key's new limit" },
    );
    const limited = await client.post(chat, body);
    assert.equal(limited.status, 429, limited.text);
    assert.equal(limited.json<ErrorResponse>().error.code, "rate_limit_exceeded");
  });

  test("closing stops the keys of an envelope and of those below, while a stream under way ends and is charged", async () => {
    const envelope = await open(owner, { max_usd: "0.5" });
    const below = await open(clientOf(envelope), { max_usd: "0.5" });
    const streaming = await fetch(`${fleet.run.base_url}${chat}`, {
      method: "POST",
      headers: { authorization: `Bearer ${below.key}`, "content-type": "application/json" },
      body: JSON.stringify({
        model: "gpt-4o-mini",
        stream: true,
        stream_options: { include_usage: true },
        messages: [{ role: "user", content: "repeat 400 words" }],
      }),
    });
    assert.equal(streaming.status, 200);
    const closed = await owner.post(`/v1/envelopes/${envelope.id}/close`, {});
    assert.equal(closed.status, 200, closed.text);
    assert.deepEqual(
      [closed.json<Envelope>().status, closed.json<Envelope>().remaining_usd],
      ["closed", "0.000000000"],
    );
    for (const { key } of [envelope, below])
      await waitFor(async () => (await clientOf({ key }).post(chat, body)).status === 401, { what: "a revoked key" });
    const text = await streaming.text();
    assert.ok(text.includes("data: [DONE]"), text.slice(-300));
    await waitFor(
      async () => {
        const { spent_usd, reserved_usd, costs } = await show(owner, envelope.id);
        return nano(spent_usd) > 0n && nano(reserved_usd) === 0n && costs.total_usd === spent_usd;
      },
      { what: "the stream's charge and the return of the rest" },
    );
    await refused(owner, { parent: below.id }, { status: 400, param: "parent" });
    assert.equal((await owner.post(`/v1/envelopes/${envelope.id}/close`, {})).status, 200, "closing again");
  });

  test("revoking a key closes its envelopes, and the key of an envelope cannot be changed", async () => {
    const { id, client } = await ownKey();
    const envelope = await open(client, {});
    const below = await open(clientOf(envelope), {});
    await admin("PATCH", `/keys/${envelope.key_id}`, { models: [] }, 400);
    await admin("POST", `/keys/${envelope.key_id}/regenerate`, {}, 400);
    const { data } = await admin<{ data: { id: string }[] }>("GET", `/keys?account=${fleet.run.account_id}`);
    assert.ok(data.every((key) => key.id !== envelope.key_id));
    await admin("DELETE", `/keys/${id}`);
    for (const one of [envelope, below])
      await waitFor(async () => (await clientOf(one).post(chat, body)).status === 401, { what: "a revoked key" });
  });

  test("an envelope ends with its ttl: its key is refused, and no other can be opened below it", async () => {
    const envelope = await open(owner, { ttl: 10 });
    const client = clientOf(envelope);
    assert.equal((await client.post(chat, body)).status, 200);
    await waitFor(async () => (await client.post(chat, body)).status === 401, { what: "the end", timeoutMs: 20_000 });
    await refused(owner, { parent: envelope.id }, { status: 400, param: "parent" });
    assert.equal((await show(owner, envelope.id)).status, "expired");
  });

  test("a video holds its envelope until it ends, and is on its receipt", async () => {
    const envelope = await open(owner, { max_usd: 2 });
    const client = clientOf(envelope);
    const video = { model: "grok-imagine-video", prompt: "a boat", duration: 2, resolution: "480p" };
    const submitted = await client.post("/v1/videos/generations", video);
    assert.ok(submitted.status < 300, submitted.text);
    const remaining = nano(submitted.headers.get(remainingHeader));
    assert.ok(remaining > 0n && remaining < nano(envelope.max_usd), `${remaining} remains`);
    await waitFor(
      async () => {
        const { spent_usd, costs } = await show(client, envelope.id);
        return nano(spent_usd) > 0n && costs.total_usd === spent_usd;
      },
      { what: "the video's charge" },
    );
  });

  test("free requests state what remains and change nothing of it", async () => {
    const envelope = await open(owner, { max_usd: "0.5" });
    const client = clientOf(envelope);
    await waitFor(
      async () => {
        const response = await client.post("/v1/moderations", { input: "a boat" });
        assert.equal(response.status, 200, response.text);
        return response.headers.get(remainingHeader) === envelope.max_usd;
      },
      { what: "billing's report of what remains" },
    );
    assert.equal((await show(client, envelope.id)).spent_usd, "0.000000000");
  });

  test("the quota of an envelope's key is the envelope, and its usage is its own", async () => {
    const envelope = await open(owner, { max_usd: "0.25" });
    const client = clientOf(envelope);
    const limit = (await client.get("/v1/dashboard/billing/subscription")).json<{ hard_limit_usd: number }>();
    assert.equal(limit.hard_limit_usd, 0.25);
    const usage = (await client.get("/v1/dashboard/billing/usage")).json<{ total_usage: number }>();
    assert.equal(usage.total_usage, 0);
  });

  test("bad input is refused with the field's name", async () => {
    const cases: [object, string][] = [
      [{ max_usd: 0 }, "max_usd"],
      [{ max_usd: "100000.000000001" }, "max_usd"],
      [{ ttl: 9 }, "ttl"],
      [{ ttl: 2_592_001 }, "ttl"],
      [{ models: [] }, "models"],
      [{ name: "n".repeat(201) }, "name"],
      [{ budget: 1 }, "budget"],
    ];
    for (const [fields, param] of cases) await refused(owner, fields, { status: 400, param });
    await refused(owner, { parent: "env_unknown" }, { status: 404, param: "parent" });
  });
});
