import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { send } from "./send.ts";

test("an attack's outcome is an error when its response with status 200 has one, also across chunks", async (t) => {
  const ends = {
    "/mcp": ['data: {"result":{"content":[],"isEr', 'ror":true}}\n\n'],
    "/mcp?rpc": ['{"jsonrpc":"2.0","id":1,"error":', '{"code":-32603}}'],
    "/v1/chat/completions": ['data: {"error":{"message":"m"}}\n\n'],
    "/v1/videos": ['{"error":{}}'],
  };
  const server = createServer(async (request, response) => {
    request.resume();
    const url = request.url as keyof typeof ends;
    const isStream = url === "/mcp" || url === "/v1/chat/completions";
    response.setHeader("content-type", isStream ? "text/event-stream" : "application/json");
    for (const chunk of ends[url]) {
      response.write(chunk);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    response.end();
  }).listen(0, "127.0.0.1");
  t.after(() => server.close().closeAllConnections());
  await once(server, "listening");
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const outcomes = [];
  for (const path of Object.keys(ends)) {
    const attack = { path, headers: {}, body: () => [] };
    outcomes.push(await send(attack, { baseUrl, method: "POST", key: "", timeoutMs: 5_000 }));
  }
  assert.deepEqual(outcomes, ["error", "error", "error", 200]);
});
