import assert from "node:assert/strict";
import { test } from "node:test";
import { OpenRequests } from "./open-requests.ts";

test("no key exceeds its share of open requests, and all keys together stay within the total", () => {
  const requests = new OpenRequests({ total: { max: 3, setting: "MAX_OPEN" }, perKey: 2 });
  const first = requests.open("a");
  requests.open("a");
  assert.throws(() => requests.open("a"), { code: "too_many_open_requests" });
  requests.open("b");
  assert.throws(() => requests.open("c"), { code: "service_unavailable" });
  first[Symbol.dispose]();
  requests.open("c");
});
