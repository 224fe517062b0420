import assert from "node:assert/strict";
import { test } from "node:test";
import { Alarm } from "./alarm.ts";

const longMs = 600_000;
const { signal } = new AbortController();

test("a ring ends a rest, also one that was rung before it began", async () => {
  const alarm = new Alarm();
  const resting = alarm.rest(Date.now() + longMs, signal);
  alarm.ring();
  await resting;
  alarm.ring();
  await alarm.rest(Date.now() + longMs, signal);
});

test("a ring for later brings the end of a rest forward, and one for later still does not put it off", async () => {
  const alarm = new Alarm();
  const began = Date.now();
  const resting = alarm.rest(began + longMs, signal);
  alarm.ring(began + 40);
  alarm.ring(began + longMs);
  await resting;
  assert.ok(Date.now() - began >= 38);
});

test("a rest that ends before the ring leaves the ring for the next one", async () => {
  const alarm = new Alarm();
  const ringMs = Date.now() + 30;
  alarm.ring(ringMs);
  await alarm.rest(Date.now(), signal);
  assert.ok(Date.now() < ringMs);
  await alarm.rest(Date.now() + longMs, signal);
  assert.ok(Date.now() >= ringMs - 2);
});

test("a ring wakes once", async () => {
  const alarm = new Alarm();
  alarm.ring();
  await alarm.rest(Date.now() + longMs, signal);
  const began = Date.now();
  await alarm.rest(began + 30, signal);
  assert.ok(Date.now() - began >= 28);
});

test("nobody rests on when all is over", async () => {
  const stop = new AbortController();
  const resting = new Alarm().rest(Date.now() + longMs, stop.signal);
  stop.abort();
  await resting;
  await new Alarm().rest(Date.now() + longMs, stop.signal);
});
