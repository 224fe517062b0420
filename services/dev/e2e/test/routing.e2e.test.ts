import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { callAdmin, fetchAdmin } from "@uag/harness/fleet/admin-call";
import { setFault } from "@uag/harness/fleet/faults";
import { startTestFleet, type TestFleet } from "@uag/harness/fleet/with-fleet";
import { waitFor } from "@uag/harness/testing/wait-for";

const at = `base_url: "\${OPENAI_BASE_URL}", api_key: "\${OPENAI_API_KEY}", simulator: /openai/v1`;
/** Not replaced by the simulator, so that keys of its own are used there. */
const own = `base_url: "\${OPENAI_BASE_URL}", api_key: "\${OPENAI_API_KEY}"`;
const catalog = `
providers:
  good: { protocol: openai, ${at} }
  capped: { protocol: openai, ${own} }
  fragile: { protocol: openai, ${at}, circuit: { min_calls: 4, window: 1m, open: 5s, max_open: 5s, probes: 2 } }
  hurried: { protocol: openai, ${at}, timeouts: { first_byte: 1500ms } }
  impatient: { protocol: openai, ${at}, timeouts: { between_chunks: 1s } }
  brief: { protocol: openai, ${at}, timeouts: { total: 5s } }
  dead: { protocol: openai, base_url: "http://127.0.0.1:9/v1", api_key: k, timeouts: { connect: 1s } }
models:
  - &m
    id: plain
    owned_by: x
    created: 0
    operations: [chat.completions]
    context_tokens: 128000
    max_output_tokens: 16384
    price: { input_tokens: 1, output_tokens: 2 }
    upstreams: [&good { provider: good, model: gpt-4o-mini, priority: 1 }]
  - { <<: *m, id: capped, upstreams: [{ provider: capped, model: gpt-4o-mini }] }
  - { <<: *m, id: guarded, upstreams: [{ provider: fragile, model: gpt-4o }, *good] }
  - { <<: *m, id: costly, price: { input_tokens: 10, output_tokens: 20 } }
  - { <<: *m, id: replaced, fallbacks: [costly], upstreams: [{ provider: good, model: gpt-4o-mini--sim-status-503--sim-retry-after-30 }] }
  - { <<: *m, id: second-home, upstreams: [{ provider: dead, model: gpt-4o-mini }, *good] }
  - { <<: *m, id: twice, upstreams: [{ provider: hurried, model: gpt-4o-mini }, *good] }
  - { <<: *m, id: failing, upstreams: [{ provider: good, model: gpt-4o-mini--sim-status-500 }, *good] }
  - { <<: *m, id: limited, upstreams: [{ provider: good, model: gpt-4o-mini--sim-status-429--sim-times-1--sim-retry-ms-400 }] }
  - { <<: *m, id: overloaded, upstreams: [{ provider: good, model: gpt-4o-mini--sim-status-429--sim-retry-after-30 }] }
  - { <<: *m, id: slow-head, upstreams: [{ provider: hurried, model: gpt-4o-mini--sim-latency-20000 }] }
  - { <<: *m, id: stalled, upstreams: [{ provider: impatient, model: gpt-4o-mini--sim-stall-3 }] }
  - { <<: *m, id: endless, upstreams: [{ provider: brief, model: gpt-4o-mini--sim-slow-200 }] }
`;

describe("a model's upstreams are called as configured in the catalogue", () => {
  let fleet: TestFleet;
  let file = "";
  const resources = new AsyncDisposableStack();

  before(async () => {
    const dataDir = await mkdtemp(join(tmpdir(), "routing-"));
    resources.defer(() => rm(dataDir, { recursive: true, force: true }));
    file = join(dataDir, "catalog.yaml");
    await writeFile(file, catalog);
    fleet = resources.use(await startTestFleet({ dataDir, single: true, env: { CATALOG_FILE: file } }));
  });
  after(() => resources.disposeAsync());

  let calls = 0;
  const bodyOf = (id: string): object => ({
    model: id,
    messages: [{ role: "user", content: `repeat 40 words\n${++calls}` }],
  });
  const call = async (id: string) => {
    const started = performance.now();
    const response = await fleet.client.post("/v1/chat/completions", bodyOf(id));
    return {
      ...response,
      attempts: Number(response.headers.get("x-gateway-attempts")),
      ms: performance.now() - started,
    };
  };

  test("the next upstream is called when one fails or is unreachable, and one that keeps failing cools down", async () => {
    for (const id of ["second-home", "failing"]) {
      const attempts = [];
      for (let i = 0; i < 6; i++) {
        const response = await call(id);
        assert.equal(response.status, 200, response.text);
        assert.equal(response.headers.get("x-gateway-model"), id);
        attempts.push(response.attempts);
      }
      assert.deepEqual(attempts, [2, 2, 2, 2, 2, 1], id);
    }
  });

  test("a fallback responds for a model that fails, is billed at its own price, and both receipts name it", async () => {
    const { run } = fleet;
    const found = await call("replaced");
    assert.equal(found.status, 200, found.text);
    const header = (name: string) => found.headers.get(`x-gateway-${name}`);
    assert.deepEqual(
      [header("model"), header("fallback"), found.attempts],
      ["costly", "replaced; reason=transient", 2],
    );
    assert.equal(header("routing"), "provider=fallback");
    const { prompt_tokens: input, completion_tokens: output } = (
      found.json() as { usage: { prompt_tokens: number; completion_tokens: number } }
    ).usage;
    assert.equal(Number(header("cost-usd")), Number(((input * 10 + output * 20) / 1e6).toFixed(9)));
    const id = found.headers.get("x-request-id") ?? "";
    const read = async (path: string, token: string) => {
      const response = await fetch(`${path}/${id}`, { headers: { authorization: `Bearer ${token}` } });
      return response.ok ? ((await response.json()) as Record<string, unknown>) : undefined;
    };
    const receipt = await waitFor(() => read(`${run.admin_url}/usage/events`, run.admin.token), {
      what: "the receipt",
    });
    const { event, attempts, items } = receipt as {
      event: Record<string, unknown>;
      attempts: { outcome: string; provider_reason: string | null }[];
      items: { unit: string; price_usd: string }[];
    };
    const shown = ({ model, requested_model, fallback_reason }: Record<string, unknown>) => [
      model,
      requested_model,
      fallback_reason,
    ];
    assert.deepEqual(shown(event), ["costly", "replaced", "transient"]);
    assert.deepEqual(
      attempts.map(({ outcome, provider_reason: reason }) => [outcome, reason]),
      [
        ["transient", null],
        ["answered", "fallback"],
      ],
    );
    assert.equal(Number(items.find(({ unit }) => unit === "output_tokens")?.price_usd), 20);
    const own = await read(`${run.base_url}/v1/receipts`, run.api_key);
    assert.deepEqual(own && shown(own), ["costly", "replaced", "transient"]);
    const { max_cost_usd: most } = (
      await fleet.client.post("/v1/estimate/chat/completions", { ...bodyOf("replaced"), max_tokens: 100 })
    ).json() as { max_cost_usd: string };
    assert.ok(Number(most) >= (100 * 20) / 1e6, most);
  });

  test("a key's own strategy applies from its next request, until it is removed", async () => {
    const { run } = fleet;
    const admin = (method: string, path: string, body: object) =>
      callAdmin<{ id: string; key: string }>(run, method, path, body);
    const { id, key } = await admin("POST", "/keys", { account_id: run.account_id, routing_strategy: "weighted" });
    const routing = async (): Promise<string | null> => {
      const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
      const body = JSON.stringify(bodyOf("twice"));
      const response = await fetch(`${run.base_url}/v1/chat/completions`, { method: "POST", headers, body });
      assert.equal(response.status, 200, await response.text());
      return response.headers.get("x-gateway-routing");
    };
    assert.equal(await routing(), "provider=affinity");
    await admin("PATCH", `/keys/${id}`, { routing_strategy: null });
    await waitFor(async () => (await routing()) === "provider=priority", { what: "the model's strategy" });
  });

  test("an operator's cost decides which provider least_cost calls, from the next request, and only operators see it", async () => {
    const { run } = fleet;
    interface Shown {
      readonly revision: number;
      readonly providers: readonly { readonly provider: string; readonly cost: object | null }[];
    }
    const model = (method = "GET", body?: object): Promise<Shown> => callAdmin(run, method, "/models/twice", body);
    const upstream = (provider: string, outputTokens: number) => ({
      provider,
      model: "gpt-4o-mini",
      cost: { output_tokens: outputTokens },
    });
    const route = async (): Promise<string | null> => (await call("twice")).headers.get("x-gateway-routing");
    const upstreams = [upstream("hurried", 1.9), upstream("good", 1.5)];
    await model("PATCH", { revision: (await model()).revision, strategy: "least_cost", upstreams });
    await waitFor(async () => (await route()) === "provider=cost", { what: "the costs" });
    const { text, headers: answered } = await call("twice");
    const id = answered.get("x-request-id") ?? assert.fail(text);
    const receipt = await waitFor(
      async () => {
        const found = await fetchAdmin(run, "GET", `/usage/events/${id}`);
        return found.ok
          ? ((await found.json()) as { attempts: { provider: string; provider_reason: string }[] })
          : undefined;
      },
      { what: "the receipt" },
    );
    assert.deepEqual(
      receipt.attempts.map(({ provider, provider_reason: reason }) => [provider, reason]),
      [["good", "cost"]],
    );
    const { revision, providers } = await model();
    assert.deepEqual(
      providers.map(({ cost }) => cost),
      [{ output_tokens: 1.9 }, { output_tokens: 1.5 }],
    );
    await model("PATCH", { revision, strategy: null, upstreams: null });
    await waitFor(async () => (await route()) === "provider=priority", { what: "the file's routing" });
  });

  test("a credential that has reached its cap of the day is replaced by the next, and requests fail until the next day when all have", async () => {
    const { run } = fleet;
    interface Shown {
      readonly id: string;
      readonly name: string;
      readonly revision: number;
      readonly spent_today_usd: string;
    }
    const admin = <T>(method: string, path: string, body?: object): Promise<T> =>
      callAdmin(run, method, `/providers/capped${path}`, body);
    const credentials = async () => (await admin<{ credentials: Shown[] }>("GET", "")).credentials;
    const capUsd = 0.001;
    for (const [priority, name] of ["first", "second"].entries())
      await admin("POST", "/credentials", {
        api_key: `sk-capped-${name}-0123456789`,
        name,
        priority,
        daily_cap_usd: capUsd,
      });
    const ask = () => fleet.client.post("/v1/chat/completions", { ...bodyOf("capped"), max_tokens: 60 });
    const named = async () => (await ask()).headers.get("x-gateway-credential") === "first";
    await waitFor(named, { what: "the credentials" });
    const spent = new Map<string, number>();
    const reasons = new Map<string, Set<string | null>>();
    const count = ({ headers: answered }: Awaited<ReturnType<typeof ask>>): void => {
      const name = answered.get("x-gateway-credential") ?? "";
      spent.set(name, (spent.get(name) ?? 0) + Number(answered.get("x-gateway-cost-usd")));
      reasons.set(name, (reasons.get(name) ?? new Set()).add(answered.get("x-gateway-routing")));
    };
    let refused = await ask();
    for (let i = 0; refused.status === 200 && i < 60; i++) {
      count(refused);
      refused = await ask();
    }
    assert.equal(refused.status, 503, refused.text);
    assert.match(refused.text, /"code":"spend_cap_reached"/);
    const retryAfter = Number(refused.headers.get("retry-after"));
    assert.ok(retryAfter > 0 && retryAfter <= 86_400, String(retryAfter));
    assert.deepEqual(
      [...reasons].map(([name, seen]) => [name, ...seen]),
      [
        ["first", "credential=priority"],
        ["second", "credential=spend_cap"],
      ],
    );
    const shown = await waitFor(
      async () => {
        const all = await credentials();
        const second = all.find(({ name }) => name === "second");
        return second?.spent_today_usd === spent.get("second")?.toFixed(9) ? all : undefined;
      },
      { what: "the bills" },
    );
    for (const { name, spent_today_usd: today } of shown) {
      assert.ok(Number(today) <= capUsd && Number(today) > capUsd / 2, `${name}: ${today}`);
    }
    const [first] = shown;
    await admin("PATCH", `/credentials/${first?.id}`, { revision: first?.revision, daily_cap_usd: null });
    await waitFor(named, { what: "the credential without a cap" });
  });

  test("a circuit opens when its provider fails, lets probes through after its time, and closes when they succeed", async () => {
    const { run } = fleet;
    const routed = async (): Promise<string> => {
      const { status, text, headers } = await call("guarded");
      assert.equal(status, 200, text);
      return `${headers.get("x-gateway-attempts")} ${headers.get("x-gateway-routing")}`;
    };
    const circuit = async (): Promise<string | undefined> => {
      interface Guarded {
        readonly providers: readonly { readonly last_hour: { readonly circuit: string } }[];
      }
      const { providers } = await callAdmin<Guarded>(run, "GET", "/models/guarded");
      return providers[0]?.last_hour.circuit;
    };
    const repair = await setFault(run.simulator_url, { status: 500 }, { model: "gpt-4o" });
    for (let i = 0; i < 4; i++) assert.equal(await routed(), "2 provider=failover");
    assert.equal(await routed(), "1 provider=circuit_open");
    await waitFor(async () => (await circuit()) === "half_open", { what: "the half-open circuit" });
    await repair();
    assert.deepEqual([await routed(), await routed()], ["1 provider=probe", "1 provider=probe"]);
    assert.equal(await routed(), "1 provider=priority");
    await waitFor(async () => (await circuit()) === "closed", { what: "the closed circuit" });
  });

  test("the gateway waits for a short retry-after of a provider and passes a long one on to the client", async () => {
    const limited = await call("limited");
    assert.equal(limited.status, 200, limited.text);
    assert.equal(limited.attempts, 2);
    assert.ok(limited.ms >= 400, `${limited.ms} ms`);
    const overloaded = await call("overloaded");
    assert.equal(overloaded.status, 429);
    assert.equal(overloaded.headers.get("retry-after"), "30");
  });

  test("the first byte, the next chunk and the end of a response each have a timeout", async () => {
    const head = await call("slow-head");
    assert.equal(head.status, 504, head.text);
    assert.ok(head.ms < 20_000, `${head.ms} ms`);
    for (const id of ["stalled", "endless"]) {
      const { status, events } = await fleet.client.stream("/v1/chat/completions", { ...bodyOf(id), stream: true });
      assert.equal(status, 200);
      const seen: string[] = [];
      // The connection is closed after the error, so that no client takes the response for
      // complete.
      await assert.rejects(async () => {
        for await (const { data } of events) seen.push(data);
      }, id);
      assert.match(seen.at(-1) ?? "", /"code":"upstream_timeout"/, id);
      assert.ok(!seen.includes("[DONE]"));
    }
  });

  test("a changed catalogue takes effect within seconds, and an invalid one never", async () => {
    const cost = async (): Promise<number> => Number((await call("plain")).headers.get("x-gateway-cost-usd"));
    const before = await cost();
    const dearer = (await readFile(file, "utf8")).replace("output_tokens: 2 }", "output_tokens: 200 }");
    await writeFile(file, dearer);
    await waitFor(async () => (await cost()) > before * 10, { what: "the new price to take effect" });
    await writeFile(file, "providers: [");
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    assert.ok((await cost()) > before * 10);
  });

  test("after all tests the ledger contains exactly what the simulator served", async () => {
    assert.deepEqual((await fleet.audit()).violations, []);
  });
});
