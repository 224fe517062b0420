import assert from "node:assert/strict";
import { test } from "node:test";
import { placeOf, summarizeProfile } from "./cpuprofile.ts";

const frame = (functionName: string, url: string) => ({ functionName, url, lineNumber: 9 });
const profile = {
  nodes: [
    { id: 1, callFrame: frame("(idle)", "") },
    { id: 2, callFrame: frame("handle", "file:///repo/gateway/src/forward.ts") },
    { id: 3, callFrame: frame("handle", "file:///repo/gateway/src/forward.ts") },
    { id: 4, callFrame: frame("(garbage collector)", "") },
  ],
  startTime: 1_000,
  samples: [2, 1, 3, 4, 2],
  timeDeltas: [10, 100, 1_000, 50, 7],
};

test("self time is added up by function and file over all call paths, without idle time", () => {
  const { busyUs, files, functions } = summarizeProfile(profile, { fromUs: 0, toUs: 10_000 });
  assert.equal(busyUs, 100 + 50 + 7);
  assert.deepEqual(functions, [
    { name: "handle gateway/src/forward.ts:10", us: 150 },
    { name: "(garbage collector)", us: 7 },
  ]);
  assert.equal(files[0]?.us, 150);
});

test("samples outside the window are ignored", () => {
  assert.equal(summarizeProfile(profile, { fromUs: 2_000, toUs: 2_120 }).busyUs, 50);
});

test("scripts are named by package and by path within it", () => {
  assert.deepEqual(placeOf("file:///a/node_modules/.pnpm/express@5.3.0/node_modules/express/lib/application.js"), {
    package: "express",
    file: "express/lib/application.js",
  });
  assert.equal(
    placeOf("file:///a/node_modules/.pnpm/x/node_modules/@grpc/grpc-js/build/a.js").package,
    "@grpc/grpc-js",
  );
  assert.equal(placeOf("node:internal/streams/writable").package, "node");
  assert.equal(placeOf("file:///a/services/lib/link/src/client.ts").package, "services/lib/link");
  assert.deepEqual(placeOf("file:///a/gateway/src/app.ts"), { package: "gateway", file: "gateway/src/app.ts" });
});
