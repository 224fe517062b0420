import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { assertShortTurns } from "@uag/harness/testing/assert-short-turns";
import { capturedLog } from "@uag/harness/testing/captured-log";
import { createMetrics } from "@uag/runtime/metrics";
import { OpenRequests } from "@uag/runtime/open-requests";
import { BufferBudget } from "@uag/untrusted/buffer-budget";
import { createApp } from "../app.ts";
import { createEvents } from "../events.ts";
import { KeyModels } from "../gateway/key-models.ts";
import { PublicApi } from "../gateway/public-api.ts";

const mebi = 1024 * 1024;
const inputs = 2_048;
const dimensions = 3_072;

/** The gateway's largest response to a call of `embed`, in base64. */
function largest(): Buffer {
  const floats = Float32Array.from({ length: dimensions }, (_, index) => Math.sin(index + 1) / 50);
  const vector = Buffer.from(floats.buffer).toString("base64");
  const item = (index: number): string => `{"object":"embedding","index":${index},"embedding":"${vector}"}`;
  const items = Array.from({ length: inputs }, (_, index) => item(index)).join(",");
  const usage = `{"prompt_tokens":${inputs},"total_tokens":${inputs}}`;
  return Buffer.from(`{"object":"list","model":"vectors","data":[${items}],"usage":${usage}}`);
}

const model = {
  id: "vectors",
  display_name: "Vectors",
  owned_by: "acme",
  operations: ["embeddings"],
  input_modalities: ["text"],
  output_modalities: ["embedding"],
  price: { usd: { input_tokens: 1 }, tiers: [] },
};

async function listening(listener: RequestListener) {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

test("the largest call of embed takes short turns of the event loop, and its response is held within the budget", async (t) => {
  const response = largest();
  const gateway = await listening((request, out) => {
    out.setHeader("content-type", "application/json");
    request.resume();
    if (request.method === "GET") out.end(JSON.stringify({ object: "list", data: [model] }));
    else out.end(response);
  });
  const api = new PublicApi({ baseUrl: gateway.url, timeoutMs: 60_000 });
  const buffers = new BufferBudget();
  const { log, lines } = capturedLog();
  const app = createApp({
    api,
    files: undefined as never,
    models: new KeyModels(api),
    hosts: () => true,
    requests: new OpenRequests({ perKey: 9 }),
    buffers,
    events: createEvents(log, createMetrics("test")),
    bodyLimit: mebi,
  });
  const mcp = await listening(app);
  t.after(async () => {
    for (const { server } of [mcp, gateway]) server.close().closeAllConnections();
    await api[Symbol.asyncDispose]();
  });
  const args = { model: "vectors", texts: Array.from({ length: inputs }, () => "a") };
  const params = { name: "embed", arguments: args };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
  assert.ok(body.length < 16 * 1024, "a small request");
  let held = 0;
  const call = async (): Promise<{ bytes: number; start: string }> => {
    const responded = await fetch(`${mcp.url}/mcp`, {
      method: "POST",
      headers: {
        accept: "application/json, text/event-stream",
        authorization: "Bearer key",
        "content-type": "application/json",
      },
      body,
    });
    assert.equal(responded.status, 200, JSON.stringify(lines));
    let bytes = 0;
    let start = "";
    for await (const chunk of responded.body ?? []) {
      held = Math.max(held, buffers.held);
      bytes += chunk.length;
      if (start.length < 500) start += Buffer.from(chunk).toString("latin1");
    }
    return { bytes, start };
  };
  await call();
  let result = { bytes: 0, start: "" };
  await assertShortTurns(async () => {
    result = await call();
  });
  assert.ok(result.bytes > 60 * mebi, `${result.bytes} bytes: ${result.start.slice(0, 500)}`);
  assert.ok(held >= response.length, `${held} bytes were held`);
  assert.equal(buffers.held, 0);
});
