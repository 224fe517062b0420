import assert from "node:assert/strict";
import { once } from "node:events";
import { request as send } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import { type ErrorCode, errorTable } from "@uag/contract/errors/table";
import { capturedLog } from "@uag/harness/testing/captured-log";
import { waitFor } from "@uag/harness/testing/wait-for";
import { createMetrics } from "@uag/runtime/metrics";
import express, { type RequestHandler } from "express";
import { Agent } from "undici";
import { createEvents } from "../events.ts";
import { readJson } from "./read-json.ts";
import { renderErrors } from "./refuse.ts";
import { relay } from "./relay.ts";

async function listening(t: TestContext, app: express.Express): Promise<string> {
  const server = app.listen(0, "127.0.0.1");
  t.after(() => server.close().closeAllConnections());
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** An application with one handler and the console's error handler; `seen` has its steps. */
async function stage(t: TestContext, path: string, handler: RequestHandler) {
  const { log, lines } = capturedLog();
  const events = createEvents(log, createMetrics("test"));
  const seen: (GatewayError | "entered")[] = [];
  const app = express().all(path, (_request, _response, next) => {
    seen.push("entered");
    next();
  });
  app.all(path, handler);
  app.use(
    renderErrors({
      ...events,
      refused(error, requestId) {
        seen.push(error);
        events.refused(error, requestId);
      },
    }),
  );
  return { url: await listening(t, app), lines, seen };
}

test("the console logs one line with the cause for each error response with a status of 500 or more", async (t) => {
  const { url, lines } = await stage(t, "/:code", ({ params }) => {
    throw new GatewayError(params["code"] as ErrorCode, undefined, { cause: new Error("the cause") });
  });
  const expected: unknown[] = [];
  for (const [code, { http }] of Object.entries(errorTable)) {
    const headers = { "x-request-id": `req-${code}` };
    assert.equal((await fetch(`${url}/${code}`, { headers })).status, http);
    if (http >= 500) expected.push([`req-${code}`, code, http, "the cause"]);
  }
  const logged = lines.map(({ request_id, code, status, err }) => [request_id, code, status, (err as Error).message]);
  assert.deepEqual(logged, expected);
});

test("the console logs why a request that it forwards gets a 503", async (t) => {
  const dispatcher = new Agent();
  t.after(() => dispatcher.destroy());
  const { url, lines } = await stage(t, "/", async (request, response) => {
    await relay(request, response, { dispatcher, url: "http://127.0.0.1:1/", bearer: "b", bodyLimit: 9 });
  });
  assert.equal((await fetch(url)).status, 503);
  assert.deepEqual(
    lines.map(({ code, err }) => [code, /ECONNREFUSED/.test((err as Error).message)]),
    [["service_unavailable", true]],
  );
});

const uploads: readonly (readonly [what: string, handler: (behind: string, agent: Agent) => RequestHandler])[] = [
  [
    "forwards",
    (behind, dispatcher) => async (request, response) => {
      await relay(request, response, { dispatcher, url: behind, bearer: "b", bodyLimit: 1_000 });
    },
  ],
  ["reads", () => async (request) => void (await readJson(request, 1_000))],
];
for (const [what, handlerOf] of uploads) {
  test(`a client that disconnects while the console ${what} its body leaves no error in the log`, async (t) => {
    const dispatcher = new Agent();
    t.after(() => dispatcher.destroy());
    const behind = await listening(
      t,
      express().all("/", (request) => void request.resume()),
    );
    const { url, lines, seen } = await stage(t, "/", handlerOf(behind, dispatcher));
    const upload = send(url, { method: "POST", headers: { "content-length": "1000" } });
    upload.on("error", () => undefined);
    upload.write("half");
    await waitFor(() => seen.length > 0);
    upload.destroy();
    const [, error] = await waitFor(() => seen.length > 1 && seen);
    assert.deepEqual([(error as GatewayError).code, lines], ["client_closed_request", []]);
  });
}
