import { once } from "node:events";
import { createServer, type RequestListener, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";
import { capturedLog } from "@uag/harness/testing/captured-log";
import { createMetrics } from "@uag/runtime/metrics";
import { OpenRequests } from "@uag/runtime/open-requests";
import { BufferBudget } from "@uag/untrusted/buffer-budget";
import { createApp } from "../src/app.ts";
import { createEvents } from "../src/events.ts";
import { KeyModels } from "../src/gateway/key-models.ts";
import { PublicApi } from "../src/gateway/public-api.ts";

async function listening(t: TestContext, listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close().closeAllConnections());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const model = (id: string, operation: string) => ({
  id,
  display_name: id,
  owned_by: "acme",
  operations: [operation],
  input_modalities: [],
  output_modalities: [],
  price: { usd: { input_tokens: 1 }, tiers: [] },
});

interface Gateway {
  /** Its only model. */
  readonly model: string;
  readonly operation: string;
  /** Responds to the operation. */
  readonly respond: (out: ServerResponse) => void;
}

/** The MCP server in front of a gateway, its log and its memory. */
export async function startStage(t: TestContext, { model: id, operation, respond }: Gateway) {
  const gateway = await listening(t, (request, out) => {
    request.resume();
    if (request.method !== "GET") return respond(out);
    out.setHeader("content-type", "application/json");
    out.end(JSON.stringify({ object: "list", data: [model(id, operation)] }));
  });
  const api = new PublicApi({ baseUrl: gateway, timeoutMs: 60_000 });
  t.after(() => api[Symbol.asyncDispose]());
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
    bodyLimit: 1024 * 1024,
  });
  const url = await listening(t, app);
  /** Calls a tool. */
  const call = (params: object): Promise<Response> =>
    fetch(`${url}/mcp`, {
      method: "POST",
      headers: {
        accept: "application/json, text/event-stream",
        authorization: "Bearer key",
        "content-type": "application/json",
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }),
    });
  return { call, lines, buffers };
}
