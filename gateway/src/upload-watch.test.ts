import assert from "node:assert/strict";
import { test } from "node:test";
import { type Upload, UploadWatch } from "./upload-watch.ts";

function upload(): Upload & { received: number; waitsForClient: boolean; given: boolean } {
  const self = {
    received: 0,
    waitsForClient: true,
    given: false,
    abandon() {
      self.given = true;
    },
  };
  return self;
}

test("a body without progress is aborted at its deadline and not before", () => {
  using watch = new UploadWatch({ windowMs: 30_000, minBytesPerSecond: 100 });
  const one = upload();
  watch.add(one);
  watch.sweep(0);
  watch.sweep(29_999);
  assert.equal(one.given, false);
  watch.sweep(30_000);
  assert.equal(one.given, true);
});

test("a body below the minimum rate is aborted; a slow but steady one is not", () => {
  using watch = new UploadWatch({ windowMs: 30_000, minBytesPerSecond: 100 });
  const trickle = upload();
  const steady = upload();
  watch.add(trickle);
  watch.add(steady);
  for (let now = 0; now <= 60_000; now += 5_000) {
    watch.sweep(now);
    trickle.received += 490;
    steady.received += 510;
  }
  assert.deepEqual([trickle.given, steady.given], [true, false]);
});

test("a fast body that slows below the minimum rate is aborted one window later", () => {
  using watch = new UploadWatch({ windowMs: 30_000, minBytesPerSecond: 16_384 });
  const stalled = upload();
  watch.add(stalled);
  watch.sweep(0);
  stalled.received = 31 * 1024 * 1024;
  for (let now = 5_000; now < 35_000; now += 5_000) {
    watch.sweep(now);
    stalled.received += 80_000;
  }
  assert.equal(stalled.given, false);
  watch.sweep(35_000);
  assert.equal(stalled.given, true);
});

test("a body that the router itself delays is not aborted", () => {
  using watch = new UploadWatch({ windowMs: 1_000, minBytesPerSecond: 100 });
  const held = upload();
  held.waitsForClient = false;
  watch.add(held);
  for (let now = 0; now <= 10_000; now += 500) watch.sweep(now);
  assert.equal(held.given, false);
});
