import assert from "node:assert/strict";
import { test } from "node:test";
import type { Begun, Ended } from "./entry.ts";
import type { LogLine } from "./file.ts";
import { TruthLog } from "./truth-log.ts";

const begun: Omit<Begun, "attempt"> = {
  at: "2026-01-01T00:00:00.000Z",
  provider: "openai",
  operation: "chat.completions",
  path: "/",
  model: "m",
  requested_model: "m",
  request_hash: "h",
  request_id: "r",
  upstream_request_id: "u",
  authorization: true,
  key_hash: "k",
  faults: {},
  concurrency: { total: 1, model: 1, key: 1 },
};
const ended: Ended = {
  duration_ms: 1,
  answer_id: null,
  status: 200,
  stream: false,
  delivered: { chunks: 0, content_tokens: 1, bytes: 10 },
  blocked_ms: 0,
  usage: null,
  true_usage: null,
  units: null,
  charged: { rule: "whole" },
  task: null,
  outcome: "completed",
};

test("paging returns every entry once, in order", () => {
  const log = new TruthLog({ memoryLimit: 0 });
  for (let i = 0; i < 25; i++) log.end(log.begin(begun), ended);
  const seen: number[] = [];
  for (let since = 0, more = true; more; ) {
    const page = log.page({ since, limit: 10 });
    seen.push(...page.entries.map((entry) => entry.seq));
    since = page.next_since;
    more = page.has_more;
  }
  assert.deepEqual(
    seen,
    Array.from({ length: 25 }, (_, i) => i + 1),
  );
});

test("a request id finds only its own entries", () => {
  const log = new TruthLog({ memoryLimit: 0 });
  for (const id of ["a", "b", "a"]) log.end(log.begin({ ...begun, request_id: id }), ended);
  assert.deepEqual(
    log.page({ since: 0, limit: 10, requestId: "a" }).entries.map((entry) => entry.seq),
    [1, 3],
  );
});

test("counts entries dropped by the limit, and continues paging after them", () => {
  const log = new TruthLog({ memoryLimit: 10 });
  for (let i = 0; i < 15; i++) log.end(log.begin(begun), ended);
  const page = log.page({ since: 0, limit: 100 });
  assert.equal(page.dropped, 15 - page.entries.length);
  assert.equal(page.entries.at(-1)?.seq, 15);
  assert.deepEqual(
    log.page({ since: 14, limit: 5 }).entries.map((entry) => entry.seq),
    [15],
  );
});

test("a restart restores the entries, and marks an attempt that never ended as lost", () => {
  const lines: LogLine[] = [];
  const file = { append: (line: LogLine) => lines.push(line), clear() {}, close() {} };
  const before = new TruthLog({ memoryLimit: 0, file });
  before.end(before.begin(begun), ended);
  before.begin({ ...begun, request_id: "killed" });
  const after = new TruthLog({ memoryLimit: 0, lines: structuredClone(lines) });
  const { entries } = after.page({ since: 0, limit: 10 });
  assert.deepEqual(
    entries.map(({ seq, request_id, outcome }) => ({ seq, request_id, outcome })),
    [
      { seq: 1, request_id: "r", outcome: "completed" },
      { seq: 2, request_id: "killed", outcome: "lost" },
    ],
  );
  assert.equal(after.begin(begun).attempt, 3);
});
