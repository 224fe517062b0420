import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { filledPath, type Route, routes } from "@uag/contract/routes";
import { generateKey } from "@uag/runtime/api-key";
import { startFakeMetering } from "./support/fake-metering.ts";
import { startFakeService } from "./support/fake-service.ts";
import { type Stage, startStage } from "./support/stage.ts";

/** The burst of a key with a low limit: 30 s of 60 requests a minute. */
const burst = 30;
/** Two more accumulate while requests may wait, and a few more while the test runs. */
const waiting = 2;
const slack = 8;

describe("free requests are limited per key", () => {
  let stage: Stage;
  const resources = new AsyncDisposableStack();

  before(async () => {
    const metering = resources.use(await startFakeMetering());
    const { address } = resources.use(await startFakeService());
    const others = { EMBEDDING_ADDR: address, MEDIA_ADDR: address, SPEECH_ADDR: address, VIDEO_ADDR: address };
    stage = resources.use(await startStage({ METERING_ADDR: metering.address, ...others }));
  });
  after(() => resources.disposeAsync());

  const newKey = (): string => {
    const key = generateKey();
    const limits = { requestsPerMinute: 1n, tokensPerMinute: 0n, concurrentRequests: 0n, monthlyBudgetNanoUsd: 0n };
    stage.billing.put(key, { keyId: `key of ${key.slice(-8)}`, accountId: "poor", limits });
    return key;
  };
  const call = (route: Route, key: string): Promise<Response> => {
    const { method, body: kind } = route;
    const type = kind === "json" ? "application/json" : "multipart/form-data; boundary=b";
    const body = kind === "none" ? {} : { body: "{}", headers: { "content-type": type } };
    const path = filledPath(route.path, () => "x");
    return stage.fetch(path, { method, authorization: `Bearer ${key}`, ...body });
  };
  /** Sends this many requests of one key at once and resolves with their statuses. */
  const statusesOf = async (route: Route, calls: number): Promise<number[]> => {
    const key = newKey();
    const send = async (): Promise<number> => {
      const response = await call(route, key);
      await response.arrayBuffer();
      if (response.status === 429) {
        assert.ok(Number(response.headers.get("retry-after")) >= 1);
        assert.equal(response.headers.get("x-should-retry"), "true");
      }
      return response.status;
    };
    return await Promise.all(Array.from({ length: calls }, send));
  };

  /** The status of a request within the limits: the fake metering has no bill of any request. */
  const withinLimits = ({ path }: Route): number => (path === "/v1/receipts/:id" ? 404 : 200);

  // Each waits for seconds until its queued requests are refused.
  describe("route by route", { concurrency: 8 }, () => {
    for (const route of routes.filter(({ billing }) => billing === "none")) {
      test(`limits ${route.method} ${route.path}, which is free`, async () => {
        const statuses = await statusesOf(route, burst + waiting + 2 * slack);
        assert.ok(statuses.includes(429));
        // The fake billing has no envelopes: what counts is how many requests reach it.
        if (!route.path.startsWith("/v1/envelopes"))
          assert.deepEqual(new Set(statuses), new Set([withinLimits(route), 429]));
        const passed = statuses.filter((status) => status !== 429).length;
        assert.ok(passed >= burst && passed <= burst + waiting + slack, `${passed} passed`);
      });
    }

    for (const route of routes.filter(({ billing }) => billing !== "none")) {
      test(`does not limit ${route.method} ${route.path}, which its service admits`, async () => {
        assert.deepEqual(new Set(await statusesOf(route, burst + 10)), new Set([200]));
      });
    }
  });

  test("runs 16 concurrent requests per key, queues more, and rejects those that wait too long", async () => {
    const gate = Promise.withResolvers<void>();
    stage.service.handler = async (exchange) => {
      await gate.promise;
      exchange.respond(200, [], Buffer.from("{}"));
    };
    const key = newKey();
    const route = routes.find(({ path }) => path === "/v1/models") as Route;
    const responses = Array.from({ length: 17 }, () => call(route, key));
    const first = await Promise.race(responses);
    assert.equal(first.status, 429);
    assert.match(await first.text(), /concurrency_limit_exceeded/);
    const queued = Array.from({ length: 10 }, () => call(route, key));
    gate.resolve();
    const statuses = (await Promise.all([...responses, ...queued])).map(({ status }) => status);
    assert.equal(statuses.filter((status) => status === 200).length, 26);
  });
});
