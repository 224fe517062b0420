import assert from "node:assert/strict";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import { type ErrorCode, errorTable } from "@uag/contract/errors/table";
import { capturedLog } from "@uag/harness/testing/captured-log";
import express from "express";
import type { GatewayResponse } from "../request-state.ts";
import { renderErrors } from "./errors.ts";

test("logs one line with the cause for each error response with a status of 500 or more", async () => {
  const { log, lines } = capturedLog();
  const app = express();
  app.get("/:code", ({ params }, response: GatewayResponse) => {
    Object.assign(response.locals, { requestId: `req-${params.code}`, startedAt: performance.now() });
    throw new GatewayError(params.code as ErrorCode, undefined, { cause: new Error("the cause") });
  });
  app.use(renderErrors(log));
  const server = app.listen(0, "127.0.0.1");
  await once(server, "listening");
  try {
    const { port } = server.address() as AddressInfo;
    const expected: unknown[] = [];
    for (const [code, { http }] of Object.entries(errorTable)) {
      assert.equal((await fetch(`http://127.0.0.1:${port}/${code}`)).status, http);
      if (http >= 500) expected.push([`req-${code}`, code, http, "the cause"]);
    }
    const logged = lines.map(({ request_id, code, status, err }) => [request_id, code, status, (err as Error).message]);
    assert.deepEqual(logged, expected);
  } finally {
    server.close();
  }
});
