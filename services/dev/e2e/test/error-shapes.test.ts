import assert from "node:assert/strict";
import { test } from "node:test";
import { parseCatalog } from "@uag/catalog/parse";
import { chatContext } from "@uag/chat/context";
import { operations } from "@uag/chat/operations";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import { nativeError } from "@uag/contract/errors/shapes";
import { routes } from "@uag/contract/routes";
import { unlimitedFetches } from "@uag/harness/unlimited-fetches";
import { createContext } from "@uag/pipeline/context";
import type { Operations } from "@uag/pipeline/operation/operation";
import { Caller } from "@uag/proto/common/v1/caller.ts";
import { createLogger } from "@uag/runtime/log";
import { createMetrics } from "@uag/runtime/metrics";

const admission = {
  admit: () => Promise.reject(new Error("nothing is admitted here")),
  check: async () => ({ ok: true as const }),
  [Symbol.asyncDispose]: async () => {},
};

test("errors raised before the handler of a native operation of chat have the documented shape", async () => {
  const catalog = { current: parseCatalog("providers: {}\nmodels: []", {}), [Symbol.dispose]: () => {} };
  const log = createLogger({ service: "error-shapes", level: "silent" });
  const metrics = createMetrics("error-shapes");
  const parts = { name: "chat", catalog, admission, log, metrics, egressAllow: [], fetchBudget: unlimitedFetches };
  await using context = createContext(parts);
  const chat: Operations = operations(chatContext(context));
  const error = new GatewayError("idempotency_key_reuse");
  const native = routes.flatMap((route) =>
    "operation" in route && route.service === "chat" && route.errorShape === "native" ? [route.operation] : [],
  );
  // Estimates have no idempotency keys, so nothing is raised before their handlers.
  for (const name of native.filter((each) => !each.endsWith(".estimate"))) {
    const format = await chat[name]?.errorFormat(undefined, Caller.fromPartial({}));
    const body = format?.errorBody({ error, failure: undefined, requestId: "req_1" });
    assert.ok(body !== undefined, name);
    assert.doesNotThrow(() => nativeError.parse(JSON.parse(body.toString("utf8"))), name);
  }
});
