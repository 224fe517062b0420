import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { createTestClient } from "@uag/harness/fleet/client";
import { setFault } from "@uag/harness/fleet/faults";
import { startTestFleet, type TestFleet } from "@uag/harness/fleet/with-fleet";
import { roomInHour } from "@uag/harness/testing/room-in-hour";
import { waitFor } from "@uag/harness/testing/wait-for";

const at = `base_url: "\${OPENAI_BASE_URL}", api_key: "\${OPENAI_API_KEY}", simulator: /openai/v1`;
const catalog = `
providers:
  good: { protocol: openai, ${at} }
  revoked: { protocol: openai, base_url: "\${OPENAI_BASE_URL}", api_key: k }
  dead: { protocol: openai, base_url: "http://127.0.0.1:9/v1", api_key: k, timeouts: { connect: 1s } }
models:
  - &m
    id: plain
    owned_by: x
    created: 0
    operations: [chat.completions]
    context_tokens: 128000
    max_output_tokens: 16384
    price: { input_tokens: 0.15, output_tokens: 0.6 }
    upstreams: [&good { provider: good, model: gpt-4o-mini, priority: 1 }]
  - { <<: *m, id: wrong-key, upstreams: [{ provider: revoked, model: gpt-4o }] }
  - { <<: *m, id: second-home, upstreams: [{ provider: dead, model: gpt-4o-mini }, *good] }
`;

const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
const traceparent = `00-${traceId}-00f067aa0ba902b7-01`;

type Json = Record<string, unknown>;
interface Attempt {
  readonly provider: string;
  readonly outcome: string;
  readonly started_at: string;
  readonly status: number | null;
  readonly code: string | null;
  readonly message: string | null;
  readonly provider_request_id: string | null;
}
interface Item {
  readonly unit: string;
  readonly quantity: number;
  readonly price_usd: string;
  readonly per: number;
  readonly cost_usd: string;
}
interface Receipt {
  readonly event: Json & { readonly cost_nano_usd: number; readonly first_byte_ms: number | null };
  readonly items: readonly Item[];
  readonly attempts: readonly Attempt[];
  readonly ledger: readonly Json[];
}

describe("spending can be traced to the last nano-dollar", () => {
  let fleet: TestFleet;
  const resources = new AsyncDisposableStack();

  before(async () => {
    const dataDir = await mkdtemp(join(tmpdir(), "receipts-"));
    resources.defer(() => rm(dataDir, { recursive: true, force: true }));
    const file = join(dataDir, "catalog.yaml");
    await writeFile(file, catalog);
    const services = ["billing", "metering", "chat", "router"] as const;
    fleet = resources.use(await startTestFleet({ dataDir, services: [...services], env: { CATALOG_FILE: file } }));
  });
  after(() => resources.disposeAsync());

  async function admin<T = Json>(
    method: string,
    path: string,
    body?: unknown,
    token = fleet.run.admin.token,
  ): Promise<T> {
    const response = await fetch(`${fleet.run.base_url}/admin/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    assert.ok(response.ok, `${method} ${path}: ${response.status} ${text}`);
    return JSON.parse(text) as T;
  }

  async function customer(id: string): Promise<{
    keyId: string;
    client: ReturnType<typeof createTestClient>;
    chat(model: string, headers?: Record<string, string>): Promise<string>;
  }> {
    await admin("POST", "/accounts", { id, name: id });
    await admin("POST", `/accounts/${id}/top-ups`, { amount_usd: "5", reference: "first" });
    const metadata = { tags: ["blue", "batch"] };
    const key = await admin("POST", "/keys", { account_id: id, key_alias: `The App of ${id}`, metadata });
    const client = createTestClient({ baseUrl: fleet.run.base_url, apiKey: String(key["key"]) });
    return {
      keyId: String(key["id"]),
      client,
      async chat(model, given = {}) {
        const messages = [{ role: "user", content: "repeat 20 words" }];
        const body = { model, stream: true, messages };
        const { headers, events } = await client.stream("/v1/chat/completions", body, { headers: given });
        for await (const _ of events);
        return headers.get("x-request-id") ?? "";
      },
    };
  }

  const receiptOf = (id: string): Promise<Receipt> =>
    waitFor(
      async () => {
        const page = await admin<{ data: Json[] }>("GET", "/usage/events?limit=100");
        return page.data.some(({ request_id }) => request_id === id)
          ? await admin<Receipt>("GET", `/usage/events/${id}`)
          : undefined;
      },
      { what: `the receipt of ${id}` },
    );

  test("a receipt's items at their unit prices add up to the ledger's charge, and failed calls are listed", async () => {
    const { chat } = await customer("receipts");
    const { event, items, attempts, ledger } = await receiptOf(await chat("second-home", { traceparent }));
    assert.equal(event["trace_id"], traceId);
    assert.equal((ledger[0]?.["event"] as Json | undefined)?.["trace_id"], null);
    const femto = items.map(({ cost_usd }) => BigInt(cost_usd.replace(".", "")));
    const sum = femto.reduce((a, b) => a + b, 0n);
    assert.equal((sum + 999_999n) / 1_000_000n, BigInt(event.cost_nano_usd));
    assert.equal(ledger[0]?.["charged_nano_usd"], event.cost_nano_usd);
    const prices = Object.fromEntries(items.map(({ unit, price_usd, per }) => [unit, [Number(price_usd), per]]));
    assert.deepEqual(prices["input_tokens"], [0.15, 1_000_000]);
    assert.deepEqual(prices["output_tokens"], [0.6, 1_000_000]);
    assert.deepEqual(
      attempts.map(({ provider, outcome }) => [provider, outcome]),
      [
        ["dead", "unreachable"],
        ["good", "answered"],
      ],
    );
    assert.ok((attempts[0]?.started_at ?? "") <= (attempts[1]?.started_at ?? ""));
    assert.ok(event.first_byte_ms !== null && event.first_byte_ms >= 0);
    assert.equal(event["upstream"], "good");
  });

  test("a provider's refusal of the operator's key is on the receipt and in the export, its details for operators alone", async () => {
    const { client } = await customer("refused");
    const body = { model: "wrong-key", messages: [{ role: "user", content: "Hello" }] };
    const endFaults = await setFault(fleet.run.simulator_url, { status: 401 }, { model: "gpt-4o" });
    const response = await client.post("/v1/chat/completions", body);
    await endFaults();
    assert.equal(response.status, 502);
    const id = response.headers.get("x-request-id") ?? "";
    const { event, attempts } = await receiptOf(id);
    assert.equal(event["error_code"], "upstream_error");
    const [attempt] = attempts;
    assert.deepEqual(
      [attempt?.provider, attempt?.outcome, attempt?.status, attempt?.code],
      ["revoked", "operator", 401, "invalid_api_key"],
    );
    assert.match(attempt?.message ?? "", /^Incorrect API key provided/);
    assert.ok((attempt?.provider_request_id ?? "") !== "");
    const { token } = await admin("POST", "/tokens", { name: "reader", role: "read-only", account_id: "refused" });
    const [shown] = (await admin<Receipt>("GET", `/usage/events/${id}`, undefined, String(token))).attempts;
    assert.deepEqual(
      [shown?.outcome, shown?.status, shown?.code, shown?.message, shown?.provider_request_id],
      ["operator", 401, null, null, null],
    );
    const file = await fetch(`${fleet.run.base_url}/admin/v1/usage/export?format=csv&account=refused`, {
      headers: { authorization: `Bearer ${fleet.run.admin.token}` },
    });
    const [head = "", row = ""] = (await file.text()).split("\r\n");
    assert.equal(row.split(",")[head.split(",").indexOf("error_code")], "upstream_error", row);
  });

  test("an account's monthly usage adds up exactly by model, and to the account's balance", async () => {
    await roomInHour();
    const { chat } = await customer("months");
    const ids = [await chat("plain"), await chat("plain"), await chat("second-home")];
    for (const id of ids) await receiptOf(id);
    await admin("POST", "/accounts/months/top-ups", { amount_usd: "-1.5", reference: "taken back" });
    const [month] = (await admin<{ data: Json[] }>("GET", "/accounts/months/invoices")).data;
    const of = (field: string): number => Number(month?.[`${field}_nano_usd`]);
    assert.deepEqual([of("opening"), of("topped_up"), of("corrected")], [0, 5_000_000_000, -1_500_000_000]);
    assert.equal(of("closing"), of("opening") + of("topped_up") + of("corrected") - of("charged"));
    const lines = month?.["lines"] as { model: string; requests: number; charged_nano_usd: number }[];
    assert.deepEqual(lines.map(({ model, requests }) => [model, requests]).sort(), [
      ["plain", 2],
      ["second-home", 1],
    ]);
    assert.equal(
      lines.reduce((sum, line) => sum + line.charged_nano_usd, 0),
      of("charged"),
    );
    const account = await admin("GET", "/accounts/months");
    assert.equal(of("closing"), Number(account["available_nano_usd"]) + Number(account["held_nano_usd"]));
    assert.deepEqual(await admin("GET", `/accounts/months/invoices/${month?.["month"]}`), month);
    const forecast = await admin("GET", "/accounts/months/forecast");
    assert.equal(forecast["spent_last_7_days_nano_usd"], of("charged"));
    assert.ok(Number(forecast["days_left"]) > 7);
    const holds = (await admin<{ data: Json[] }>("GET", "/accounts/months/holds")).data;
    const held = holds.reduce((sum, hold) => sum + Number(hold["held_nano_usd"]), 0);
    assert.equal(held, Number((await admin("GET", "/accounts/months"))["held_nano_usd"]));
    assert.deepEqual(
      holds.map(({ service, purpose }) => [service, purpose]),
      holds.map(() => ["chat", "requests"]),
    );
  });

  test("a series has one account's usage by model and provider, and requests can be filtered by outcome", async () => {
    const { keyId, chat } = await customer("series");
    for (const id of [await chat("plain"), await chat("second-home")]) await receiptOf(id);
    const series = await admin<{ groups: Json[] }>("GET", "/usage/series?account=series&bucket=hour&group_by=model");
    const total = (group: Json) => group["total"] as Json;
    assert.deepEqual(series.groups.map((group) => [group["name"], total(group)["requests"]]).sort(), [
      ["plain", 1],
      ["second-home", 1],
    ]);
    const [byProvider] = (
      await admin<{ groups: Json[] }>("GET", `/usage/series?key=${keyId}&bucket=month&group_by=provider&provider=good`)
    ).groups;
    assert.deepEqual([byProvider?.["name"], byProvider && total(byProvider)["requests"]], ["good", 2]);
    assert.equal((total(byProvider ?? {})["first_byte_ms"] as Json)["count"], 2);
    const found = async (query: string) =>
      (await admin<{ data: Json[] }>("GET", `/usage/events?account=series&${query}`)).data.length;
    assert.deepEqual(
      [await found("outcome=completed&status=200"), await found("outcome=failed"), await found("min_cost_usd=1")],
      [2, 0, 0],
    );
  });

  test("keys can be searched, sorted and filtered by tag, and have the time of their last use", async () => {
    const used = await customer("finder");
    await receiptOf(await used.chat("plain"));
    for (const alias of ["zebra", "ant (a.*)"])
      await admin("POST", "/keys", { account_id: "finder", key_alias: alias });
    const aliases = async (query: string): Promise<unknown[]> =>
      (await admin<{ data: Json[] }>("GET", `/keys?account=finder&${query}`)).data.map(({ key_alias }) => key_alias);
    const app = "The App of finder";
    assert.deepEqual(await aliases("sort=alias"), [app, "ant (a.*)", "zebra"]);
    assert.deepEqual(await aliases("sort=-alias&limit=1"), ["zebra"]);
    assert.deepEqual(await aliases("sort=created"), [app, "zebra", "ant (a.*)"]);
    assert.deepEqual(await aliases("search=APP"), [app]);
    assert.deepEqual(await aliases(`search=${encodeURIComponent("(a.*")}`), ["ant (a.*)"]);
    assert.deepEqual(await aliases("tag=blue"), [app]);
    assert.deepEqual(await aliases("tag=red"), []);
    const pages: unknown[] = [];
    for (let after = ""; ; ) {
      const page = await admin<{ data: Json[]; next_cursor: string | null }>(
        "GET",
        `/keys?account=finder&sort=alias&limit=1&after=${after}`,
      );
      pages.push(...page.data.map(({ key_alias }) => key_alias));
      if (page.next_cursor === null) break;
      after = page.next_cursor;
    }
    assert.deepEqual(pages, await aliases("sort=alias"));
    const key = await admin("GET", `/keys/${used.keyId}`);
    assert.ok(Date.now() - Date.parse(String(key["last_used_at"])) < 120_000);
    assert.ok(Number(key["requests_last_hour"]) >= 1);
    const [fresh] = (await admin<{ data: Json[] }>("GET", "/keys?account=finder&search=zebra")).data;
    assert.deepEqual([fresh?.["last_used_at"], fresh?.["requests_last_hour"]], [null, 0]);
  });

  test("the health of a model's upstreams and the state of processes are reported within seconds", async () => {
    const { chat } = await customer("watcher");
    for (let n = 0; n < 3; n++) await chat("second-home");
    type Provider = Json & { readonly last_hour: Record<string, number> };
    const providersOf = async (): Promise<Provider[]> => {
      const { data } = await admin<{ data: (Json & { providers: Provider[] })[] }>("GET", "/models");
      return data.find(({ id }) => id === "second-home")?.providers ?? [];
    };
    const [dead, good] = await waitFor(
      async () => {
        const found = await providersOf();
        const [failures, calls] = [found[0]?.last_hour["failures"] ?? 0, found[1]?.last_hour["calls"] ?? 0];
        return failures > 0 && calls >= 3 ? found : undefined;
      },
      { what: "the providers' health" },
    );
    assert.deepEqual([dead?.["provider"], good?.["provider"]], ["dead", "good"]);
    assert.equal(good?.last_hour["failures"], 0);
    const fleetNow = await waitFor(
      async () => {
        const found = await admin<{ replicas: Json[]; stream: Json | null; journals: Json }>("GET", "/fleet");
        return new Set(found.replicas.map(({ service }) => service)).size >= 4 ? found : undefined;
      },
      { what: "all services" },
    );
    const services = [...new Set(fleetNow.replicas.map(({ service }) => service))].sort();
    assert.deepEqual(services, ["billing", "chat", "metering", "router"]);
    assert.ok(fleetNow.replicas.every(({ state, version }) => state === "up" && version !== ""));
    assert.ok(Number.isInteger(fleetNow.stream?.["messages"]));
    assert.ok(Number(fleetNow.journals["bytes"]) > 0);
  });
});
