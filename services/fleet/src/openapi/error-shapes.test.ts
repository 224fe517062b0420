import assert from "node:assert/strict";
import { test } from "node:test";
import { createContext } from "@uag/capability/context.ts";
import type { Operations } from "@uag/capability/operation/operation.ts";
import { parseCatalog } from "@uag/catalog/parse.ts";
import { chatContext } from "@uag/chat/context.ts";
import { operations } from "@uag/chat/operations.ts";
import { GatewayError } from "@uag/contract/errors/gateway-error.ts";
import { nativeError } from "@uag/contract/errors/shapes.ts";
import { routes } from "@uag/contract/routes.ts";
import { createLogger } from "@uag/kit/log.ts";
import { createMetrics } from "@uag/kit/metrics.ts";
import { Caller } from "@uag/proto/common/v1/caller.ts";

const admission = {
  admit: () => Promise.reject(new Error("nothing is admitted here")),
  check: async () => ({ ok: true as const }),
  [Symbol.asyncDispose]: async () => {},
};

test("what fails before a native operation's handler runs has the error shape of the document", async () => {
  const catalog = { current: parseCatalog("providers: {}\nmodels: []", {}), [Symbol.dispose]: () => {} };
  const log = createLogger({ service: "error-shapes", level: "silent" });
  const parts = { name: "chat", catalog, admission, log, metrics: createMetrics("error-shapes"), egressAllow: [] };
  await using context = createContext(parts);
  const chat: Operations = operations(chatContext(context));
  const error = new GatewayError("idempotency_key_reuse");
  for (const route of routes.filter(({ errorShape }) => errorShape === "native")) {
    const name = "operation" in route ? route.operation : "";
    const format = await chat[name]?.errorFormat(undefined, Caller.fromPartial({}));
    const body = format?.errorBody({ error, failure: undefined, requestId: "req_1" });
    assert.ok(body !== undefined, name);
    assert.doesNotThrow(() => nativeError.parse(JSON.parse(body.toString("utf8"))), name);
  }
});
