import assert from "node:assert/strict";
import { test } from "node:test";
import { Mp3Encoders } from "../src/audio/mp3-encoders.ts";

const rate = 24_000;

function tone(seconds: number, hertz: number): Buffer {
  const pcm = Buffer.alloc(2 * Math.round(seconds * rate));
  for (let i = 0; i < pcm.length / 2; i++)
    pcm.writeInt16LE(Math.round(8_000 * Math.sin((2 * Math.PI * hertz * i) / rate)), 2 * i);
  return pcm;
}

/**
 * Walks the frames of MPEG-2 layer III at 24 kHz (ISO 13818-3): each must begin where the previous
 * one ended.
 */
function framesOf(mp3: Buffer): number {
  const bitrates = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];
  let frames = 0;
  for (let at = 0; at < mp3.length; frames++) {
    assert.equal(mp3[at], 0xff, `no frame at ${at}`);
    assert.equal((mp3[at + 1] as number) & 0xfe, 0xf2, "MPEG-2, layer III");
    const third = mp3[at + 2] as number;
    assert.equal((third >> 2) & 3, 1, "24 kHz");
    at += Math.floor((72_000 * (bitrates[third >> 4] as number)) / rate) + ((third >> 1) & 1);
    assert.ok(at <= mp3.length, "the last frame is complete");
  }
  return frames;
}

async function encoded(encoders: Mp3Encoders, pcm: Buffer, piece: number): Promise<Buffer> {
  const encoder = encoders.open();
  const parts: Buffer[] = [];
  for (let at = 0; at < pcm.length; at += piece) parts.push(await encoder.encode(pcm.subarray(at, at + piece)));
  return Buffer.concat([...parts, await encoder.finish()]);
}

test("encodes speech as complete MP3 frames of its length, however it was split", async () => {
  await using encoders = new Mp3Encoders(1);
  const pcm = tone(2, 440);
  const whole = await encoded(encoders, pcm, pcm.length);
  // A frame is 576 samples; the encoder adds a few for its delay.
  const expected = (2 * rate) / 576;
  const frames = framesOf(whole);
  assert.ok(frames >= expected && frames < expected + 6, `${frames} frames`);
  assert.deepEqual(await encoded(encoders, pcm, 4_802), whole);
});

test("encodes concurrent speeches separately, and discarding one does not affect the others", async () => {
  await using encoders = new Mp3Encoders(2);
  const tones = [tone(0.5, 200), tone(0.7, 500), tone(0.3, 900), tone(0.6, 1_300), tone(0.4, 300)];
  const alone: Buffer[] = [];
  for (const pcm of tones) alone.push(await encoded(encoders, pcm, 3_000));
  const dropped = encoders.open();
  await dropped.encode(tones[0] as Buffer);
  const together = Promise.all(tones.map((pcm) => encoded(encoders, pcm, 3_000)));
  dropped.drop();
  assert.deepEqual(await together, alone);
});
