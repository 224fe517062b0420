import assert from "node:assert/strict";
import { test } from "node:test";
import { Places } from "./places.ts";

test("no key exceeds its share of open requests, and all keys together stay within the total", () => {
  const places = new Places({ total: 3, perKey: 2 });
  const first = places.take("a");
  places.take("a");
  assert.throws(() => places.take("a"), { code: "too_many_open_requests" });
  places.take("b");
  assert.throws(() => places.take("c"), { code: "service_unavailable" });
  first[Symbol.dispose]();
  places.take("c");
});
