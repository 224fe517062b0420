import assert from "node:assert/strict";
import { test } from "node:test";
import { withTemporaryDir } from "@uag/harness/fleet/temporary-dir";
import { soakVideo } from "../src/soak/video.ts";
import { taskPoints } from "../src/soak/video-crash.ts";

test("tasks of a key with a budget while video is killed at every point of their life, then 60 with webhooks while it is killed at random: each ends, is charged by its outcome, and reported under one id", async () => {
  await withTemporaryDir(async (dataDir) => {
    const report = await soakVideo({
      funds: ["budget"],
      tasks: 60,
      seed: 3,
      kill: ["video", "video-2"],
      killEveryMs: 3_000,
      dataDir,
      replicas: 2,
      concurrency: 6,
    });
    assert.deepEqual(report.violations, [], JSON.stringify(report));
    assert.ok(report.tasks > 60, `${report.tasks} tasks`);
    assert.deepEqual(Object.keys(report.deaths["budget"] ?? {}), taskPoints);
    assert.ok(report.kills > 0);
  });
});
