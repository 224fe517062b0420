import assert from "node:assert/strict";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { createGuardedClient } from "../src/http/guarded.ts";
import { UrlError, type UrlFault } from "../src/http/url-error.ts";

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

const insideHosts = [
  "127.0.0.1",
  "127.1",
  "127.0.0.1.",
  "0x7f.1",
  "0x7f000001",
  "2130706433",
  "017700000001",
  "0177.0.0.1",
  "%31%32%37.0.0.1",
  "\u{ff11}27.0.0.1",
  "0",
  "0.0.0.0",
  "10.0.0.1",
  "192.168.0.1",
  "172.16.0.1",
  "100.64.0.1",
  "169.254.169.254",
  "[::]",
  "[::1]",
  "[0:0:0:0:0:0:0:1]",
  "[::ffff:127.0.0.1]",
  "[::ffff:7f00:1]",
  "[::127.0.0.1]",
  "[64:ff9b::7f00:1]",
  "[2002:7f00:1::]",
  "[fd00::1]",
  "[fe80::1]",
  "localhost",
  "LOCALHOST",
  "LOCALHOST.",
  "a.localhost",
  "kubernetes",
  "metadata.google.internal",
  "168.63.129.16",
  "[::ffff:0:10.0.0.1]",
  "[2606:4700::5efe:a00:1]",
  "[64:ff9b:1::a00:1]",
];

test("rejects a URL with a private address in every spelling, before sending anything", async () => {
  let calls = 0;
  await using server = await serve((_request, response) => {
    calls++;
    response.end();
  });
  await using client = createGuardedClient({ allow: [] });
  const { port } = server;
  for (const host of insideHosts) {
    await assert.rejects(client.fetch(`https://${host}:${port}/`, limits), fails("address_refused"), host);
  }
  assert.equal(calls, 0);
});

test("recognizes every URL that leads into a private network by its form, except for exempt ones", async () => {
  await using client = createGuardedClient({ allow: ["127.0.0.1:81"] });
  for (const host of insideHosts)
    for (const scheme of ["https", "http", "HTTP"])
      assert.equal(client.leadsInside(`${scheme}://${host}/x`), true, host);
  for (const url of [
    "https://example.com/",
    "http://127.0.0.1:81/x",
    "data:text/plain,x",
    "oss://bucket/x",
    "",
    "aGVsbG8=",
  ])
    assert.equal(client.leadsInside(url), false, url);
});

test("accepts only https URLs without credentials", async () => {
  await using client = createGuardedClient({ allow: [] });
  for (const url of [
    "http://example.com/",
    "ftp://example.com/",
    "file:///etc/passwd",
    "https://u:p@example.com/",
    "https://u@example.com/",
    "https://127.0.0.1:8080@example.com/",
    "gopher://example.com/",
    "data:text/plain,x",
    "javascript:alert(1)",
    "//example.com/",
    "/etc/passwd",
    "https://",
    "https://example.com:99999/",
    "https://exa mple.com/",
    "https://256.256.256.256/",
    "https://[::1%25eth0]/",
    "x",
    "",
    `https://e.com/${"a".repeat(9000)}`,
  ]) {
    assert.throws(() => client.parse(url), fails("invalid_url"), url.slice(0, 40));
  }
});

test("calls an exempt address over plain http, and rejects its redirect to another private address", async () => {
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

test("follows no redirect to a private address, another scheme, a URL with a password, or another port of an exempt host", async () => {
  let location = "";
  await using server = await serve((_request, response) => response.writeHead(307, { location }).end());
  await using client = createGuardedClient({ allow: [`127.0.0.1:${server.port}`] });
  const call = { ...limits, maxRedirects: 3 };
  const to: [location: string, fault: UrlFault][] = [
    ["https://127.0.0.1/", "address_refused"],
    ["https://2130706433/", "address_refused"],
    ["https://[::ffff:127.0.0.1]/", "address_refused"],
    ["https://169.254.169.254/latest/meta-data/", "address_refused"],
    [`https://localhost:${server.port}/`, "address_refused"],
    ["//127.0.0.1/", "invalid_url"],
    ["http://example.com/", "invalid_url"],
    ["file:///etc/passwd", "invalid_url"],
    ["https://u:p@example.com/", "invalid_url"],
    ["https://", "invalid_url"],
  ];
  for (const [target, fault] of to) {
    location = target;
    await assert.rejects(client.fetch(`http://127.0.0.1:${server.port}/`, call), fails(fault), target);
  }
});

test("aborts an endless response, one that arrives byte by byte, and one with an endless head", async () => {
  await using server = await serve((request, response) => {
    if (request.url === "/endless") {
      const more = (): void => {
        while (response.write("x".repeat(16_384)));
        response.once("drain", more);
      };
      return more();
    }
    if (request.url === "/head") return response.writeHead(200, { long: "x".repeat(64 * 1024) }).end();
    const drip = setInterval(() => response.write("x"), 20);
    return response.on("close", () => clearInterval(drip));
  });
  await using client = createGuardedClient({ allow: [`127.0.0.1:${server.port}`] });
  const base = `http://127.0.0.1:${server.port}`;
  await assert.rejects(client.fetch(`${base}/endless`, limits), fails("too_large"));
  await assert.rejects(client.fetch(`${base}/drip`, { ...limits, timeoutMs: 300 }), fails("timeout"));
  await assert.rejects(client.fetch(`${base}/head`, limits), fails("unreachable"));
});

test("aborts a response that is too large, too slow, or redirects endlessly", async () => {
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
