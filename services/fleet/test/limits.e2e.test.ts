import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { createRpcClient, type RpcClient } from "@uag/kit/rpc/client.ts";
import { type Key, type KeyServiceServer, KeyServiceService } from "@uag/proto/billing/v1/keys.ts";
import type { Limits } from "@uag/proto/common/v1/caller.ts";
import { createTestClient, type TestClient, type TestResponse } from "../src/testing/client.ts";
import { startTestFleet, type TestFleet } from "../src/testing/with-fleet.ts";

const none: Limits = { requestsPerMinute: 0n, tokensPerMinute: 0n, concurrentRequests: 0n, monthlyBudgetNanoUsd: 0n };
const requests = 1_000;
const atOnce = 100;

interface LimitedKey {
  readonly key: Key;
  readonly client: TestClient;
}

interface Served {
  readonly model: string | null;
  readonly status: number;
}

interface Gauge {
  readonly now: number;
  readonly max: number;
}

describe("a key's limits hold over three replicas, seen from the public door and by the upstream", () => {
  let fleet: TestFleet;
  let keys: RpcClient<KeyServiceServer>;
  let exhausted: { client: TestClient; endedAt: number; refused: TestResponse } | undefined;
  const resources = new AsyncDisposableStack();

  before(async () => {
    const dataDir = await mkdtemp(join(tmpdir(), "limits-"));
    resources.defer(() => rm(dataDir, { recursive: true, force: true }));
    fleet = resources.use(await startTestFleet({ dataDir, replicas: { chat: 3 } }));
    keys = resources.use(createRpcClient<KeyServiceServer>(KeyServiceService, fleet.run.grpc["billing"] as string));
  });
  after(() => resources.disposeAsync());

  async function newKey(limits: Partial<Limits>): Promise<LimitedKey> {
    const ask = { accountId: fleet.run.account_id, name: "limited", models: [], expiresAtMs: 0n };
    const { key, secret } = await keys.createKey({ ...ask, limits: { ...none, ...limits } });
    return { key: key as Key, client: createTestClient({ baseUrl: fleet.run.base_url, apiKey: secret }) };
  }

  const ask = (client: TestClient, body: object, path = "/v1/chat/completions"): Promise<TestResponse> =>
    client.post(path, { messages: [{ role: "user", content: `repeat 20 words ${Math.random()}` }], ...body });

  /** Sends many requests, some at once; each response goes to `seen`. */
  async function hit(client: TestClient, body: object, seen: (response: TestResponse) => void): Promise<void> {
    let left = requests;
    const worker = async (): Promise<void> => {
      while (left-- > 0) seen(await ask(client, body));
    };
    await Promise.all(Array.from({ length: atOnce }, worker));
  }

  const codeOf = (response: TestResponse): string => response.json<{ error: { code: string } }>().error.code;

  async function simulator<T>(path: string, body?: object): Promise<T> {
    const init = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
    const headers = { "content-type": "application/json" };
    return (await (await fetch(`${fleet.run.simulator_url}${path}`, { ...init, headers })).json()) as T;
  }

  /** What the upstream served of a model, by its own log. */
  async function served(model: string): Promise<number> {
    const { entries } = await simulator<{ entries: Served[] }>("/sim/log?limit=10000");
    return entries.filter((entry) => entry.model?.startsWith(model) && entry.status === 200).length;
  }

  /** Answers by status and code. */
  function tally(): { counts: Map<string, number>; see: (response: TestResponse) => void } {
    const counts = new Map<string, number>();
    const see = (response: TestResponse): void => {
      const name = response.status === 200 ? "200" : `${response.status} ${codeOf(response)}`;
      counts.set(name, (counts.get(name) ?? 0) + 1);
    };
    return { counts, see };
  }

  function assertRefusal(response: TestResponse): void {
    const { headers } = response;
    const [seconds, ms] = [Number(headers.get("retry-after")), Number(headers.get("retry-after-ms"))];
    assert.ok(Number.isInteger(seconds) && seconds >= 1 && seconds <= 60, `retry-after: ${headers.get("retry-after")}`);
    assert.ok(Number.isInteger(ms) && ms >= 1 && Math.ceil(ms / 1_000) === seconds, `${ms} ms`);
    assert.equal(headers.get("x-should-retry"), "true");
  }

  test("60 requests a minute hit by 1,000 are 60, and the refusals say when the next one is", async () => {
    const { client } = await newKey({ requestsPerMinute: 60n });
    const { counts, see } = tally();
    await hit(client, { model: "gpt-5.4-nano" }, see);
    assert.deepEqual([...counts].sort(), [
      ["200", 60],
      ["429 rate_limit_exceeded", requests - 60],
    ]);
    assert.equal(await served("gpt-5.4-nano"), 60);
    const refused = await ask(client, { model: "gpt-5.4-nano" });
    assert.equal(refused.status, 429);
    assertRefusal(refused);
    assert.equal(refused.headers.get("x-ratelimit-limit-requests"), "60");
    assert.equal(refused.headers.get("x-ratelimit-remaining-requests"), "0");
    assert.match(refused.headers.get("x-ratelimit-reset-requests") ?? "", /^([0-5]?[0-9](\.\d+)?s|1m0s|\d+ms)$/);
    exhausted = { client, endedAt: performance.now(), refused };
  });

  test("of 1,000 requests never more than 5 are at the upstream at once, and all slots come back", async () => {
    const { client } = await newKey({ concurrentRequests: 5n });
    await simulator("/sim/faults", { match: { model: "gpt-4.1-mini*" }, faults: { latency: 30 } });
    const { counts, see } = tally();
    await hit(client, { model: "gpt-4.1-mini" }, see);
    assert.deepEqual([...counts.keys()].sort(), ["200", "429 concurrency_limit_exceeded"]);
    const { models } = await simulator<{ models: Record<string, Gauge> }>("/sim/stats");
    const gauges = Object.entries(models).filter(([name]) => name.startsWith("gpt-4.1-mini"));
    assert.deepEqual(
      gauges.map(([, gauge]) => gauge.max),
      [5],
    );
    for (let tries = 0; ; tries++) {
      const five = await Promise.all(Array.from({ length: 5 }, () => ask(client, { model: "gpt-4.1-mini" })));
      if (five.every(({ status }) => status === 200)) break;
      assert.ok(tries < 5, "slots were lost");
      await sleep(200);
    }
  });

  test("tokens a minute hit by 1,000 are what answers came to, within the limit", async () => {
    const { client } = await newKey({ tokensPerMinute: 3_000n });
    let tokens = 0;
    const { counts, see } = tally();
    await hit(client, { model: "gpt-4o-mini", max_tokens: 50 }, (response) => {
      see(response);
      if (response.status === 200) tokens += response.json<{ usage: { total_tokens: number } }>().usage.total_tokens;
    });
    assert.deepEqual([...counts.keys()].sort(), ["200", "429 token_limit_exceeded"]);
    assert.ok(tokens <= 3_000 && tokens > 2_700, `${tokens} tokens`);
    const large = await ask(client, { model: "gpt-4o-mini", max_tokens: 3_001 });
    assert.equal(large.status, 429);
    assert.equal(codeOf(large), "token_limit_exceeded");
    assert.equal(large.headers.get("x-should-retry"), "false");
    assert.equal(large.headers.get("retry-after"), null);
  });

  test("every answer of a limited key says how its limits stand, on messages in Anthropic's words too", async () => {
    const { client } = await newKey({ requestsPerMinute: 10n, tokensPerMinute: 100_000n });
    const first = await ask(client, { model: "gpt-4o-mini" });
    assert.equal(first.headers.get("x-ratelimit-limit-requests"), "10");
    assert.equal(first.headers.get("x-ratelimit-remaining-requests"), "9");
    assert.match(first.headers.get("x-ratelimit-reset-requests") ?? "", /^(59\.\d+|60)s$|^1m0(\.\d+)?s$/);
    assert.equal(first.headers.get("x-ratelimit-limit-tokens"), "100000");
    assert.ok(Number(first.headers.get("x-ratelimit-remaining-tokens")) < 100_000);
    const body = { model: "gpt-4o-mini", max_tokens: 20 };
    const native = await ask(client, body, "/v1/messages");
    assert.equal(native.status, 200, native.text);
    assert.equal(native.headers.get("anthropic-ratelimit-requests-limit"), "10");
    const reset = native.headers.get("anthropic-ratelimit-requests-reset") ?? "";
    assert.match(reset, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    assert.ok(Math.abs(Date.parse(reset) - Date.now() - 60_000) < 5_000, reset);
    const unlimited = await ask(fleet.client, { model: "gpt-4o-mini" });
    assert.deepEqual(
      [...unlimited.headers.keys()].filter((name) => name.includes("ratelimit")),
      [],
    );
  });

  test("a changed limit holds within a second, lowered and raised", async () => {
    const { client, key } = await newKey({ requestsPerMinute: 1_000n });
    for (let i = 0; i < 6; i++) assert.equal((await ask(client, { model: "gpt-4o-mini" })).status, 200);
    const set = async (requestsPerMinute: bigint): Promise<void> => {
      const limits = { ...none, requestsPerMinute };
      const rest = { name: "", models: [], expiresAtMs: 0n };
      await keys.updateKey({ id: key.id, fields: ["limits"], limits, ...rest });
      await sleep(1_000);
    };
    await set(5n);
    const lowered = await Promise.all(Array.from({ length: 20 }, () => ask(client, { model: "gpt-4o-mini" })));
    assert.ok(lowered.every(({ status }) => status === 429));
    assert.equal(lowered[0]?.headers.get("x-ratelimit-limit-requests"), "5");
    await set(10n);
    const raised = await Promise.all(Array.from({ length: 20 }, () => ask(client, { model: "gpt-4o-mini" })));
    assert.equal(raised.filter(({ status }) => status === 200).length, 4);
  });

  test("when the minute is over there are 60 again, the first when retry-after said so", async () => {
    assert.ok(exhausted !== undefined);
    const { client, endedAt, refused } = exhausted;
    const passed = performance.now() - endedAt;
    await sleep(Math.max(0, Number(refused.headers.get("retry-after-ms")) - passed));
    assert.equal((await ask(client, { model: "gpt-5.4-nano" })).status, 200, "retry-after was too short");
    await sleep(Math.max(0, endedAt + 61_000 - performance.now()));
    const { counts, see } = tally();
    await hit(client, { model: "gpt-5.4-nano" }, see);
    assert.equal(counts.get("200"), 59);
  });

  test("after all of it the ledger holds exactly what the upstream served", async () => {
    assert.deepEqual((await fleet.audit()).violations, []);
  });
});
