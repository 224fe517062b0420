import assert from "node:assert/strict";
import { test } from "node:test";
import type { SpokenText } from "@uag/providers/speech/types";
import { Tally } from "./tally.ts";

const second = 48_000;

function spoken(characters: number | undefined): SpokenText {
  const report =
    characters === undefined ? undefined : { characters, raw: Buffer.from(`{"characters":${characters}}`) };
  return { pcm: (async function* () {})(), usage: () => report };
}

function charged(tally: Tally) {
  const { units, raw, estimated } = tally.usage();
  return { characters: Number(units[0]?.quantity), raw: raw?.toString(), estimated };
}

test("bills a completed piece by the upstream's count", () => {
  const tally = new Tally();
  tally.begin(spoken(7), 9);
  tally.delivered(second);
  tally.finish();
  assert.deepEqual(charged(tally), { characters: 7, raw: '{"characters":7}', estimated: false });
});

test("bills the sum of the characters that the provider counted, and keeps each count", () => {
  const tally = new Tally();
  for (const characters of [7, 8]) {
    tally.begin(spoken(characters), 9);
    tally.delivered(second);
    tally.finish();
  }
  assert.deepEqual(charged(tally), { characters: 15, raw: '[{"characters":7},{"characters":8}]', estimated: false });
});

test("bills a piece without the upstream's count by our own, as an estimate", () => {
  const tally = new Tally();
  tally.begin(spoken(undefined), 9);
  tally.delivered(second);
  tally.finish();
  assert.deepEqual(charged(tally), { characters: 9, raw: undefined, estimated: true });
});

test("bills an interrupted piece by its audio, at most by its count, and not at all without audio", () => {
  for (const [counted, pcmBytes, expected] of [
    [600, second * 2, 30],
    [20, second * 2, 20],
    [undefined, second, 15],
    [600, 0, 0],
  ] as const) {
    const tally = new Tally();
    tally.begin(spoken(counted), 600);
    tally.delivered(pcmBytes);
    assert.equal(tally.characters, expected);
    assert.deepEqual(charged(tally), { characters: expected, raw: undefined, estimated: expected > 0 });
  }
});
