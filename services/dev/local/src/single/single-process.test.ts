import assert from "node:assert/strict";
import { test } from "node:test";
import type { ProcessSpec } from "../supervisor/process.ts";
import { readServices, singleName, singleProcess } from "./single-process.ts";

function spec(name: string, { port, isReady = true }: { port: string; isReady?: boolean }): ProcessSpec {
  return {
    name,
    command: ["node", `${name}.js`],
    cwd: "/",
    env: { HOST: "127.0.0.1", SERVICE_NAME: name, PORT: port },
    stopMs: 1_000,
    isReady: async () => isReady,
    liveness: { isAlive: async () => isReady },
  };
}

test("one process gets the common settings once and each service's own beside its name", () => {
  const single = singleProcess([spec("a", { port: "1" }), spec("b", { port: "2" })], ["node", "services.js"]);
  assert.equal(single.name, singleName);
  assert.deepEqual(single.command, ["node", "services.js"]);
  assert.equal(single.env["HOST"], "127.0.0.1");
  assert.equal(single.env["PORT"], undefined);
  assert.equal(single.stopMs, 2_000);
  assert.deepEqual(readServices(single.env), [
    { name: "a", env: { SERVICE_NAME: "a", PORT: "1" } },
    { name: "b", env: { SERVICE_NAME: "b", PORT: "2" } },
  ]);
});

test("one process is ready and alive only when each of its services is", async () => {
  const ready = spec("a", { port: "1" });
  const starting = spec("b", { port: "2", isReady: false });
  const single = singleProcess([ready, starting], ["node"]);
  assert.equal(await single.isReady(), false);
  assert.equal(await single.liveness?.isAlive(), false);
  const both = singleProcess([ready, { ...ready, name: "b" }], ["node"]);
  assert.equal(await both.isReady(), true);
  assert.equal(await both.liveness?.isAlive(), true);
});
