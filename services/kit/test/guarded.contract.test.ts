import assert from "node:assert/strict";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { createGuardedClient, UrlError, type UrlFault } from "../src/http/guarded.ts";

async function serve(listener: RequestListener) {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const limits = { timeoutMs: 2_000, maxBytes: 1_000 };
const fails = (fault: UrlFault) => (error: unknown) => error instanceof UrlError && error.fault === fault;

test("a URL of a private address is refused in every spelling, before anything is sent", async () => {
  let calls = 0;
  await using server = await serve((_request, response) => {
    calls++;
    response.end();
  });
  await using client = createGuardedClient({ allow: [] });
  const { port } = server;
  for (const host of [
    "127.0.0.1",
    "127.1",
    "0x7f.1",
    "2130706433",
    "017700000001",
    "[::1]",
    "[::ffff:127.0.0.1]",
    "localhost",
  ]) {
    await assert.rejects(client.fetch(`https://${host}:${port}/`, limits), fails("address_refused"), host);
  }
  assert.equal(calls, 0);
});

test("only https without credentials is a valid URL", async () => {
  await using client = createGuardedClient({ allow: [] });
  for (const url of [
    "http://example.com/",
    "ftp://example.com/",
    "file:///etc/passwd",
    "https://u:p@example.com/",
    "x",
    `https://e.com/${"a".repeat(9000)}`,
  ]) {
    assert.throws(() => client.parse(url), fails("invalid_url"), url.slice(0, 40));
  }
});

test("an allowed address is called in plain http, and its redirect to another private address is refused", async () => {
  await using secret = await serve((_request, response) => response.end("secret"));
  await using server = await serve((request, response) => {
    if (request.url === "/ok") return response.end("fine");
    return response.writeHead(302, { location: `http://127.0.0.1:${secret.port}/` }).end();
  });
  await using client = createGuardedClient({ allow: [`127.0.0.1:${server.port}`] });
  const base = `http://127.0.0.1:${server.port}`;
  assert.equal((await client.fetch(`${base}/ok`, limits)).body.toString(), "fine");
  assert.equal((await client.fetch(`${base}/away`, limits)).status, 302);
  await assert.rejects(client.fetch(`${base}/away`, { ...limits, maxRedirects: 3 }), fails("invalid_url"));
});

test("an answer that is too large, too slow or endless in its redirects is cut off", async () => {
  await using server = await serve((request, response) => {
    if (request.url === "/large") return response.end("x".repeat(2_000));
    if (request.url === "/loop") return response.writeHead(302, { location: "/loop" }).end();
    return response.write("never ends");
  });
  await using client = createGuardedClient({ allow: [`127.0.0.1:${server.port}`] });
  const base = `http://127.0.0.1:${server.port}`;
  await assert.rejects(client.fetch(`${base}/large`, limits), fails("too_large"));
  await assert.rejects(client.fetch(`${base}/slow`, { ...limits, timeoutMs: 200 }), fails("timeout"));
  await assert.rejects(client.fetch(`${base}/loop`, { ...limits, maxRedirects: 3 }), fails("too_many_redirects"));
});
