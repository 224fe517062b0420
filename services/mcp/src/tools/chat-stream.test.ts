import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type RequestListener, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { capturedLog } from "@uag/harness/testing/captured-log";
import { createMetrics } from "@uag/runtime/metrics";
import { OpenRequests } from "@uag/runtime/open-requests";
import { BufferBudget } from "@uag/untrusted/buffer-budget";
import { createApp } from "../app.ts";
import { createEvents } from "../events.ts";
import { KeyModels } from "../gateway/key-models.ts";
import { PublicApi } from "../gateway/public-api.ts";

const model = {
  id: "writer",
  display_name: "Writer",
  owned_by: "acme",
  operations: ["chat.completions"],
  input_modalities: ["text"],
  output_modalities: ["text"],
  price: { usd: { input_tokens: 1 }, tiers: [] },
};

async function listening(t: TestContext, listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close().closeAllConnections());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** The MCP server in front of a gateway that begins a stream of text and ends it with `end`. */
async function stage(t: TestContext, end: (out: ServerResponse) => void) {
  const gateway = await listening(t, (request, out) => {
    request.resume();
    if (request.method === "GET") {
      out.setHeader("content-type", "application/json");
      out.end(JSON.stringify({ object: "list", data: [model] }));
      return;
    }
    out.writeHead(200, { "content-type": "text/event-stream", "x-request-id": "req_1" });
    const choices = [{ index: 0, delta: { content: "Once upon" }, finish_reason: null }];
    const chunk = { id: "c1", object: "chat.completion.chunk", created: 1, model: "writer", choices };
    out.write(`data: ${JSON.stringify(chunk)}\n\n`);
    setTimeout(() => end(out), 50);
  });
  const api = new PublicApi({ baseUrl: gateway, timeoutMs: 60_000 });
  t.after(() => api[Symbol.asyncDispose]());
  const { log, lines } = capturedLog();
  const app = createApp({
    api,
    files: undefined as never,
    models: new KeyModels(api),
    hosts: () => true,
    requests: new OpenRequests({ perKey: 9 }),
    buffers: new BufferBudget(),
    events: createEvents(log, createMetrics("test")),
    bodyLimit: 10_000,
  });
  return { url: await listening(t, app), lines };
}

/** The messages that the client of a streamed call receives. */
async function messagesOf(url: string) {
  const args = { model: "writer", messages: [{ role: "user", content: "a tale" }] };
  const params = { name: "chat", arguments: args, _meta: { progressToken: 1 } };
  const response = await fetch(`${url}/mcp`, {
    method: "POST",
    headers: {
      accept: "application/json, text/event-stream",
      authorization: "Bearer key",
      "content-type": "application/json",
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }),
  });
  assert.equal(response.status, 200);
  const events = (await response.text()).split("\n").filter((line) => line.startsWith("data: {"));
  return events.map((line) => JSON.parse(line.slice("data: ".length)));
}

const streamError = {
  error: { message: "The provider is overloaded.", type: "api_error", code: "upstream_overloaded" },
};

for (const [what, end, text, code] of [
  [
    "an error event of the gateway",
    (out: ServerResponse) => out.end(`data: ${JSON.stringify(streamError)}\n\n`),
    /^upstream_overloaded: The provider is overloaded\./,
    "upstream_overloaded",
  ],
  [
    "a broken connection to the gateway",
    (out: ServerResponse) => out.destroy(),
    /^upstream_error: The response ended early\./,
    "upstream_error",
  ],
  [
    "a stream that ends early",
    (out: ServerResponse) => out.end(),
    /^upstream_error: The response ended early\./,
    "upstream_error",
  ],
] as const)
  test(`${what} in the middle of a streamed chat reaches the client as a tool error with its code and message`, async (t) => {
    const { url, lines } = await stage(t, end);
    const messages = await messagesOf(url);
    assert.equal(messages[0].method, "notifications/progress", JSON.stringify(messages));
    const { id, result } = messages.at(-1);
    assert.deepEqual([id, result.isError], [1, true], JSON.stringify(messages));
    assert.match(result.content[0].text, text);
    const { status, code: named, request_id } = result._meta["gateway/error"];
    assert.deepEqual([status, named, request_id], [502, code, "req_1"]);
    // The gateway has logged its own error.
    assert.deepEqual(lines, []);
  });
