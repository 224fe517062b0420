import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { TestClient, TestResponse } from "@uag/harness/fleet/client";
import { type LimitedKey, newKey, setLimits } from "@uag/harness/fleet/limited-key";
import { startTestFleet, type TestFleet } from "@uag/harness/fleet/with-fleet";
import { Stopwatch } from "@uag/harness/testing/durations";
import { seededRandom } from "@uag/harness/testing/seeded-random";
import { waitFor } from "@uag/harness/testing/wait-for";
import { type LimitEvidence, proveConcurrency, proveRequests, proveTokens } from "../src/soak/limits.ts";
import { Load } from "../src/soak/load.ts";

describe("a key's limits across three replicas, measured at the public server and at the upstream", () => {
  let fleet: TestFleet;
  const random = seededRandom(1);
  let exhausted: { client: TestClient; endedAt: number; refused: TestResponse } | undefined;
  const resources = new AsyncDisposableStack();

  before(async () => {
    const dataDir = await mkdtemp(join(tmpdir(), "limits-"));
    resources.defer(() => rm(dataDir, { recursive: true, force: true }));
    fleet = resources.use(await startTestFleet({ dataDir, replicas: { chat: 3 } }));
  });
  after(() => resources.disposeAsync());

  const call = (client: TestClient, body: object, path = "/v1/chat/completions"): Promise<TestResponse> =>
    client.post(path, { messages: [{ role: "user", content: `repeat 20 words ${Math.random()}` }], ...body });

  const codeOf = (response: TestResponse): string => response.json<{ error: { code: string } }>().error.code;

  /** Checks a proof's figures and returns the key that it used. */
  function assertExact({ key, overAdmitted, violations }: LimitEvidence): LimitedKey {
    assert.equal(overAdmitted, 0);
    assert.deepEqual(violations, []);
    return key;
  }

  function assertRefusal(response: TestResponse): void {
    const { headers } = response;
    const [seconds, ms] = [Number(headers.get("retry-after")), Number(headers.get("retry-after-ms"))];
    assert.ok(Number.isInteger(seconds) && seconds >= 1 && seconds <= 60, `retry-after: ${headers.get("retry-after")}`);
    assert.ok(Number.isInteger(ms) && ms >= 1 && Math.ceil(ms / 1_000) === seconds, `${ms} ms`);
    assert.equal(headers.get("x-should-retry"), "true");
  }

  test("of 1,000 requests under a limit of 60 per minute, 60 are admitted, and the refusals have the time of the next permit", async () => {
    const { client } = assertExact(await proveRequests({ fleet, random }));
    const refused = await call(client, { model: "gpt-5.4-nano" });
    assert.equal(refused.status, 429);
    assertRefusal(refused);
    assert.equal(refused.headers.get("x-ratelimit-limit-requests"), "60");
    assert.equal(refused.headers.get("x-ratelimit-remaining-requests"), "0");
    assert.match(refused.headers.get("x-ratelimit-reset-requests") ?? "", /^([0-5]?[0-9](\.\d+)?s|1m0s|\d+ms)$/);
    exhausted = { client, endedAt: performance.now(), refused };
  });

  test("of 1,000 requests under a limit of 5 concurrent ones, at most 5 are at the upstream at once, and all permits are returned", async () => {
    const { client } = assertExact(await proveConcurrency({ fleet, random }));
    await waitFor(
      async () => {
        const five = await Promise.all(Array.from({ length: 5 }, () => call(client, { model: "gpt-4.1-mini" })));
        return five.every(({ status }) => status === 200);
      },
      { what: "all five permits to be free" },
    );
  });

  test("1,000 requests under a limit of tokens per minute stay within the limit by their responses' tokens", async () => {
    const { client } = assertExact(await proveTokens({ fleet, random }));
    const large = await call(client, { model: "gpt-4o-mini", max_tokens: 3_001 });
    assert.equal(large.status, 429);
    assert.equal(codeOf(large), "token_limit_exceeded");
    assert.equal(large.headers.get("x-should-retry"), "false");
    assert.equal(large.headers.get("retry-after"), null);
  });

  test("every response to a limited key has rate limit headers, and Anthropic's headers on messages", async () => {
    const { client } = await newKey(fleet, { requestsPerMinute: 10n, tokensPerMinute: 100_000n });
    const first = await call(client, { model: "gpt-4o-mini" });
    assert.equal(first.headers.get("x-ratelimit-limit-requests"), "10");
    assert.equal(first.headers.get("x-ratelimit-remaining-requests"), "9");
    assert.match(first.headers.get("x-ratelimit-reset-requests") ?? "", /^(59\.\d+|60)s$|^1m0(\.\d+)?s$/);
    assert.equal(first.headers.get("x-ratelimit-limit-tokens"), "100000");
    assert.ok(Number(first.headers.get("x-ratelimit-remaining-tokens")) < 100_000);
    const body = { model: "gpt-4o-mini", max_tokens: 20 };
    const sentAt = Date.now();
    const native = await call(client, body, "/v1/messages");
    assert.equal(native.status, 200, native.text);
    assert.equal(native.headers.get("anthropic-ratelimit-requests-limit"), "10");
    const reset = native.headers.get("anthropic-ratelimit-requests-reset") ?? "";
    assert.match(reset, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    // In whole seconds.
    assert.ok(Date.parse(reset) >= sentAt + 59_000 && Date.parse(reset) <= Date.now() + 61_000, reset);
    const unlimited = await call(fleet.client, { model: "gpt-4o-mini" });
    assert.equal(unlimited.headers.get("x-ratelimit-limit-requests"), "10000", "the provider's own header");
  });

  test("a lowered or raised limit takes effect within a second", async () => {
    const { client, key } = await newKey(fleet, { requestsPerMinute: 1_000n });
    let used = 0;
    const use = async (): Promise<TestResponse> => {
      const response = await call(client, { model: "gpt-4o-mini" });
      if (response.status === 200) used++;
      return response;
    };
    const set = async (limit: number): Promise<void> => {
      await setLimits(fleet, key, { requestsPerMinute: BigInt(limit) });
      using watch = new Stopwatch();
      let sentMs = 0;
      await waitFor(
        async () => {
          sentMs = watch.ms;
          return (await use()).headers.get("x-ratelimit-limit-requests") === String(limit);
        },
        { what: `a limit of ${limit}` },
      );
      assert.ok(sentMs < 1_000, `${sentMs} ms`);
    };
    for (let i = 0; i < 6; i++) assert.equal((await use()).status, 200);
    await set(5);
    const lowered = await Promise.all(Array.from({ length: 20 }, use));
    assert.ok(lowered.every(({ status }) => status === 429));
    // Those admitted before the lower limit was known, plus four.
    const raised = used + 4;
    await set(raised);
    await Promise.all(Array.from({ length: 20 }, use));
    assert.equal(used, raised);
  });

  test("after the minute 60 more requests are admitted, the first at the time in retry-after", async () => {
    assert.ok(exhausted !== undefined);
    const { client, endedAt, refused } = exhausted;
    const msOf = ({ headers }: TestResponse): number => Number(headers.get("retry-after-ms"));
    await sleep(Math.max(0, msOf(refused) - (performance.now() - endedAt)));
    using watch = new Stopwatch();
    let first = await call(client, { model: "gpt-5.4-nano" });
    // The permit may be held by another replica, which must return it first.
    while (first.status === 429 && watch.ms < 2_000) {
      await sleep(msOf(first));
      first = await call(client, { model: "gpt-5.4-nano" });
    }
    assert.equal(first.status, 200, "retry-after is long enough");
    const firstAt = performance.now();
    await sleep(Math.max(0, endedAt + 61_000 - performance.now()));
    const load = new Load({ clients: [client], kinds: ["json"], concurrency: 100, requests: 1_000, random });
    await load.ended();
    // On a slow machine the first request's minute may also be over.
    const expected = performance.now() - firstAt < 60_000 ? [59] : [59, 60];
    assert.ok(expected.includes(load.completed), String(load.completed));
  });

  test("the ledger contains exactly what the upstream served", async () => {
    assert.deepEqual((await fleet.audit()).violations, []);
  });
});
