import assert from "node:assert/strict";
import { test } from "node:test";
import { headerOf } from "@uag/runtime/http/header-of";
import { appendResponseHeaders, countHeader, forwardedHeaders } from "./headers.ts";

test("a service receives request headers without credentials and connection headers", () => {
  const passed = [
    "Content-Type",
    "Content-Length",
    "accept",
    "Idempotency-Key",
    "Prefer",
    "User-Agent",
    "X-App",
    "anthropic-beta",
    "OpenAI-Project",
  ];
  const dropped = [
    "Authorization",
    "Cookie",
    "Host",
    "Connection",
    "Transfer-Encoding",
    "Expect",
    "x-api-key",
    "x-goog-api-key",
    "X-Forwarded-For",
    "proxy-authorization",
    "x_app",
    "x-bad name",
  ];
  const raw = [...passed, ...dropped].flatMap((name) => [name, "v"]);
  assert.deepEqual(
    forwardedHeaders(raw),
    passed.flatMap((name) => [name.toLowerCase(), "v"]),
  );
});

test("the client's request id is forwarded in a separate header", () => {
  assert.deepEqual(forwardedHeaders(["X-Request-Id", "mine"]), ["x-client-request-id", "mine"]);
});

test("header names are cached correctly and in bounded memory, however many there are", () => {
  for (let i = 0; i < 10_000; i++) assert.equal(forwardedHeaders([`x-made-up-${i}`, "v"]).length, 2);
  assert.deepEqual(forwardedHeaders(["Authorization", "v"]), []);
});

test("connection headers and headers that the router sets are not forwarded from a response", () => {
  const to: string[] = [];
  appendResponseHeaders(to, [
    "content-type",
    "a",
    "connection",
    "close",
    "x-request-id",
    "b",
    "x-gateway-cost-usd",
    "1",
  ]);
  assert.deepEqual(to, ["content-type", "a", "x-gateway-cost-usd", "1"]);
  assert.equal(headerOf(to, "content-type"), "a");
  assert.equal(headerOf(to, "a"), undefined);
});

test("headers are counted regardless of case", () => {
  assert.equal(countHeader(["Authorization", "a", "x", "authorization", "AUTHORIZATION", "b"], "authorization"), 2);
});
