import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { endUserHeader } from "@uag/contract/end-users";
import { filledPath, routes } from "@uag/contract/routes";
import { callAdmin } from "@uag/harness/fleet/admin-call";
import { resultsIn } from "@uag/harness/fleet/batch-check";
import { createTestClient, type TestClient } from "@uag/harness/fleet/client";
import { newAccount } from "@uag/harness/fleet/limited-key";
import { openSharedFleet, type SharedFleet } from "@uag/harness/fleet/shared-fleet";
import { waitFor } from "@uag/harness/testing/wait-for";
import { examples } from "@uag/router/openapi/examples/examples";
import { square } from "@uag/router/openapi/examples/square";
import OpenAI, { toFile } from "openai";
import { wavOf } from "./transcription/wav.ts";

interface ErrorBody {
  readonly error: { message: string; code?: string; param?: string | null; type?: string };
}

interface EndUser {
  readonly id: string;
  readonly spent_usd: string;
  readonly reserved_usd: string;
  readonly resets_at: string | null;
}

interface BackgroundResponse {
  readonly id: string;
  readonly status: string;
  readonly error: { readonly code: string } | null;
}

interface Sent {
  readonly status: number;
  readonly text: string;
}

interface Endpoint {
  readonly name: string;
  readonly free: boolean;
  send(url: string, key: string, options: { readonly fields?: object; readonly endUser?: string }): Promise<Sent>;
}

const headersOf = (key: string, endUser: string | undefined): Record<string, string> => ({
  authorization: `Bearer ${key}`,
  ...(endUser !== undefined && { [endUserHeader]: endUser }),
});

const post = async (url: string, init: RequestInit): Promise<Sent> => {
  const response = await fetch(url, { method: "POST", ...init });
  return { status: response.status, text: await response.text() };
};

const forms: Readonly<Record<string, () => FormData>> = {
  "images.edits": () => {
    const form = new FormData();
    form.set("model", "gamma-image-1");
    form.set("prompt", "a boat");
    form.set("image", new File([Buffer.from(square, "base64")], "square.png", { type: "image/png" }));
    return form;
  },
  ...Object.fromEntries(
    ["audio.transcriptions", "audio.translations"].map((name) => [
      name,
      () => {
        const form = new FormData();
        form.set("model", "whisper-1");
        form.set("file", new File([wavOf(1)], "speech.wav", { type: "audio/wav" }));
        return form;
      },
    ]),
  ),
};

/** Every route of which requests are billed. */
const endpoints: readonly Endpoint[] = routes.flatMap((route) => {
  if (!("operation" in route) || route.billing === "none") return [];
  const name = route.operation;
  const free = route.billing === "free";
  const form = forms[name];
  const { body, path = {} } = examples.find(({ operation, body }) => operation === name && body !== undefined) ?? {};
  const target = filledPath(route.path, (field) => String(path[field] ?? assert.fail(`${name}: ${field}`)));
  return [
    {
      name: `${name} at ${route.path}`,
      free,
      send(url, key, { fields = {}, endUser }) {
        const headers = headersOf(key, endUser);
        if (form === undefined) {
          const json = { "content-type": "application/json" };
          return post(url + target, { headers: { ...headers, ...json }, body: JSON.stringify({ ...body, ...fields }) });
        }
        const filled = form();
        for (const [field, value] of Object.entries(fields)) filled.set(field, String(value));
        return post(url + target, { headers, body: filled });
      },
    },
  ];
});

const chat = "/v1/chat/completions";
/** Holds the longest output: 1,000 tokens of 0.0000006 USD, and a few of the prompt. */
const body = { model: "gpt-4o-mini", max_tokens: 1_000, messages: [{ role: "user", content: "repeat 10 words" }] };

describe("end users", () => {
  let fleet: SharedFleet;

  before(async () => {
    fleet = await openSharedFleet();
  });

  const admin = <T>(method: string, path: string, fields?: object, expected = 200): Promise<T> =>
    callAdmin(fleet.run, method, path, fields, expected);

  async function shopWith(
    endUsers: object,
    { amount = "5", account_id = fleet.run.account_id } = {},
  ): Promise<{ id: string; key: string; client: TestClient }> {
    const baseUrl = fleet.run.base_url;
    const fields = { account_id, name: "Shop", max_budget: amount, end_users: endUsers };
    const { id } = await admin<{ id: string }>("POST", "/budgets", fields, 201);
    const { key } = await admin<{ key: string }>("POST", "/keys", { account_id, budget_id: id }, 201);
    return { id, key, client: createTestClient({ baseUrl, apiKey: key }) };
  }

  const useOf = async (id: string, endUser: string): Promise<EndUser> => {
    const { data } = await admin<{ data: EndUser[] }>("GET", `/budgets/${id}/end-users?end_user=${endUser}`);
    assert.equal(data.length, 1);
    return data[0] as EndUser;
  };

  test("each endpoint that is billed requires an end user, and refuses one whose part is used up", async () => {
    const { id, key } = await shopWith(
      { max_budget: "0.000000001", period: "week", required: true },
      { amount: "100" },
    );
    const url = fleet.run.base_url;
    assert.ok(endpoints.length >= 20, `${endpoints.length} endpoints`);
    for (const { name, free, send } of endpoints) {
      const without = await send(url, key, {});
      assert.equal(without.status, 400, `${name}: ${without.text}`);
      assert.match(without.text, /requires an end user/, name);
      for (const named of [{ fields: { user: "alice" } }, { endUser: "alice" }]) {
        const { status, text } = await send(url, key, named);
        if (free) {
          assert.equal(status, 200, `${name}: ${text}`);
          continue;
        }
        assert.equal(status, 429, `${name}: ${text}`);
        const part = new RegExp(`this end user of the budget ..?Shop..? \\(${id}\\) has \\$0\\.000000001 left until `);
        assert.match(text, part, name);
      }
    }
  });

  test("each end user spends its part, whichever field or header names it, and no other's", async () => {
    const { id, client } = await shopWith({ max_budget: "0.001", period: "day" });
    const ways: readonly [object, Record<string, string>?][] = [
      [{ user: "alice" }],
      [{ safety_identifier: "alice", user: "someone" }],
      [{ metadata: { user_id: "alice" } }],
      [{}, { [endUserHeader]: "alice" }],
    ];
    let costs = 0;
    for (const [fields, headers = {}] of ways) {
      const { status, text, headers: given } = await client.post(chat, { ...body, ...fields }, { headers });
      assert.equal(status, 200, text);
      costs += Number(given.get("x-gateway-cost-usd"));
    }
    await waitFor(async () => Math.abs(Number((await useOf(id, "alice")).spent_usd) - costs) < 1e-12, {
      what: "the charges of the end user",
    });
    const { data } = await admin<{ data: EndUser[] }>("GET", `/budgets/${id}/end-users`);
    const alice = await useOf(id, "alice");
    assert.deepEqual(
      data.map((each) => each.id),
      [alice.id],
    );
    assert.ok(alice.id.startsWith(`${id}:`) && !alice.id.includes("alice"));

    const large = { ...body, max_tokens: 10_000 };
    const refused = await client.post(chat, { ...large, user: "alice" });
    assert.equal(refused.status, 429, refused.text);
    const { error } = refused.json<ErrorBody>();
    assert.equal(error.code, "budget_exceeded");
    const until = `${alice.resets_at?.slice(0, 16).replace("T", " ")} (UTC)`;
    assert.ok(error.message.includes(`this end user of the budget "Shop" (${id}) has $`), error.message);
    assert.ok(error.message.includes(` left until ${until}.`), error.message);
    assert.equal((await client.post(chat, { ...large, user: "bob" })).status, 429, "bob has no more than alice had");
    assert.equal((await client.post(chat, { ...body, user: "bob" })).status, 200);
    assert.equal(
      (await client.post(chat, large)).status,
      200,
      "a request without an end user is not limited by the rule",
    );
    await admin("PATCH", `/budgets/${id}`, { end_users: { max_budget: "1" } });
    assert.equal((await client.post(chat, { ...large, user: "alice" })).status, 200);
    await admin("PATCH", `/budgets/${id}`, { end_users: null });
    const { end_users } = await admin<{ end_users: object | null }>("GET", `/budgets/${id}`);
    assert.equal(end_users, null);
  });

  test("each end user has the rule's limits of requests, and the refusal names it", async () => {
    const { id, client } = await shopWith({ max_budget: "1", rpm_limit: 2 });
    const statuses: number[] = [];
    for (const user of ["alice", "alice", "bob", "alice"])
      statuses.push((await client.post(chat, { ...body, user })).status);
    assert.deepEqual(statuses, [200, 200, 200, 429]);
    const { headers, json } = await client.post(chat, { ...body, user: "alice" });
    const { code, message } = json<ErrorBody>().error;
    assert.equal(code, "rate_limit_exceeded");
    const reached = `This end user of the budget "Shop" (${id}) has reached its limit of 2 requests a minute.`;
    assert.ok(message.startsWith(reached), message);
    assert.deepEqual(
      [headers.get("x-ratelimit-limit-requests"), headers.get("x-ratelimit-remaining-requests")],
      ["2", "0"],
    );
    const long = await client.post(chat, { ...body, user: "a".repeat(513) });
    assert.deepEqual([long.status, long.json<ErrorBody>().error.param], [400, "user"]);
  });

  test("the budget above limits its end users together", async () => {
    const { id, client } = await shopWith({ max_budget: "1" }, { amount: "0.002" });
    const large = { ...body, max_tokens: 10_000 };
    const refused = await client.post(chat, { ...large, user: "carol" });
    assert.equal(refused.status, 429, refused.text);
    const { message } = refused.json<ErrorBody>().error;
    assert.ok(message.includes(`, and the budget "Shop" (${id}) has $0.002 left`), message);
  });

  test("a response in the background is charged to the end user that its body or header names", async () => {
    const { key } = await newAccount(fleet, 5_000_000_000n);
    await admin("PATCH", `/accounts/${key.accountId}`, { store_responses: true });
    const { id, client } = await shopWith({ max_budget: "1", required: true }, { account_id: key.accountId });
    const input = { model: "gpt-4o-mini", input: "Hi" };
    const ended = async (
      endUser: string,
      fields: object,
      headers: Record<string, string>,
    ): Promise<BackgroundResponse> => {
      const begun = await client.post("/v1/responses", { ...input, ...fields, background: true }, { headers });
      assert.equal(begun.status, 200, `${endUser}: ${begun.text}`);
      const { id: response } = begun.json<BackgroundResponse>();
      return await waitFor(
        async () => {
          const found = (await client.get(`/v1/responses/${response}`)).json<BackgroundResponse>();
          return !["queued", "in_progress"].includes(found.status) && found;
        },
        { what: `the response of ${endUser}` },
      );
    };
    for (const [endUser, fields, headers] of [
      ["alice", { safety_identifier: "alice" }, {}],
      ["bob", {}, { [endUserHeader]: "bob" }],
    ] as const) {
      const { status } = await ended(endUser, fields, headers);
      assert.equal(status, "completed", endUser);
      await waitFor(async () => Number((await useOf(id, endUser)).spent_usd) > 0, { what: `the charge of ${endUser}` });
    }
    const without = await client.post("/v1/responses", { ...input, background: true });
    assert.equal(without.status, 400, without.text);
    await admin("PATCH", `/budgets/${id}`, { end_users: { max_budget: "0.000000001" } });
    const { status, error } = await ended("carol", {}, { [endUserHeader]: "carol" });
    assert.deepEqual([status, error?.code], ["failed", "budget_exceeded"]);
    assert.equal((await useOf(id, "carol")).spent_usd, "0.000000000");
  });

  test("each line of a batch is charged to its end user, and one whose part is used up ends no other's lines", async () => {
    const { id, key } = await shopWith({ max_budget: "0.003" });
    const openai = new OpenAI({ apiKey: key, baseURL: `${fleet.run.base_url}/v1`, maxRetries: 0 });
    const users = ["alice", "bob", "carol", "alice"];
    const endpoint = "/v1/chat/completions";
    const lines = users.map((user, n) => {
      const costly = user === "bob" ? { max_tokens: 10_000 } : {};
      return JSON.stringify({ custom_id: `${n}`, method: "POST", url: endpoint, body: { ...body, ...costly, user } });
    });
    const file = await toFile(Buffer.from(lines.join("\n")), "in.jsonl");
    const { id: input } = await openai.files.create({ file, purpose: "batch" });
    const begun = await openai.batches.create({ input_file_id: input, endpoint, completion_window: "24h" });
    const batch = await waitFor(
      async () => {
        const found = await openai.batches.retrieve(begun.id);
        return ["completed", "failed"].includes(found.status) && found;
      },
      { everyMs: 200, what: "the batch to end" },
    );
    assert.deepEqual([batch.status, batch.request_counts], ["completed", { total: 4, completed: 3, failed: 1 }]);
    const errors = await (await openai.files.content(batch.error_file_id ?? "")).text();
    const [line, ...more] = resultsIn(errors);
    assert.deepEqual([line?.custom_id, line?.response?.status_code, more.length], ["1", 429, 0]);
    assert.match(errors, /this end user of the budget/);
    for (const endUser of ["alice", "carol"])
      await waitFor(async () => Number((await useOf(id, endUser)).spent_usd) > 0, { what: `the charge of ${endUser}` });
    assert.equal((await useOf(id, "bob")).spent_usd, "0.000000000");
  });
});
