import assert from "node:assert/strict";
import { test } from "node:test";
import { maxBodyBytesOf, maxBodyBytesOfKind } from "./body-limits.ts";
import { errorShapeOfPath } from "./errors/shape-of-path.ts";
import { adminRoutes, filledPath, isByPath, pathParameters, routes } from "./routes.ts";

test("no two routes share a method and a path", () => {
  const names = [...routes, ...adminRoutes].map((route) => `${route.method} ${route.path}`);
  assert.equal(new Set(names).size, names.length);
});

test("read routes accept no body, and write routes declare its kind", () => {
  for (const route of routes) assert.equal(route.body === "none", route.method !== "POST", route.path);
});

test("a route has a size limit exactly if it accepts a body", () => {
  for (const { path, body, maxBodyBytes } of [...routes, ...adminRoutes])
    assert.equal(maxBodyBytes > 0, body !== "none", path);
});

test("a service's body limit is that of its operation's route, and no kind exceeds it", () => {
  for (const route of routes) {
    if ("operation" in route) assert.equal(maxBodyBytesOf(route.operation), route.maxBodyBytes, route.path);
    assert.ok(route.maxBodyBytes <= maxBodyBytesOfKind(route.body), route.path);
  }
  assert.throws(() => maxBodyBytesOf("nothing.we.serve"), /no route/);
});

test("only the messages routes, and those of their estimates, have native errors", () => {
  for (const route of routes)
    assert.equal(route.errorShape === "native", /^\/v1\/(estimate\/)?messages/.test(route.path), route.path);
});

test("only the routes of Gemini's format have Google's errors; they and the models accept its header for the key", () => {
  for (const { path, errorShape, keyHeader } of routes) {
    const isGemini = /^\/v1beta\/|\\:/.test(path);
    const isModels = /^\/v1\/models(\/:id)?$/.test(path);
    assert.deepEqual([errorShape === "google", keyHeader === "x-goog-api-key"], [isGemini, isGemini || isModels], path);
  }
});

test("a path has its parameters, and colons that begin none", () => {
  const path = "/v1beta/models/:model\\:generateContent";
  assert.deepEqual(pathParameters(path), ["model"]);
  assert.equal(
    filledPath(path, (name) => `{${name}}`),
    "/v1beta/models/{model}:generateContent",
  );
  assert.deepEqual(["generate_content", "messages"].map(isByPath), [true, false]);
});

test("an unknown path returns an error in the format of its path prefix", () => {
  assert.equal(errorShapeOfPath("/v1/messages/batches"), "native");
  assert.equal(errorShapeOfPath("/v1/v1/messages"), "nested");
  assert.equal(errorShapeOfPath("/v1beta/files"), "google");
  assert.equal(errorShapeOfPath("/v1/models/gpt-4o-mini:embedContent"), "google");
  assert.equal(errorShapeOfPath("/v1/models/gpt-4o-mini"), "nested");
});
