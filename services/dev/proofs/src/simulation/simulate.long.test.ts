import assert from "node:assert/strict";
import { test } from "node:test";
import { sourcesAt, stages } from "./crash-counts.ts";
import { simulate } from "./simulate.ts";

test("a million steps with crashes, lost calls, pauses and clock jumps lose, duplicate and overdraw nothing and exceed no limit, at no level and in no envelope", async () => {
  const { requests, crashes, repaid, refusedForOwed, deaths, envelopes, usageArchive, ledgerArchive, ...refused } =
    await simulate({
      steps: 1_000_000,
      seed: 1,
    });
  assert.ok(requests > 10_000 && crashes > 1_000, `${requests} requests, ${crashes} crashes`);
  assert.ok(repaid > 1_000n && refusedForOwed > 100, `${repaid} repaid, ${refusedForOwed} refused for write-offs`);
  for (const [budget, grants] of Object.entries({
    own: refused.refusedForBudget,
    shared: refused.refusedForSharedBudget,
    "run's": refused.refusedForEnvelope,
  }))
    assert.ok(grants > 100, `${grants} grants were refused for a ${budget} budget`);
  for (const [end, count] of Object.entries(envelopes)) assert.ok(count > 200, `${count} envelopes were ${end}`);
  for (const archive of [usageArchive, ledgerArchive])
    assert.ok(archive.files > 100 && archive.killed > 10 && archive.fenced > 10, JSON.stringify(archive));
  for (const stage of stages)
    for (const source of sourcesAt(stage))
      assert.ok(
        (deaths.get(`${stage} ${source}`) ?? 0) > 0,
        `no process died with a request in stage "${stage}" paid from "${source}"`,
      );
});
