import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { read, upstream } from "../../test/video-cases.ts";
import { xaiVideo } from "./video.ts";

describe("reads xAI's video tasks", () => {
  test("reads an empty body as pending, and a video without a status as done", () => {
    assert.equal(xaiVideo.read({ status: 202, body: {}, bytes: 0 }, upstream("xai")).phase, "queued");
    assert.equal(read(xaiVideo, { status: "pending", progress: 40 }, 202).phase, "running");
    assert.equal(read(xaiVideo, { video: { url: "https://v", duration: 8 } }).phase, "succeeded");
  });

  test("a withheld video is a failed task", () => {
    const body = { status: "done", video: { url: "https://v", duration: 8, respect_moderation: false } };
    assert.equal(read(xaiVideo, body).phase, "failed");
  });

  test("a response without a status or a video is a fault, never a pending task", () => {
    const none = (status: number, bytes: number) => () => xaiVideo.read({ status, body: {}, bytes }, upstream("xai"));
    for (const read of [none(200, 0), none(200, 2), none(200, 500), none(202, 2), none(202, 500)])
      assert.throws(read, /no status/);
  });

  test("a withheld video is charged, unless its cost is zero; a failed one only by its cost", () => {
    const video = { url: "https://v", duration: 8, respect_moderation: false };
    const charged = (body: object): boolean | undefined => read(xaiVideo, body).charged;
    const costs = (ticks: number) => ({ usage: { cost_in_usd_ticks: ticks } });
    assert.equal(charged({ status: "done", video }), true);
    assert.equal(charged({ status: "done", video, ...costs(4_000_000_000) }), true);
    assert.equal(charged({ status: "done", video, ...costs(0) }), false);
    for (const status of ["failed", "expired"]) {
      assert.equal(charged({ status, video: { duration: 8 } }), false);
      assert.equal(charged({ status, ...costs(0) }), false);
      assert.equal(charged({ status, ...costs(500_000_000) }), true);
    }
  });
});
