import assert from "node:assert/strict";
import { test } from "node:test";
import { pcmOfWav, WavError } from "./wav.ts";

const samples = Buffer.from([1, 2, 3, 4, 5, 6]);

function wav(
  options: { rate?: number; channels?: number; bits?: number; code?: number; size?: number; before?: Buffer } = {},
) {
  const { rate = 24_000, channels = 1, bits = 16, code = 1, size = samples.length, before = Buffer.alloc(0) } = options;
  const format = Buffer.alloc(16);
  format.writeUInt16LE(code, 0);
  format.writeUInt16LE(channels, 2);
  format.writeUInt32LE(rate, 4);
  format.writeUInt16LE(bits, 14);
  const length = (value: number) => {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32LE(value);
    return bytes;
  };
  const text = (value: string) => Buffer.from(value, "latin1");
  const chunks = [text("fmt "), length(16), format, before, text("data"), length(size), samples];
  return Buffer.concat([text("RIFF"), length(0xffffffff), text("WAVE"), ...chunks]);
}

test("finds samples after other chunks, whatever size a streamed file declares", () => {
  const list = Buffer.concat([Buffer.from("LIST\x03\0\0\0abc\0", "latin1")]);
  for (const file of [wav(), wav({ before: list }), wav({ size: 0 }), wav({ size: 0xffffffff }), wav({ code: 0xfffe })])
    assert.deepEqual(pcmOfWav(file), samples);
  assert.deepEqual(pcmOfWav(wav({ size: 4 })), samples.subarray(0, 4));
  assert.deepEqual(pcmOfWav(wav().subarray(0, -1)), samples.subarray(0, 4));
});

test("rejects a file of another kind and every truncated file", () => {
  for (const bad of [
    wav({ rate: 44_100 }),
    wav({ channels: 2 }),
    wav({ bits: 8 }),
    wav({ code: 3 }),
    Buffer.from("ID3"),
  ])
    assert.throws(() => pcmOfWav(bad), WavError);
  const whole = wav();
  for (let end = 0; end < 44; end++) assert.throws(() => pcmOfWav(whole.subarray(0, end)), WavError, String(end));
});
