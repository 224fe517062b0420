import assert from "node:assert/strict";
import { test } from "node:test";
import type { Provider } from "@uag/catalog/types";
import { UpstreamFailure } from "../failure.ts";
import type { Grant, Granted } from "./grant.ts";
import { GrantCache } from "./grant-cache.ts";

const provider = {} as Provider;
const hourMs = 3_600_000;

/** A cache whose fetches are resolved by the test, on a clock that the test sets. */
function staged() {
  const fetches: PromiseWithResolvers<Granted<string>>[] = [];
  const grant: Grant<string> = {
    id: "one",
    fetch() {
      const fetch = Promise.withResolvers<Granted<string>>();
      fetches.push(fetch);
      return fetch.promise;
    },
  };
  const clock = { now: 0 };
  const cache = new GrantCache(
    () => () => assert.fail("the grant asks no authority"),
    () => clock.now,
  );
  const get = (): Promise<string> => cache.get(grant, provider);
  const respond = (index: number, value: string, lifeMs = hourMs) => fetches[index]?.resolve({ value, lifeMs });
  return { cache, clock, fetches, grant, get, respond };
}

test("calls that need a token at the same time share one fetch, and later ones its token", async () => {
  const { fetches, get, respond } = staged();
  const both = Promise.all([get(), get()]);
  respond(0, "t1");
  assert.deepEqual(await both, ["t1", "t1"]);
  assert.equal(await get(), "t1");
  assert.equal(fetches.length, 1);
});

test("a token is fetched anew before it expires, while calls use the one at hand", async () => {
  const { clock, fetches, get, respond } = staged();
  const first = get();
  respond(0, "t1");
  await first;
  clock.now = hourMs - 4 * 60_000;
  assert.deepEqual([await get(), await get()], ["t1", "t1"]);
  assert.equal(fetches.length, 2);
  respond(1, "t2");
  await new Promise(setImmediate);
  assert.equal(await get(), "t2");
  assert.equal(fetches.length, 2);
});

test("while a token cannot be renewed it is used until it expires, and then the failure is reported", async () => {
  const { clock, fetches, get, respond } = staged();
  const first = get();
  respond(0, "t1");
  await first;
  clock.now = hourMs - 4 * 60_000;
  await get();
  fetches[1]?.reject(new UpstreamFailure("transient", "down"));
  await new Promise(setImmediate);
  assert.equal(await get(), "t1");
  assert.equal(fetches.length, 2, "it is not fetched for each call");
  clock.now += 31_000;
  await get();
  assert.equal(fetches.length, 3, "it is tried again after a while");
  clock.now = hourMs;
  const late = get();
  fetches[2]?.reject(new UpstreamFailure("operator", "secret revoked"));
  await assert.rejects(late, /secret revoked/);
});

test("a failed fetch is not remembered", async () => {
  const { fetches, get, respond } = staged();
  const first = get();
  fetches[0]?.reject(new UpstreamFailure("operator", "refused"));
  await assert.rejects(first, /refused/);
  const second = get();
  respond(1, "t2");
  assert.equal(await second, "t2");
});

test("a token that the provider rejected is fetched anew, once for all calls that it was rejected for", async () => {
  const { cache, fetches, grant, get, respond } = staged();
  const first = get();
  respond(0, "t1");
  await first;
  cache.forget(grant, "t1");
  const second = get();
  respond(1, "t2");
  assert.equal(await second, "t2");
  cache.forget(grant, "t1");
  assert.equal(await get(), "t2");
  assert.equal(fetches.length, 2);
});
