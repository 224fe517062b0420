import assert from "node:assert/strict";
import { test } from "node:test";
import { srtOf, vttOf } from "./subtitles.ts";

const transcript = {
  segments: [
    { start: 0, end: 2.5, text: " Hello." },
    { start: 2.5, end: 3661.0415, text: " An arrow --> and\nanother line" },
    { start: 3661.9999, end: 3662, text: "" },
  ],
};

test("writes SubRip with numbered cues and commas in its times", () => {
  assert.equal(
    srtOf(transcript),
    [
      "1\n00:00:00,000 --> 00:00:02,500\nHello.\n\n",
      "2\n00:00:02,500 --> 01:01:01,042\nAn arrow -> and\nanother line\n\n",
      "3\n01:01:02,000 --> 01:01:02,000\n\n\n",
    ].join(""),
  );
});

test("writes WebVTT with its header and points in its times", () => {
  assert.equal(
    vttOf({ segments: transcript.segments.slice(0, 1) }),
    "WEBVTT\n\n00:00:00.000 --> 00:00:02.500\nHello.\n\n",
  );
});

test("a transcript without segments is an empty list of cues", () => {
  assert.equal(srtOf({}), "");
  assert.equal(vttOf({ segments: null }), "WEBVTT\n\n");
});
