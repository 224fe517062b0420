import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { test } from "node:test";
import { assertShortTurns } from "@uag/harness/testing/assert-short-turns";
import { inTurns } from "./in-turns.ts";

interface Arrived {
  readonly request: IncomingMessage;
  readonly response: ServerResponse<IncomingMessage> & { req: IncomingMessage };
}

const arrived = (more: object = {}): Arrived => ({
  request: new EventEmitter() as Arrived["request"],
  response: Object.assign(new EventEmitter(), { destroyed: false }, more) as unknown as Arrived["response"],
});

function spin(ms: number): void {
  const { user, system } = process.threadCpuUsage();
  for (let spent = 0; spent < ms * 1_000; ) {
    const now = process.threadCpuUsage();
    spent = now.user + now.system - user - system;
  }
}

test("hundreds of requests that arrive at once begin in order, in short turns of the event loop", async () => {
  const arrivals = Array.from({ length: 200 }, () => arrived());
  await assertShortTurns(async () => {
    const begun: IncomingMessage[] = [];
    const { promise, resolve } = Promise.withResolvers<void>();
    const listener = inTurns((request) => {
      spin(1);
      if (begun.push(request) === arrivals.length) resolve();
    });
    for (const { request, response } of arrivals) listener(request, response);
    await promise;
    assert.deepEqual(
      begun,
      arrivals.map(({ request }) => request),
    );
  });
});

test("a request begins at once when no others do", () => {
  let begun = 0;
  const { request, response } = arrived();
  inTurns(() => void begun++)(request, response);
  assert.equal(begun, 1);
});

test("a request whose client disconnects while it waits does not begin", async () => {
  const begun: IncomingMessage[] = [];
  const listener = inTurns((request) => {
    spin(10);
    begun.push(request);
  });
  const [first, gone, last] = [arrived(), arrived(), arrived()];
  for (const { request, response } of [first, gone, last]) listener(request, response);
  Object.assign(gone.response, { destroyed: true });
  for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(begun, [first.request, last.request]);
});
