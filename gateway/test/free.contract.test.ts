import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type Route, routes } from "@uag/contract/routes.ts";
import { generateKey } from "@uag/kit/api-key.ts";
import { startFakeMetering } from "./support/fake-metering.ts";
import { startFakeService } from "./support/fake-service.ts";
import { type Stage, startStage } from "./support/stage.ts";

/** The burst of a key with a low limit: 30 s of 60 requests a minute. */
const burst = 30;
/** After the burst there is one more a second: whoever calls faster than that is told to wait. */
const maxCalls = 300;

describe("a key without money may ask without end for nothing", () => {
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
    return stage.fetch(route.path.replace(":id", "x"), { method, authorization: `Bearer ${key}`, ...body });
  };
  /** The statuses of so many calls, one after another, up to the first that is told to wait. */
  const statusesOf = async (route: Route, calls: number): Promise<number[]> => {
    const key = newKey();
    const statuses: number[] = [];
    for (let n = 0; n < calls; n++) {
      const response = await call(route, key);
      await response.arrayBuffer();
      statuses.push(response.status);
      if (response.status !== 429) continue;
      assert.ok(Number(response.headers.get("retry-after")) >= 1);
      assert.equal(response.headers.get("x-should-retry"), "true");
      break;
    }
    return statuses;
  };

  for (const route of routes.filter(({ billed }) => !billed)) {
    test(`${route.method} ${route.path} is limited, though it is free`, async () => {
      const statuses = await statusesOf(route, maxCalls);
      assert.deepEqual(new Set(statuses.slice(0, burst)), new Set([200]));
      assert.equal(statuses.at(-1), 429, String(statuses));
    });
  }

  for (const route of routes.filter(({ billed }) => billed)) {
    test(`left to its service, which admits by money and limits: ${route.method} ${route.path}`, async () => {
      assert.deepEqual(new Set(await statusesOf(route, burst + 10)), new Set([200]));
    });
  }

  test("no more than 16 of one key are under way at once", async () => {
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
    gate.resolve();
    const statuses = (await Promise.all(responses)).map(({ status }) => status);
    assert.equal(statuses.filter((status) => status === 200).length, 16);
  });
});
