import assert from "node:assert/strict";
import { test } from "node:test";
import { type AppOptions, createApp } from "@uag/console/app";
import { adminRoutes, routes } from "@uag/contract/routes";
import { mounts } from "@uag/router/mounts";
import { attacksOn } from "./attacks.ts";
import { largeResponses } from "./responses.ts";
import { targets } from "./targets.ts";

const minOnJson = 15;
const minOnForms = 8;
const min = 4;

test("every path of the router's tables is attacked, and paths with a body in more ways", () => {
  const all = targets();
  const named = new Set(all.map(({ method, path }) => `${method} ${path}`));
  for (const { method, path } of [...routes, ...adminRoutes]) assert.ok(named.has(`${method} ${path}`), path);
  for (const { path } of mounts)
    assert.ok(
      all.some((target) => target.path.startsWith(`${path}/`)),
      path,
    );
  for (const target of all) {
    const ways = [...attacksOn(target, "http://elsewhere")];
    const expected = target.body === "json" ? minOnJson : target.body !== "none" ? minOnForms : min;
    assert.ok(ways.length >= expected, `${target.method} ${target.path}: ${ways.length}`);
    assert.equal(new Set(ways.map(({ name }) => name)).size, ways.length);
  }
});

test("every MCP tool that lists is called once and by twenty clients at once", () => {
  for (const name of ["list_models", "list_voices", "get_quota", "get_usage"]) {
    const calls = largeResponses.filter(({ body }) => JSON.stringify(body)?.includes(`"name":"${name}"`));
    assert.deepEqual(
      calls.map(({ path, parallel }) => [path, parallel]),
      [
        ["/mcp", 1],
        ["/mcp", 20],
      ],
    );
  }
});

interface Layer {
  readonly route?: { readonly path: string; readonly stack: readonly { readonly method: string }[] };
  readonly handle: { readonly stack?: readonly Layer[] };
}

function* routesOf(layers: readonly Layer[]): Generator<string> {
  for (const { route, handle } of layers) {
    for (const { method } of route?.stack ?? []) yield `${method.toUpperCase()} ${route?.path}`;
    yield* routesOf(handle.stack ?? []);
  }
}

test("every kind of console path with a body is attacked: the console's own API, and one of each forwarded API", () => {
  const app = createApp({ contentOrigins: [], webDir: ".", requestLimits: {} } as unknown as AppOptions);
  const all = [...routesOf((app.router as unknown as { stack: readonly Layer[] }).stack)];
  const isOwn = (route: string): boolean => /^(POST|PATCH|PUT) /.test(route) && !/ \/(admin\/)?v1\//.test(route);
  const own = all.filter(isOwn).map((route) => route.replace(":token", ":id"));
  const named = targets().map(({ method, path }) => `${method} ${path.replace("/console/api", "")}`);
  assert.ok(own.length >= 6, own.join());
  assert.deepEqual(
    own.filter((route) => !named.includes(route)),
    [],
  );
  for (const passed of ["POST /admin/v1/keys", "POST /gateway/v1/chat/completions"])
    assert.ok(named.includes(passed), passed);
});
