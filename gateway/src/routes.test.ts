import assert from "node:assert/strict";
import { test } from "node:test";
import { routes } from "./routes.ts";

test("no two routes share a method and a path", () => {
  const names = routes.map((route) => `${route.method} ${route.path}`);
  assert.equal(new Set(names).size, names.length);
});

test("reading never takes a body, writing always says which", () => {
  for (const route of routes) assert.equal(route.body === "none", route.method !== "POST", route.path);
});

test("the native dialect is spoken on messages and nowhere else", () => {
  for (const route of routes)
    assert.equal(route.dialect === "native", route.path.startsWith("/v1/messages"), route.path);
});
