import assert from "node:assert/strict";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { readCrashLog, recordCrash } from "./crash-log.ts";

test("crashes of all runs are listed in order, and the oldest are removed when the list is too long", async (t) => {
  const dir = await mkdtemp(join(tmpdir(), "crashes-"));
  t.after(() => rm(dir, { recursive: true }));
  assert.deepEqual(await readCrashLog(dir), []);
  const how = "x".repeat(10_000);
  for (let atMs = 0; atMs < 250; atMs++) recordCrash(dir, { process: "chat", atMs, how });
  const times = (await readCrashLog(dir)).map(({ atMs }) => atMs);
  assert.equal(times.at(-1), 249);
  assert.deepEqual(
    times,
    Array.from(times, (_, index) => 250 - times.length + index),
  );
  assert.ok(times.length >= 50 && (await stat(join(dir, "crashes.jsonl"))).size <= 1024 * 1024);
});
