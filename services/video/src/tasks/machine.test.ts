import assert from "node:assert/strict";
import { test } from "node:test";
import type { VideoPhase, VideoState } from "@uag/providers/video/types";
import { nextStep, promptHash, type Standing, type Step } from "./machine.ts";

const limit = 1_000_000;
const young: Standing = {
  status: "submitted",
  upstreamStatus: "",
  misses: 0,
  promptHash: promptHash("a boat"),
  expiresAt: new Date(limit),
  guessed: false,
};
const saw = (phase: VideoPhase, more: Partial<VideoState> = {}): VideoState => ({ phase, word: phase, ...more });
const done = saw("succeeded", { videoUrl: "https://example.com/v.mp4", prompt: "a boat" });

test("maps every provider state to a terminal state or to a running task", () => {
  const kinds: readonly (readonly [VideoState | undefined, string])[] = [
    [saw("queued"), "queued"],
    [saw("running"), "running"],
    [done, "succeeded"],
    [saw("failed", { reason: "no" }), "failed"],
    [saw("cancelled"), "cancelled"],
    [saw("expired"), "expired"],
    [undefined, "submitted"],
  ];
  for (const [seen, status] of kinds) assert.equal(nextStep(young, seen, 0).status, status);
});

test("a late response never returns a running task to the queue", () => {
  assert.equal(nextStep({ ...young, status: "running" }, saw("queued"), 0).status, "running");
});

test("a task ends at its age limit, and one that has just succeeded still counts", () => {
  for (const seen of [saw("queued"), saw("running"), saw("unknown"), undefined])
    assert.equal(nextStep(young, seen, limit).status, "expired");
  assert.equal(nextStep(young, done, limit).status, "succeeded");
});

test("a task counts as lost only after three consecutive polls did not find it", () => {
  let standing = young;
  for (const expected of ["continue", "continue", "end"]) {
    const step = nextStep(standing, saw("unknown"), 0);
    assert.equal(step.kind, expected);
    if (step.kind === "continue") standing = { ...standing, misses: step.misses };
  }
  const back = nextStep({ ...young, misses: 2 }, saw("running"), 0);
  assert.deepEqual(back, { kind: "continue", status: "running", word: "running", misses: 0 } satisfies Step);
});

test("success without a video is a failure", () => {
  const empty = saw("succeeded");
  assert.equal(nextStep(young, empty, 0).kind, "continue");
  assert.equal(nextStep({ ...young, misses: 2 }, empty, 0).status, "failed");
});

test("returns a task found by search only if the provider reports the same prompt", () => {
  const guessed = { ...young, guessed: true };
  assert.equal(nextStep(guessed, done, 0).status, "succeeded");
  assert.equal(nextStep(guessed, { ...done, prompt: "another prompt" }, 0).status, "failed");
  assert.equal(nextStep(guessed, { ...done, prompt: undefined }, 0).status, "failed");
});
