import assert from "node:assert/strict";
import { test } from "node:test";
import { isUnderMount, type Mount, mounts, passedHeaders } from "./mounts.ts";

const mcp = mounts.find(({ path }) => path === "/mcp") as Mount;

test("a path that any decoding moves out of its mount is rejected", () => {
  for (const target of [
    "/mcp",
    "/mcp/",
    "/mcp/a/b.js?x=/../y",
    "/mcp?x=%2e%2e",
    "/mcp/a%20b",
    "/mcp/.well-known/x",
    "/mcp/a..b",
    "/mcp/openai%2Fgpt-4o",
  ])
    assert.equal(isUnderMount(mcp, target), true, target);
  for (const target of [
    "/mcp/../admin",
    "/mcp/..",
    "/mcp/./x",
    "/mcp/a/../../admin",
    "/mcp//admin",
    "/mcp\\..\\admin",
    "/mcp/..\\admin",
    "/mcp/%2e%2e/admin",
    "/mcp/%2E./admin",
    "/mcp/.%2e/admin",
    "/mcp/..%2fadmin",
    "/mcp/a%2f..%2f..%2fadmin",
    "/mcp/a%2F%2e%2e/admin",
    "/mcp/%2fadmin",
    "/mcp/a%2f/admin",
    "/mcp/a%2f..",
    "/mcp%2fadmin",
    "/mcp/..%5cadmin",
    "/mcp/%5c..%5cadmin",
    "/mcp/%252e%252e/admin",
    "/mcp/%25%32%65/admin",
    "/mcp/..;/admin",
    "/mcp/a%00b",
    "/mcpx",
    "http://other/mcp/a",
  ])
    assert.equal(isUnderMount(mcp, target), false, target);
});

test("a mounted service sees only the credentials that its row lists, and the client address only from the router", () => {
  const from = { address: "192.0.2.1", protocol: "https" } as const;
  const sent = {
    host: "gw.example",
    authorization: "Bearer x",
    cookie: "a=b",
    "x-api-key": "k",
    accept: "*/*",
    te: "trailers",
    "x-forwarded-for": "6.6.6.6",
    "x-forwarded-prefix": "/evil",
    forwarded: "for=6.6.6.6",
    "x-real-ip": "6.6.6.6",
    upgrade: "websocket",
    connection: "upgrade",
    "proxy-authorization": "Basic x",
    "x-request-id": "mine",
  };
  const ours = {
    host: "gw.example",
    accept: "*/*",
    "x-forwarded-for": "192.0.2.1",
    "x-forwarded-host": "gw.example",
    "x-forwarded-proto": "https",
  };
  const expected = [ours, { ...ours, authorization: "Bearer x" }, { ...ours, cookie: "a=b" }];
  assert.deepEqual(
    mounts.map((mount) => passedHeaders(sent, mount, from)),
    expected,
  );
});
