import assert from "node:assert/strict";
import { test } from "node:test";
import { pcmOfWav } from "@uag/providers/speech/wav";
import { CompleteSamples } from "./samples.ts";
import { wavHeader } from "./wav-header.ts";

test("the WAV header declares the format and length of the audio", () => {
  const header = wavHeader(24_000, 4);
  assert.equal(header.length, 44);
  assert.equal(header.toString("latin1", 0, 4) + header.toString("latin1", 8, 16), "RIFFWAVEfmt ");
  assert.deepEqual([header.readUInt32LE(4), header.readUInt32LE(40)], [40, 4]);
  assert.deepEqual([header.readUInt32LE(24), header.readUInt32LE(28), header.readUInt16LE(32)], [24_000, 48_000, 2]);
  const samples = Buffer.from([1, 2, 3, 4]);
  assert.deepEqual(pcmOfWav(Buffer.concat([header, samples])), samples);
});

test("keeps samples intact wherever a stream is split, and drops half a sample at its end", () => {
  const bytes = Buffer.from([1, 2, 3, 4, 5, 6, 7]);
  for (let size = 1; size <= bytes.length; size++) {
    const samples = new CompleteSamples();
    const out: Buffer[] = [];
    for (let at = 0; at < bytes.length; at += size) {
      const whole = samples.push(bytes.subarray(at, at + size));
      assert.equal(whole.length % 2, 0);
      out.push(whole);
    }
    samples.restart();
    out.push(samples.push(Buffer.from([8, 9])));
    assert.deepEqual([...Buffer.concat(out)], [1, 2, 3, 4, 5, 6, 8, 9], `in pieces of ${size}`);
  }
});
