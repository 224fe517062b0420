import assert from "node:assert/strict";
import { test } from "node:test";
import { GatewayError } from "@uag/contract/errors/gateway-error.ts";
import { FreeLimits } from "./free-limits.ts";

function stage(perMinute = 600, concurrency = 1_000) {
  let now = 0;
  const clock = { monotonic: () => now, now: () => now };
  const limits = new FreeLimits({ clock, perMinute, concurrency });
  const call = (more: Partial<Parameters<FreeLimits["enter"]>[0]> = {}): GatewayError | undefined => {
    try {
      limits.enter({ keyId: "key", requestsPerMinute: 0, bodyBytes: 0, ...more });
      limits.leave(more.keyId ?? "key");
      return undefined;
    } catch (error) {
      assert.ok(error instanceof GatewayError);
      return error;
    }
  };
  /** How many pass at once. */
  const burst = (more: Parameters<typeof call>[0] = {}): number => {
    for (let passed = 0; passed < 10_000; passed++) if (call(more) !== undefined) return passed;
    return Number.POSITIVE_INFINITY;
  };
  return {
    limits,
    call,
    burst,
    wait: (ms: number) => {
      now += ms;
    },
  };
}

test("a key that used up its burst is told when to come back, and then one request passes", () => {
  const { call, burst, wait } = stage();
  assert.equal(burst(), 300);
  const refused = call();
  assert.equal(refused?.code, "rate_limit_exceeded");
  assert.equal(refused?.retryAfterMs, 100);
  wait(refused?.retryAfterMs ?? 0);
  assert.equal(burst(), 1);
  assert.equal(burst({ keyId: "another key" }), 300);
});

test("in an hour no more passes than the rate, and the burst once", () => {
  const { burst, wait } = stage();
  let passed = 0;
  for (let second = 0; second < 3_600; second++) {
    passed += burst();
    wait(1_000);
  }
  assert.equal(passed, 300 + 10 * 3_599);
});

test("a key with a limit of its own has that rate, but never less than a client needs to look around", () => {
  assert.equal(stage().burst({ requestsPerMinute: 120 }), 60);
  assert.equal(stage().burst({ requestsPerMinute: 1 }), 30);
  assert.equal(stage().burst({ requestsPerMinute: 1_000_000 }), 300);
});

test("a large body counts as many small ones, and one that does not say its length as the largest", () => {
  assert.equal(stage().burst({ bodyBytes: 640 * 1024 }), 27);
  assert.equal(stage().burst({ bodyBytes: undefined }), 1);
  assert.equal(stage().burst({ bodyBytes: 32 * 1024 * 1024 }), 1);
});

test("no more than so many are under way at once, and who leaves makes room", () => {
  const { limits } = stage(600, 2);
  const enter = () => limits.enter({ keyId: "key", requestsPerMinute: 0, bodyBytes: 0 });
  enter();
  enter();
  assert.throws(enter, { code: "concurrency_limit_exceeded" });
  limits.leave("key");
  enter();
});

test("keys that rest are forgotten, and keys that do not rest are not", () => {
  const { burst, call, wait } = stage();
  wait(1_000_000);
  burst({ keyId: "busy" });
  for (let n = 0; n < 5_000; n++) {
    wait(1);
    call({ keyId: `key ${n}` });
  }
  assert.ok(burst({ keyId: "busy" }) <= 50);
});
