import assert from "node:assert/strict";
import { test } from "node:test";
import { withTemporaryDir } from "@uag/harness/fleet/temporary-dir";
import { soakVideo } from "../src/soak/video.ts";
import { taskPoints } from "../src/soak/video-crash.ts";

test("video tasks end, are charged by their outcome and are reported under one id while video is killed at every crash point, and video and notifications at random", async () => {
  await withTemporaryDir(async (dataDir) => {
    const report = await soakVideo({
      funds: ["budget"],
      tasks: 60,
      seed: 3,
      kill: ["video", "video-2", "notifications"],
      killEveryMs: 3_000,
      dataDir,
      replicas: 2,
      concurrency: 6,
    });
    assert.deepEqual(report.violations, [], JSON.stringify(report));
    assert.ok(report.tasks > 60, `${report.tasks} tasks`);
    assert.deepEqual(Object.keys(report.deaths["budget"] ?? {}), taskPoints);
    assert.ok(report.chargedWithoutVideo > 0, "some tasks are charged although they did not succeed");
    assert.ok(report.kills > 0);
  });
});
