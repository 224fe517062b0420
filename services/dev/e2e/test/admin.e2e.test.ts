import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import { callAdmin } from "@uag/harness/fleet/admin-call";
import { createTestClient, type TestClient } from "@uag/harness/fleet/client";
import { setFault } from "@uag/harness/fleet/faults";
import { startTestFleet, type TestFleet } from "@uag/harness/fleet/with-fleet";
import { roomInHour } from "@uag/harness/testing/room-in-hour";
import { pollsWithin, waitFor } from "@uag/harness/testing/wait-for";
import { repoRoot } from "@uag/local/paths";
import { Pricing, UsageEvent } from "@uag/proto/metering/v1/usage.ts";
import { MongoClient } from "mongodb";

const model = "gpt-4o-mini";
/** A change must take effect in every process within a second. */
const maxPolls = pollsWithin(1);

type Json = Record<string, unknown>;

interface Listing {
  readonly data: Json[];
  readonly has_more: boolean;
  readonly next_cursor: string | null;
}

describe("the admin API through the public server", () => {
  let fleet: TestFleet;
  const resources = new AsyncDisposableStack();

  before(async () => {
    const dataDir = await mkdtemp(join(tmpdir(), "admin-"));
    resources.defer(() => rm(dataDir, { recursive: true, force: true }));
    fleet = resources.use(
      await startTestFleet({ dataDir, single: true, services: ["billing", "metering", "chat", "router"] }),
    );
  });
  after(() => resources.disposeAsync());

  const admin = <T = Json>(method: string, path: string, body?: unknown, expected?: number): Promise<T> =>
    callAdmin({ ...fleet.run, admin_url: `${fleet.run.base_url}/admin/v1` }, method, path, body, expected);

  async function pages(path: string): Promise<Json[]> {
    const rows: Json[] = [];
    for (let after = ""; ; ) {
      const page: Listing = await admin("GET", `${path}${path.includes("?") ? "&" : "?"}limit=2&after=${after}`);
      rows.push(...page.data);
      if (page.next_cursor === null) return rows;
      after = page.next_cursor;
    }
  }

  const run = async (command: string, ...args: string[]): Promise<string> => {
    const program = join(repoRoot, `services/dev/cli/src/commands/${command}.ts`);
    const env = { ...process.env, DATA_DIR: fleet.dataDir };
    return (await promisify(execFile)(process.execPath, [program, ...args], { env })).stdout;
  };

  const clientOf = (key: unknown): TestClient => createTestClient({ baseUrl: fleet.run.base_url, apiKey: String(key) });
  const chat = (client: TestClient, requested = model) =>
    client.post("/v1/chat/completions", { model: requested, messages: [{ role: "user", content: "say: hello" }] });

  const felt = (what: string, condition: () => Promise<boolean>): Promise<boolean> =>
    waitFor(condition, { maxPolls, what });

  async function newAccount(id: string, amountUsd: string): Promise<Json> {
    await admin("POST", "/accounts", { id, name: id }, 201);
    const topUp = { amount_usd: amountUsd, reference: "first", note: "paid" };
    await admin("POST", `/accounts/${id}/top-ups`, topUp, 201);
    await admin("POST", `/accounts/${id}/top-ups`, topUp, 201);
    return await admin("POST", "/keys", { account_id: id, key_alias: `${id}-app` }, 201);
  }

  test("an account's token need not name the account; other tokens may omit it only while there is a single account", async () => {
    await newAccount("sole", "1");
    assert.match(
      JSON.stringify(await admin("POST", "/keys", {}, 400)),
      /account_id: is required, for there are several/,
    );
    const { token } = await admin("POST", "/tokens", { name: "sole", role: "keys", account_id: "sole" }, 201);
    const response = await fetch(`${fleet.run.base_url}/admin/v1/keys`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({ models: ["claude-*", "gpt-4o-mini"] }),
    });
    const made = (await response.json()) as { account_id: string; key: string; snippets: Record<string, string> };
    assert.equal(response.status, 201, JSON.stringify(made));
    assert.equal(made.account_id, "sole");
    for (const [name, text] of Object.entries(made.snippets)) {
      assert.ok(text.includes(made.key) && text.includes(fleet.run.base_url), name);
    }
    for (const name of ["openai_javascript", "google_javascript"]) {
      const args = ["--input-type=module", "-e", made.snippets[name] ?? ""];
      const js = promisify(execFile)(process.execPath, args, { cwd: join(repoRoot, "services/dev/e2e") });
      assert.match((await js).stdout, /gpt-4o-mini/, name);
    }
  });

  test("an account with too many write-offs is refused with that reason despite its balance, until a top-up repays them", async () => {
    const key = await newAccount("debtor", "0.2");
    const client = clientOf(key["key"]);
    // 1.40 USD: more than the balance and the write-off limit, but below ten times the hold.
    const endFault = await setFault(fleet.run.simulator_url, { "usage-lie": 40_000 });
    assert.equal((await chat(client, "gpt-4o")).status, 200);
    await endFault();
    const refused = await waitFor(
      async () => {
        const response = await chat(client);
        return response.status === 402 && response.json<{ error: Json }>().error["code"] === "unpaid_usage"
          ? response
          : undefined;
      },
      { what: "the refusal" },
    );
    const { error } = refused.json<{ error: Json }>();
    const { written_off_usd: owed } = await admin("GET", "/accounts/debtor");
    const shown = String(owed).replace(/0+$/, "");
    assert.ok(String(error["message"]).includes(`owes $${shown} for earlier requests`), JSON.stringify(error));
    assert.equal(error["type"], "insufficient_balance");
    const topUp = (usd: string) => run("topup", "--account", "debtor", "--usd", usd, "--reference", usd);
    const half = await topUp("0.1");
    assert.match(
      half,
      /^debtor has 0[\d.]* USD available\.\n0\.10 USD repaid write-offs of earlier requests\.\nIt still has write-offs of [\d.]+ USD/s,
    );
    assert.equal((await chat(client)).json<{ error: Json }>().error["code"], "unpaid_usage");
    assert.match(
      await topUp("20"),
      /^debtor has 1[\d.]+ USD available\.\n[\d.]+ USD repaid write-offs of earlier requests\.\n$/,
    );
    assert.match(await topUp("20"), /^debtor has 1[\d.]+ USD available\.\n$/);
    assert.equal((await chat(client)).status, 200);
    const { repaid_usd, written_off_nano_usd } = await admin("GET", "/accounts/debtor");
    assert.deepEqual([repaid_usd, written_off_nano_usd], [owed, 0]);
    const rows = await pages("/accounts/debtor/ledger");
    assert.equal(rows.filter(({ kind }) => kind === "repayment").length, 2);
  });

  test("a new account's usage is the same in usage, events, ledger, subscription and billing usage", async () => {
    const key = await newAccount("acme", "1.5");
    const client = clientOf(key["key"]);
    await roomInHour();
    for (let i = 0; i < 5; i++) assert.equal((await chat(client)).status, 200);
    const buckets = await waitFor(async () => {
      const rows = await pages("/usage?account=acme");
      return rows.some((row) => row["requests"] === 5) && rows;
    });
    assert.deepEqual(
      buckets.map((row) => [row["key_id"], row["model"], row["requests"]]),
      [[key["id"], model, 5]],
    );
    const cost = Number(buckets[0]?.["cost_nano_usd"]);
    assert.ok(cost > 0);
    const events = await pages(`/usage/events?key=${key["id"]}`);
    assert.equal(events.length, 5);
    assert.equal(
      events.reduce((sum, event) => sum + Number(event["cost_nano_usd"]), 0),
      cost,
    );
    const settled = (await pages("/accounts/acme/ledger")).filter((row) => row["kind"] === "settle");
    assert.deepEqual(
      new Set(settled.map((row) => row["request_id"])),
      new Set(events.map((event) => event["request_id"])),
    );
    const account = await admin("GET", "/accounts/acme");
    assert.equal(account["charged_nano_usd"], cost);
    assert.equal(account["topped_up_usd"], "1.500000000");

    const subscription = (await client.get("/v1/dashboard/billing/subscription")).json<{ hard_limit_usd: number }>();
    const used = (await client.get("/v1/dashboard/billing/usage")).json<{ total_usage: number }>();
    const left = Number(account["available_nano_usd"]) + Number(account["held_nano_usd"]);
    assert.equal(Math.round(subscription.hard_limit_usd * 1e9) - Math.round(used.total_usage * 1e7), left);
    const one: Listing = await admin("GET", `/ledger?request_id=${events[0]?.["request_id"]}`);
    assert.equal(one.data.length, 1);
    const csv = await fetch(`${fleet.run.base_url}/admin/v1/usage/export?format=csv&account=acme`, {
      headers: { authorization: `Bearer ${fleet.run.admin.token}` },
    });
    assert.equal((await csv.text()).trim().split("\r\n").length, 6);
  });

  test("a key's models and limits, its regeneration with an overlap and its revocation take effect within a second", async () => {
    const made = await newAccount("beta", "1");
    const [first, path] = [clientOf(made["key"]), `/keys/${made["id"]}`];
    assert.equal((await chat(first)).status, 200);
    await admin("PATCH", path, { models: ["gpt-4o"] });
    await felt("the key may not use the model", async () => (await chat(first)).status !== 200);
    await admin("PATCH", path, { models: [] });
    await felt("the key may use the model again", async () => (await chat(first)).status === 200);

    await admin("PATCH", path, { rpm_limit: 1 });
    await felt("the key has a limit", async () => (await chat(first)).status === 429);
    await admin("PATCH", path, { rpm_limit: null });
    await felt("the key has no limit", async () => (await chat(first)).status === 200);

    const overlapSeconds = 3;
    const renewedAt = performance.now();
    const second = clientOf((await admin("POST", `${path}/regenerate`, { overlap_seconds: overlapSeconds }))["key"]);
    assert.equal((await chat(second)).status, 200);
    const { status } = await chat(first);
    assert.ok(status === 200 || performance.now() - renewedAt > overlapSeconds * 1_000, `${status}`);
    await waitFor(async () => (await chat(first)).status === 401);
    assert.ok(performance.now() - renewedAt > overlapSeconds * 1_000 - 100);
    const third = clientOf((await admin("POST", `${path}/regenerate`))["key"]);
    await felt("the second secret has expired", async () => (await chat(second)).status === 401);
    assert.equal((await chat(third)).status, 200);
    await admin("DELETE", path);
    await felt("the key is revoked", async () => (await chat(third)).status === 401);
    const listed: Listing = await admin("GET", "/keys?account=beta");
    assert.equal(listed.data.length, 0);
    const actions = (await pages(`/audit-log?target=${made["id"]}`)).map((row) => row["action"]);
    assert.deepEqual(actions.reverse(), [
      "key.create",
      "key.update",
      "key.update",
      "key.update",
      "key.update",
      "key.regenerate",
      "key.regenerate",
      "key.revoke",
    ]);
  });

  test("a disabled account's keys are refused within a second with that reason, a stream in progress is completed and billed, and an enabled account works again", async () => {
    const made = await newAccount("omega", "1");
    const client = clientOf(made["key"]);
    const endFault = await setFault(fleet.run.simulator_url, { slow: 300 });
    const stream = await client.stream("/v1/chat/completions", {
      model,
      messages: [{ role: "user", content: "say: one two three four five six seven eight nine ten" }],
      stream: true,
    });
    await endFault();
    await stream.events.next();
    assert.equal((await admin("PATCH", "/accounts/omega", { disabled: true }))["disabled"], true);
    await felt("the account is disabled", async () => (await chat(client)).status === 401);
    assert.equal((await chat(client)).json<{ error: Json }>().error["code"], "account_disabled");
    let last = "";
    for await (const { data } of stream.events) last = data;
    assert.equal(last, "[DONE]");
    await admin("PATCH", "/accounts/omega", { disabled: false });
    await felt("the account is enabled", async () => (await chat(client)).status === 200);
    await waitFor(async () => (await pages("/usage/events?account=omega")).length === 2, { what: "both bills" });
    const [change] = await pages("/audit-log?target=omega&action=account.update");
    assert.deepEqual(change?.["after"], {
      name: "omega",
      keep_answers: true,
      lower_output_cap: false,
      store_responses: false,
      disabled: false,
    });
  });

  test("the admin API shows within seconds why a key is refused and how much of its limits it uses", async () => {
    const { id: made } = await newAccount("acct_refused", "5");
    const limits = { rpm_limit: 2, tpm_limit: 100_000, max_parallel_requests: 4, max_budget: 1 };
    const key = await admin("POST", "/keys", { account_id: "acct_refused", key_alias: "limited", ...limits }, 201);
    const client = clientOf(key["key"]);
    assert.equal((await chat(client, "no-such-model")).status, 400);
    for (const status of [200, 200, 429, 429]) assert.equal((await chat(client)).status, status);
    const use = await admin("GET", `/keys/${key["id"]}/use`);
    assert.deepEqual(use["requests_per_minute"], { limit: 2, used: 2 });
    assert.deepEqual(use["parallel_requests"], { limit: 4, used: 0 });
    const { limit, used } = use["tokens_per_minute"] as { limit: number; used: number };
    assert.ok(limit === 100_000 && used > 0 && used < 1_000, `${used} tokens`);
    assert.equal((use["budget"] as Json)["limit_usd"], "1.000000000");

    await admin("DELETE", `/keys/${key["id"]}`);
    // Until the revocation takes effect, another completion would be refused for the rate limit.
    await waitFor(async () => (await client.get("/v1/models")).status === 401, { what: "the revocation" });
    const list = async (filter = ""): Promise<Json[]> =>
      (await admin<Listing>("GET", `/refusals?key=${key["id"]}${filter}`)).data;
    // The router and the service report them separately.
    await waitFor(async () => (await list("&reason=invalid_api_key")).length > 0, { what: "the router's refusals" });
    await waitFor(async () => (await list("&reason=rate_limit_exceeded")).length === 2, { what: "the service's" });
    const [newest] = await list("&reason=rate_limit_exceeded");
    assert.deepEqual(
      [newest?.["account_id"], newest?.["status"], newest?.["operation"], newest?.["model"]],
      ["acct_refused", 429, "chat.completions", model],
    );
    assert.match(String(newest?.["message"]), /^This key has reached its limit of 2 requests a minute\./);
    interface Series {
      readonly groups: readonly { readonly name: string | null; readonly total: number }[];
    }
    const { groups } = await admin<Series>("GET", "/refusals/series?account=acct_refused&group_by=reason");
    const totals = new Map(groups.map(({ name, total }) => [name, total]));
    assert.deepEqual([totals.get("rate_limit_exceeded"), totals.get("model_not_found")], [2, 1]);
    assert.ok((totals.get("invalid_api_key") ?? 0) > 0);
    assert.equal((await admin<Listing>("GET", `/refusals?key=${made}`)).data.length, 0);
    assert.match(await run("usage", "--refusals", "--key", String(key["id"])), /limit of 2 requests a minute/);
  });

  test("a correction cannot exceed the available balance, and unknown objects get 404", async () => {
    await newAccount("gamma", "2");
    const correct = (amount: string, reference: string, expected: number) =>
      admin("POST", "/accounts/gamma/top-ups", { amount_usd: amount, reference }, expected);
    await correct("-1.5", "fix-1", 201);
    await correct("-0.6", "fix-2", 402);
    await correct("-0.4", "fix-1", 409);
    assert.equal((await admin("GET", "/accounts/gamma"))["available_usd"], "0.500000000");
    for (const [method, path] of [
      ["GET", "/accounts/nobody"],
      ["PATCH", "/accounts/nobody"],
      ["GET", "/accounts/nobody/ledger"],
      ["GET", "/keys/key_none"],
      ["DELETE", "/keys/key_none"],
      ["DELETE", "/tokens/admtok_none"],
    ] as const)
      await admin(method, path, method === "PATCH" ? { name: "x" } : undefined, 404);
    const cursor = Buffer.from("9".repeat(40)).toString("base64url");
    await admin("GET", `/accounts/gamma/ledger?after=${cursor}`, undefined, 400);
    await admin("GET", `/usage?after=${cursor}`, undefined, 400);
  });

  test("another administrator's token works until its revocation, and an API key is not an admin token", async () => {
    const made = await admin("POST", "/tokens", { name: "Ada" }, 201);
    const as = (token: unknown) =>
      createTestClient({ baseUrl: fleet.run.base_url, apiKey: String(token) }).get("/admin/v1/accounts");
    assert.equal((await as(made["token"])).status, 200);
    await admin("DELETE", `/tokens/${made["id"]}`);
    assert.equal((await as(made["token"])).status, 401);
    assert.equal((await as(fleet.run.api_key)).status, 401);
  });

  test("the commands use the admin API", async () => {
    const reader = (
      await run("admin-tokens", "create", "--name", "r", "--role", "read-only", "--expires", "1d")
    ).trim();
    assert.match(await run("admin-tokens", "list"), /r +adm-\S+ +read-only +all +all +expires /);
    for (const [method, status] of [
      ["GET", 200],
      ["POST", 403],
    ] as const) {
      const headers = { authorization: `Bearer ${reader}` };
      assert.equal((await fetch(`${fleet.run.admin_url}/keys`, { method, headers })).status, status);
    }
    await assert.rejects(run("keys", "create", "--models", "gpt-4o-mini,nope"), /No model matches --models nope\./);
    const secret = (await run("keys", "create", "--name", "cli", "--rpm", "1000", "--expires", "1d")).trim();
    const response = await chat(clientOf(secret));
    assert.equal(response.status, 200, response.text);
    const id = /key_\w+/.exec(await run("keys", "list", "--name", "cli"))?.[0] ?? "";
    assert.match(await run("keys", "update", id, "--rpm", "none", "--budget", "5"), /5 USD a month/);
    const renewed = (await run("keys", "regenerate", id)).trim();
    assert.notEqual(renewed, secret);
    assert.match(await run("keys", "revoke", id), /is revoked/);
    assert.match(await run("topup", "--usd", "2.5"), /acct_default has 10\d\.\d{9} USD available/);
    await waitFor(async () => (await run("usage", "--key", id)).includes(model));
    assert.match(await run("usage", "--export", "csv", "--key", id), /^request_id,.*\r\nreq_/);
    assert.match(await run("ledger", "list"), /settle/);
    assert.match(await run("ledger", "repair", "--dry-run"), /No request is unpriced/);
    assert.match(await run("admin-tokens", "list"), /ADMIN_TOKEN/);
    await assert.rejects(run("keys", "revoke", "key_none"), /The key does not exist/);
  });

  test("dead-lettered usage is listed, priced and repaired, and its account is charged once", async () => {
    const accountId = fleet.run.account_id;
    const event = UsageEvent.fromPartial({
      requestId: "req_dead",
      accountId,
      model,
      upstream: "elsewhere",
      operation: "chat.completions",
      costNanoUsd: -5n,
      endedAtMs: BigInt(Date.now()),
      startedAtMs: BigInt(Date.now()),
      pricing: Pricing.EXACT,
    });
    const mongo = resources.use(new MongoClient(fleet.run.mongodb_url));
    const about = { accountId, requestId: event.requestId, batchId: "b", reason: "an amount is not valid" };
    const bytes = Buffer.from(UsageEvent.encode(event).finish());
    await mongo
      .db("metering")
      .collection<{ _id: string }>("buried")
      .insertOne({ _id: "dead", ...about, event: bytes, buriedAt: new Date() } as never);
    assert.match(await run("dead-letters", "list"), /req_dead +acct_default .* no price +an amount is not valid/);
    await run("dead-letters", "price", "--request", "req_dead", "--cost", "0.25");
    assert.match(await run("dead-letters", "list", "--request", "req_dead"), /0\.25 USD/);
    assert.match(await run("dead-letters", "repair"), /req_dead repaired\n1 repaired, 0 failed/);
    assert.match(await run("dead-letters", "list"), /No dead letters/);
    assert.match(await run("ledger", "list", "--request", "req_dead"), /settle .* 0\.250000000/);
    await assert.rejects(run("dead-letters", "repair", "--request", "req_dead"), /No dead letter for request req_dead/);
  });

  test("an old month is archived from the database into a file that passes verification", async () => {
    const mongo = resources.use(new MongoClient(fleet.run.mongodb_url));
    const at = new Date("2024-02-03T04:05:06Z");
    const names = { accountId: "a", keyId: "k", holderId: "h", grantId: "g", operation: "o", model, upstream: "u" };
    const amounts = { holdNanoUsd: 5n, costNanoUsd: 3n, units: [], attempts: 1, status: 200, stream: false };
    const rest = { upstreamModel: "m", outcome: "OUTCOME_COMPLETED", pricing: "PRICING_EXACT", priceVersion: "v" };
    await mongo
      .db("metering")
      .collection("events_2024_02")
      .insertOne({
        _id: "r",
        ...names,
        ...amounts,
        ...rest,
        rawUsage: Buffer.alloc(0),
        startedAt: at,
        endedAt: at,
      } as never);
    const accounts = mongo.db("billing").collection<{ _id: string }>("accounts");
    await accounts.updateOne({ _id: "acct_default" }, { $set: { createdAt: at } });
    assert.match(await run("archive", "list"), /usage +2024-02 +1 +\d+ +due(.*\n)+ledger +2024-02 +due/);
    assert.match(await run("archive", "run", "--dry-run"), /usage 2024-02: 1 rows would be archived/);
    const done = await run("archive", "run");
    assert.match(done, /usage 2024-02: 1 rows are in 2024-02\/events-1-\w+\.ndjson\.gz/);
    assert.match(done, /ledger 2024-02: no rows to archive\nledger 2024-03: /);
    assert.match(await run("archive", "verify"), /usage 2024-02: 1 rows, unchanged since they were archived/);
    assert.match(await run("archive", "run"), /No month is due/);
    await admin("GET", "/usage/events?from=2024-02-01", undefined, 400);
    assert.ok((await pages("/usage/events")).length > 0);
  });

  test("after all tests the books are exact", async () => {
    assert.deepEqual((await fleet.audit()).violations, []);
  });
});
