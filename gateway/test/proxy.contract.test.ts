import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { startStage } from "./support/stage.ts";

test("a proxied path reaches its service whole, with our request id, and its answer comes back", async () => {
  const behind = createServer((request, response) => {
    response.setHeader("x-request-id", "theirs");
    response.setHeader("x-custom", "kept");
    response.end(
      `${request.method} ${request.url} ${request.headers["authorization"]} ${request.headers["x-request-id"]}`,
    );
  });
  await new Promise<void>((resolve) => behind.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(behind.address() as AddressInfo).port}`;
  await using stage = await startStage({ MCP_URL: url });
  const response = await stage.fetch("/mcp/a?b=1", { method: "POST", body: "{}", headers: { "x-request-id": "mine" } });
  const id = response.headers.get("x-request-id");
  assert.match(id ?? "", /^req_/);
  assert.equal(await response.text(), `POST /mcp/a?b=1 Bearer ${stage.key} ${id}`);
  assert.equal(response.headers.get("x-custom"), "kept");
  assert.equal((await stage.fetch("/mcpx")).status, 404);
  assert.equal((await stage.fetch("/console")).status, 404);
  behind.closeAllConnections();
  await new Promise((resolve) => behind.close(resolve));
  const away = await stage.fetch("/mcp");
  assert.equal(away.status, 503);
  assert.equal(((await away.json()) as { error: { code: string } }).error.code, "service_unavailable");
});
