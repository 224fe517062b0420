import assert from "node:assert/strict";
import { test } from "node:test";
import { withTemporaryDir } from "@uag/fleet/testing/temporary-dir.ts";
import { soakVideo } from "../src/soak/video.ts";

test("60 tasks with webhooks while video is killed with -9: each ends, is charged by its outcome, and reported under one id", async () => {
  await withTemporaryDir(async (dataDir) => {
    const report = await soakVideo({
      tasks: 60,
      seed: 3,
      kill: ["video", "video-2"],
      killEveryMs: 3_000,
      dataDir,
      replicas: 2,
      concurrency: 6,
    });
    assert.deepEqual(report.violations, [], JSON.stringify(report));
    assert.equal(report.tasks, 60);
    assert.ok(report.kills > 0);
  });
});
