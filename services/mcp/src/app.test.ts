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
import { OpenRequests } from "@uag/runtime/open-requests";
import { BufferBudget } from "@uag/untrusted/buffer-budget";
import { type AppOptions, createApp } from "./app.ts";
import { createEvents, type Events } from "./events.ts";

/** The server, with what it finds out about keys. It calls neither the gateway nor any URL. */
async function stage(t: TestContext, of: AppOptions["models"]["of"]) {
  const { log, lines } = capturedLog();
  const events = createEvents(log, createMetrics("test"));
  const refused: Parameters<Events["refused"]>[0][] = [];
  const app = createApp({
    api: undefined as never,
    files: undefined as never,
    models: { of } as AppOptions["models"],
    hosts: () => true,
    requests: new OpenRequests({ perKey: 9 }),
    buffers: new BufferBudget(),
    events: {
      ...events,
      refused(error, requestId) {
        refused.push(error);
        events.refused(error, requestId);
      },
    },
    bodyLimit: 1_000,
  });
  const server = app.listen(0, "127.0.0.1");
  t.after(() => server.close().closeAllConnections());
  await once(server, "listening");
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, lines, refused };
}

const headersOf = (requestId: string) => ({
  accept: "application/json, text/event-stream",
  authorization: "Bearer key",
  "content-type": "application/json",
  "x-request-id": requestId,
});
const listTools = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });
const call = (url: string, requestId: string): Promise<Response> =>
  fetch(url, { method: "POST", headers: headersOf(requestId), body: listTools });

const causesOf = (lines: ReturnType<typeof capturedLog>["lines"]): unknown[] =>
  lines.map(({ request_id, code, status, err }) => [request_id, code, status, (err as Error).message]);

test("the MCP server logs one line with the cause for each error with a status of 500 or more", async (t) => {
  let code: ErrorCode = "internal_error";
  const { url, lines } = await stage(t, async () => {
    throw new GatewayError(code, undefined, { cause: new Error("the cause") });
  });
  const expected: unknown[] = [];
  for (code of Object.keys(errorTable) as ErrorCode[]) {
    const { http } = errorTable[code];
    const { status } = await call(url, code);
    assert.equal(status >= 500, http >= 500, code);
    if (http >= 500) expected.push([code, code, http, "the cause"]);
  }
  assert.deepEqual(causesOf(lines), expected);
});

test("logs the cause when the gateway cannot be reached", async (t) => {
  const { url, lines } = await stage(t, () => Promise.reject(new TypeError("fetch failed")));
  assert.equal((await call(url, "r")).status, 503);
  assert.deepEqual(causesOf(lines), [["r", "service_unavailable", 503, "fetch failed"]]);
});

test("logs the cause of a fault that the MCP library responds to with 500", async (t) => {
  const notModels = 1 as never;
  const { url, lines } = await stage(t, async () => notModels);
  assert.equal((await call(url, "r")).status, 500);
  const [line, ...more] = causesOf(lines) as string[][];
  assert.deepEqual([line?.slice(0, 3), more], [["r", "internal_error", 500], []]);
  assert.match(line?.[3] ?? "", /flatMap/);
});

test("a client that disconnects during its upload leaves no error in the log", async (t) => {
  let entered = false;
  const { url, lines, refused } = await stage(t, async () => {
    entered = true;
    return [];
  });
  const upload = send(url, { method: "POST", headers: { ...headersOf("r"), "content-length": "1000" } });
  upload.on("error", () => undefined);
  upload.write("{");
  await waitFor(() => entered);
  upload.destroy();
  await waitFor(() => refused.length > 0);
  assert.deepEqual([refused.map(({ code }) => code), lines], [["client_closed_request"], []]);
});
