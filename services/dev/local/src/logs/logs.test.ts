import assert from "node:assert/strict";
import { appendFile, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { stripVTControlCharacters } from "node:util";
import { withTemporaryDir } from "@uag/harness/fleet/temporary-dir";
import { followLines } from "./follow.ts";
import { readable, requestLine } from "./line.ts";

const request = {
  level: 30,
  time: "2026-11-22T12:00:01.123Z",
  service: "router",
  pid: 1,
  request_id: "req_1",
  method: "POST",
  path: "/v1/messages",
  status: 200,
  duration_ms: 35,
  key_id: "key_1",
};

test("a request is shown as one line with its time, method, path, status and duration", () => {
  const line = stripVTControlCharacters(requestLine(JSON.stringify(request)) ?? "");
  assert.equal(line, "12:00:01.123 POST /v1/messages 200 35 ms request_id=req_1 key_id=key_1");
});

test("other events are shown as events, and lines that are not records are unchanged", () => {
  const event = JSON.stringify({
    level: 40,
    time: request.time,
    service: "chat",
    pid: 1,
    msg: "connection to the broker lost",
    n: 2,
  });
  assert.equal(requestLine(event), undefined);
  assert.equal(stripVTControlCharacters(readable(event)), "12:00:01.123 warn  connection to the broker lost n=2");
  assert.equal(readable("    at main (x.ts:1)"), "    at main (x.ts:1)");
});

test("a log is followed line by line from its end, across partial lines and a rotation", async () => {
  await withTemporaryDir(async (dir) => {
    const path = join(dir, "a.log");
    await writeFile(path, "old\n");
    const stop = new AbortController();
    const lines = await followLines(path, stop.signal);
    const next = async (): Promise<unknown> => (await lines.next()).value;
    await appendFile(path, "o");
    const first = next();
    await appendFile(path, "ne\ntwo\n");
    assert.deepEqual([await first, await next()], ["one", "two"]);
    await truncate(path, 0);
    await appendFile(path, "3\n");
    assert.equal(await next(), "3");
    stop.abort();
    await lines.return();
  });
});
