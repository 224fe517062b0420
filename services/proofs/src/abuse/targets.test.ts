import assert from "node:assert/strict";
import { test } from "node:test";
import { adminRoutes, routes } from "@uag/contract/routes.ts";
import { mounts } from "@uag/gateway/mounts.ts";
import { attacksOn } from "./attacks.ts";
import { targets } from "./targets.ts";

const minOnJson = 15;
const minOnForms = 8;
const min = 4;

test("no path of the router's tables escapes: each is attacked, and in more ways where it takes a body", () => {
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
    const expected = target.body === "json" ? minOnJson : target.body === "multipart" ? minOnForms : min;
    assert.ok(ways.length >= expected, `${target.method} ${target.path}: ${ways.length}`);
    assert.equal(new Set(ways.map(({ name }) => name)).size, ways.length);
  }
});
