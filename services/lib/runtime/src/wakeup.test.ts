import assert from "node:assert/strict";
import { test } from "node:test";
import { Wakeup } from "./wakeup.ts";

const longMs = 600_000;
const { signal } = new AbortController();

test("a wakeup ends a sleep, even if it came before the sleep began", async () => {
  const wakeup = new Wakeup();
  const sleeping = wakeup.sleepUntil(Date.now() + longMs, signal);
  wakeup.wakeAt();
  await sleeping;
  wakeup.wakeAt();
  await wakeup.sleepUntil(Date.now() + longMs, signal);
});

test("a scheduled wakeup ends a sleep earlier, and never later", async () => {
  const wakeup = new Wakeup();
  const began = Date.now();
  const sleeping = wakeup.sleepUntil(began + longMs, signal);
  wakeup.wakeAt(began + 40);
  wakeup.wakeAt(began + longMs);
  await sleeping;
  assert.ok(Date.now() - began >= 38);
});

test("a sleep that ends before a wakeup leaves it for the next sleep", async () => {
  const wakeup = new Wakeup();
  const wakeMs = Date.now() + 500;
  wakeup.wakeAt(wakeMs);
  await wakeup.sleepUntil(Date.now(), signal);
  assert.ok(Date.now() < wakeMs);
  await wakeup.sleepUntil(Date.now() + longMs, signal);
  assert.ok(Date.now() >= wakeMs - 2);
});

test("a wakeup ends one sleep", async () => {
  const wakeup = new Wakeup();
  wakeup.wakeAt();
  await wakeup.sleepUntil(Date.now() + longMs, signal);
  const began = Date.now();
  await wakeup.sleepUntil(began + 30, signal);
  assert.ok(Date.now() - began >= 28);
});

test("an abort ends every sleep", async () => {
  const stop = new AbortController();
  const sleeping = new Wakeup().sleepUntil(Date.now() + longMs, stop.signal);
  stop.abort();
  await sleeping;
  await new Wakeup().sleepUntil(Date.now() + longMs, stop.signal);
});
