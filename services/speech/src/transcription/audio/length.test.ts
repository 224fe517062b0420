import assert from "node:assert/strict";
import { test } from "node:test";
import { assertShortTurns } from "@uag/harness/testing/assert-short-turns";
import { createMp3Encoder } from "wasm-media-encoders";
import { wav } from "../testing/audio-files.ts";
import { ChunkTokenizer } from "./chunk-tokenizer.ts";
import { formatOf } from "./format.ts";
import { type AudioLength, lengthOf } from "./length.ts";

async function lengthIn(file: Buffer, pieceBytes = 65_536): Promise<AudioLength | undefined> {
  const format = formatOf(file);
  assert.ok(format !== undefined, "the format is known");
  const chunks: Buffer[] = [];
  for (let at = 0; at < file.length; at += pieceBytes) chunks.push(file.subarray(at, at + pieceBytes));
  return await lengthOf(chunks, format);
}

const close = (seconds: number | undefined, expected: number): void =>
  assert.ok(seconds !== undefined && Math.abs(seconds - expected) < 0.2, `${seconds} s, not ${expected} s`);

async function mp3(seconds: number, bitrate: 8 | 64): Promise<Buffer> {
  const encoder = await createMp3Encoder();
  encoder.configure({ sampleRate: 24_000, channels: 1, bitrate });
  const samples = new Float32Array(24_000);
  const parts = Array.from({ length: seconds }, () => Buffer.from(encoder.encode([samples])));
  return Buffer.concat([...parts, Buffer.from(encoder.finalize())]);
}

test("measures a WAV file by its size, whatever its header states", async () => {
  const file = wav(7);
  file.writeUInt32LE(320, 40);
  for (const pieceBytes of [7, 4_096, 1_000_000]) {
    const length = await lengthIn(file, pieceBytes);
    close(length?.measured, 7);
    close(length?.atMost, 7);
  }
});

test("measures an MP3 file of a constant bit rate, also behind a large tag", async () => {
  const file = await mp3(20, 64);
  close((await lengthIn(file))?.measured, 20);
  const tag = Buffer.concat([Buffer.from("ID3\x04\0\0\0\x03\0\0", "latin1"), Buffer.alloc(3 * 16_384)]);
  close((await lengthIn(Buffer.concat([tag, file]), 1_000))?.measured, 20);
});

/** FLAC whose header states a number of samples at 16 kHz. */
function flac(samples: number): Buffer {
  const file = Buffer.alloc(42 + 50_000);
  file.write("fLaC", 0, "latin1");
  file.writeUInt32BE(0x80000022, 4);
  file.writeUInt16BE(4_096, 8);
  file.writeUInt16BE(4_096, 10);
  file.writeUIntBE(16_000 << 4, 18, 3);
  file.writeUInt8(0xf0, 21);
  file.writeUInt32BE(samples, 22);
  return file;
}

test("measures a FLAC file by its header, and one without a length not at all", async () => {
  close((await lengthIn(flac(16_000 * 30)))?.measured, 30);
  assert.equal(await lengthIn(flac(0)), undefined);
});

/** An Ogg page with the head of Opus, and a last page that ends at a time. */
function ogg(seconds: number): Buffer {
  const page = (flags: number, granule: number, sequence: number, content: Buffer): Buffer => {
    const head = Buffer.alloc(28);
    head.write("OggS", 0, "latin1");
    head.writeUInt8(flags, 5);
    head.writeBigUInt64LE(BigInt(granule), 6);
    head.writeUInt32LE(sequence, 18);
    head.writeUInt8(1, 26);
    head.writeUInt8(content.length, 27);
    return Buffer.concat([head, content]);
  };
  const opus = Buffer.alloc(19);
  opus.write("OpusHead", 0, "latin1");
  opus.writeUInt8(1, 8);
  opus.writeUInt8(1, 9);
  opus.writeUInt32LE(48_000, 12);
  const tags = Buffer.concat([Buffer.from("OpusTags", "latin1"), Buffer.alloc(8)]);
  const sound = Array.from({ length: 200 }, (_, at) => page(0, 48_000, 2 + at, Buffer.alloc(200, 1)));
  return Buffer.concat([
    page(2, 0, 0, opus),
    page(0, 0, 1, tags),
    ...sound,
    page(4, 48_000 * seconds, 999, Buffer.alloc(9)),
  ]);
}

test("measures an Ogg file by its last page", async () => {
  close((await lengthIn(ogg(60)))?.measured, 60);
});

const element = (id: string, content: Buffer): Buffer => {
  const size = Buffer.alloc(8);
  size.writeBigUInt64BE(BigInt(content.length) | (1n << 56n));
  return Buffer.concat([Buffer.from(id, "hex"), size, content]);
};

/** WebM as browsers record it: with a length only if it is given. */
function webm(seconds: number | undefined): Buffer {
  const duration = Buffer.alloc(8);
  duration.writeDoubleBE((seconds ?? 0) * 1_000);
  const scale = element("2ad7b1", Buffer.from([0x0f, 0x42, 0x40]));
  const info = element(
    "1549a966",
    Buffer.concat([scale, ...(seconds === undefined ? [] : [element("4489", duration)])]),
  );
  const head = element("1a45dfa3", element("4282", Buffer.from("webm")));
  return Buffer.concat([head, element("18538067", Buffer.concat([info, element("1f43b675", Buffer.alloc(60_000))]))]);
}

test("measures a WebM file by its header, and bounds a browser's recording without a length by its size", async () => {
  close((await lengthIn(webm(42)))?.measured, 42);
  const recorded = webm(undefined);
  assert.deepEqual(await lengthIn(recorded), { measured: undefined, atMost: (8 * recorded.length) / 6_000 });
});

test("does not trust a header that states less than a tenth of what the file can contain", async () => {
  for (const file of [flac(160), ogg(1), webm(0.5), await mp3(300, 8)]) {
    const length = await lengthIn(file);
    assert.ok((length?.atMost ?? 0) >= (8 * file.length) / 32_000, `${length?.atMost} s`);
  }
});

test("reads a broken or malicious file in short turns, and bounds its length by its size", async () => {
  const deep = Array.from({ length: 60_000 }, () => Buffer.from("\0\0\0\x08moov", "latin1"));
  const files = [
    Buffer.concat([Buffer.from("\0\0\0\x10ftypM4A \0\0\0\0", "latin1"), ...deep]),
    Buffer.concat([Buffer.from("OggS", "latin1"), Buffer.alloc(2_000_000, "OggS\0")]),
    Buffer.concat([Buffer.from("1a45dfa3", "hex"), Buffer.alloc(2_000_000, 0x81)]),
    Buffer.concat([Buffer.from("ID3\x04\0\0\x7f\x7f\x7f\x7f", "latin1"), Buffer.alloc(2_000_000)]),
    Buffer.alloc(2_000_000, Buffer.from("fffb9000", "hex")),
  ];
  for (const file of files)
    await assertShortTurns(async () => {
      const length = await lengthIn(file);
      assert.ok(length !== undefined && length.atMost > 0);
    });
});

test("ends the reading of a file that takes too many reads, or too many bytes", async () => {
  const tooMuch = { name: "TooMuchWork", message: "the file takes too long to read" };
  const format = { ending: "mp3", mediaType: "audio/mpeg", minBitsPerSecond: 8_000, maxReads: 100 };
  for (const [bytes, reads] of [
    [1, 100],
    [1_048_576, 64],
  ] as const) {
    const tokenizer = new ChunkTokenizer([Buffer.alloc(bytes)], format);
    const read = async (): Promise<unknown> => await tokenizer.peekBuffer(Buffer.alloc(bytes), { position: 0 });
    for (let count = 0; count < reads; count++) assert.equal(await read(), bytes);
    await assert.rejects(read, tooMuch);
  }
});
