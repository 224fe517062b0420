import assert from "node:assert/strict";
import type { LookupAddress } from "node:dns";
import { type TestContext, test } from "node:test";
import { NameCache } from "./name-cache.ts";

const address = (text: string): LookupAddress[] => [{ address: text, family: 4 }];
const silent = new Promise<LookupAddress[]>(() => {});
const broken = Object.assign(new Error("no response"), { code: "EAI_AGAIN" });

/** A clock controlled by the test. */
function clock(t: TestContext): { pass(ms: number): void } {
  let now = 0;
  t.mock.method(performance, "now", () => now);
  t.mock.timers.enable({ apis: ["setTimeout"] });
  return {
    pass(ms) {
      now += ms;
      t.mock.timers.tick(ms);
    },
  };
}

test("concurrent callers share one lookup, whose result is refreshed after 30 s", async (t) => {
  const time = clock(t);
  let calls = 0;
  const names = new NameCache(async () => address(`10.0.0.${++calls}`));
  const many = await Promise.all(Array.from({ length: 50 }, () => names.resolve("api.test")));
  assert.ok(many.every((found) => found[0]?.address === "10.0.0.1"));
  time.pass(29_000);
  assert.deepEqual(await names.resolve("api.test"), address("10.0.0.1"));
  time.pass(2_000);
  assert.deepEqual(await names.resolve("api.test"), address("10.0.0.2"));
  assert.equal(calls, 2);
});

test("uses a known name's addresses for up to an hour while the name server fails or does not respond", async (t) => {
  const time = clock(t);
  let respond: () => Promise<LookupAddress[]> = async () => address("10.0.0.1");
  let calls = 0;
  const names = new NameCache(() => {
    calls++;
    return respond();
  });
  await names.resolve("api.test");
  respond = () => Promise.reject(broken);
  time.pass(31_000);
  assert.deepEqual(await names.resolve("api.test"), address("10.0.0.1"));
  assert.deepEqual(await names.resolve("api.test"), address("10.0.0.1"));
  assert.equal(calls, 2, "a failed lookup is not retried immediately");
  respond = () => silent;
  time.pass(6_000);
  const waiting = names.resolve("api.test");
  await Promise.resolve();
  time.pass(500);
  assert.deepEqual(await waiting, address("10.0.0.1"));
  time.pass(61 * 60_000);
  const gone = await Promise.race([names.resolve("api.test"), Promise.resolve("nothing yet")]);
  assert.equal(gone, "nothing yet");
});

test("an unknown name fails with the system's error, and the next call looks it up again", async () => {
  let works = false;
  const names = new NameCache(async () => {
    if (works) return address("10.0.0.1");
    throw broken;
  });
  await assert.rejects(names.resolve("api.test"), { code: "EAI_AGAIN" });
  works = true;
  assert.deepEqual(await names.resolve("api.test"), address("10.0.0.1"));
});

test("runs at most two lookups at a time", async () => {
  const received: string[] = [];
  const responses: ((found: LookupAddress[]) => void)[] = [];
  const names = new NameCache((name) => {
    received.push(name);
    return new Promise((resolve) => responses.push(resolve));
  });
  const all = ["a", "b", "c", "d"].map((name) => names.resolve(name));
  assert.deepEqual(received, ["a", "b"]);
  responses[0]?.(address("10.0.0.1"));
  await all[0];
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(received, ["a", "b", "c"]);
});

test("returns all addresses, or the first of the requested family", async () => {
  const both = [{ address: "::1", family: 6 }, ...address("10.0.0.1")];
  const names = new NameCache(async () => both);
  const look = (options: object): Promise<unknown[]> =>
    new Promise((resolve) => names.lookup("api.test", options, (...found) => resolve(found)));
  assert.deepEqual(await look({ all: true }), [null, both]);
  assert.deepEqual(await look({}), [null, "::1", 6]);
  assert.deepEqual(await look({ family: 4 }), [null, "10.0.0.1", 4]);
});
