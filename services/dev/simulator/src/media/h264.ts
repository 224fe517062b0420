import { BitWriter } from "./bits.ts";
import type { Bitmap } from "./letters.ts";

/** A colour as 8-bit luma and chroma, each from 16 to 235. */
export interface Colour {
  readonly y: number;
  readonly cb: number;
  readonly cr: number;
}
/** The parameter sets of a stream and its access units, each one NAL unit without a start code. */
export interface H264 {
  readonly sps: Buffer;
  readonly pps: Buffer;
  readonly frames: readonly Frame[];
}
export interface Frame {
  readonly nal: Buffer;
  readonly key: boolean;
}

const macroblock = 16;
const level51 = 51;
const level40 = 40;
// ITU-T H.264 table A-1: the maximum frame size of level 4.0, in macroblocks.
const level40Blocks = 8192;

// Clause 7.4.1: start code patterns must not appear inside a NAL unit, so a 3 is inserted.
function nalOf(header: number, payload: Buffer): Buffer {
  const bytes = [header];
  let zeros = 0;
  for (const byte of payload) {
    if (zeros === 2 && byte <= 3) {
      bytes.push(3);
      zeros = 0;
    }
    bytes.push(byte);
    zeros = byte === 0 ? zeros + 1 : 0;
  }
  return Buffer.from(bytes);
}

interface Grid {
  readonly columns: number;
  readonly blocks: number;
}

function spsOf(width: number, height: number): Buffer {
  const columns = Math.ceil(width / macroblock);
  const rows = Math.ceil(height / macroblock);
  const bits = new BitWriter();
  const level = columns * rows <= level40Blocks ? level40 : level51;
  // Constrained baseline; frame_num of 4 bits; output in decoding order; one reference frame; no
  // gaps.
  bits.put(66, 8).put(0xc0, 8).put(level, 8).unsigned(0).unsigned(0).unsigned(2).unsigned(1).put(0, 1);
  bits
    .unsigned(columns - 1)
    .unsigned(rows - 1)
    .put(0b11, 2);
  const right = (columns * macroblock - width) / 2;
  const bottom = (rows * macroblock - height) / 2;
  const crops = right > 0 || bottom > 0;
  bits.put(crops ? 1 : 0, 1);
  if (crops) bits.unsigned(0).unsigned(right).unsigned(0).unsigned(bottom);
  return nalOf(0x67, bits.put(0, 1).finish());
}

function ppsOf(): Buffer {
  const bits = new BitWriter();
  // CAVLC, one slice group, one reference, no weighting, qp 26, deblocking decided by the slice.
  bits.unsigned(0).unsigned(0).put(0, 2).unsigned(0).unsigned(0).unsigned(0).put(0, 3);
  bits.unsigned(0).unsigned(0).unsigned(0).put(0b100, 3);
  return nalOf(0x68, bits.finish());
}

/**
 * Whether a macroblock is sent as plain samples: the first, for the colour, and those that contain
 * words.
 */
function isPlain(words: Bitmap | undefined, column: number, row: number): boolean {
  if (column === 0 && row === 0) return true;
  return words !== undefined && macroblock * column < words.width && macroblock * row < words.height;
}

/** The 16 x 16 luma samples of a macroblock: dark or light letters on the colour. */
function lumaOf(words: Bitmap | undefined, { y }: Colour, at: { column: number; row: number }): number[] {
  const letter = y > 128 ? 16 : 235;
  const samples: number[] = [];
  for (let i = 0; i < macroblock * macroblock; i++) {
    const x = macroblock * at.column + (i % macroblock);
    const line = macroblock * at.row + Math.floor(i / macroblock);
    const isDrawn = words !== undefined && x < words.width && line < words.height && words.dots[line * words.width + x];
    samples.push(isDrawn ? letter : y);
  }
  return samples;
}

/**
 * Every macroblock without words predicts the colour from its neighbours, at 8 bits; their edges
 * contain no letters.
 */
function keyFrame(
  { columns, blocks }: Grid,
  colour: Colour,
  { id, words }: { id: number; words: Bitmap | undefined },
): Buffer {
  const bits = new BitWriter();
  bits.unsigned(0).unsigned(7).unsigned(0).put(0, 4).unsigned(id).put(0, 2).unsigned(0).unsigned(1);
  for (let block = 0; block < blocks; block++) {
    const column = block % columns;
    const row = Math.floor(block / columns);
    if (isPlain(words, column, row)) {
      bits.unsigned(25).align();
      bits
        .append(lumaOf(words, colour, { column, row }))
        .fill(colour.cb, 64)
        .fill(colour.cr, 64);
      continue;
    }
    bits.unsigned(3).unsigned(0).unsigned(0);
    // No coefficients: coeff_token's code depends on the neighbours' count, which is 16 for plain
    // samples.
    const besidePlain = (column > 0 && isPlain(words, column - 1, row)) || (row > 0 && isPlain(words, column, row - 1));
    if (besidePlain) bits.put(0b000011, 6);
    else bits.put(1, 1);
  }
  return nalOf(0x65, bits.finish());
}

function repeatFrame({ blocks }: Grid, number: number): Buffer {
  const bits = new BitWriter();
  bits
    .unsigned(0)
    .unsigned(5)
    .unsigned(0)
    .put(number % 16, 4)
    .put(0, 3)
    .unsigned(0)
    .unsigned(1);
  return nalOf(0x61, bits.unsigned(blocks).finish());
}

/**
 * A constrained-baseline stream of even width and height in pixels: one second per colour, its
 * first frame intra coded and the others unchanged. The last second may be partial.
 */
export function h264Of(options: {
  width: number;
  height: number;
  fps: number;
  frames: number;
  colour(second: number): Colour;
  /** Letters in the upper left corner, with a margin around them. */
  words(second: number): Bitmap | undefined;
}): H264 {
  const { width, height, fps } = options;
  const columns = Math.ceil(width / macroblock);
  const grid: Grid = {
    columns,
    blocks: columns * Math.ceil(height / macroblock),
  };
  const frames: Frame[] = [];
  for (let at = 0; at < options.frames; at++) {
    const second = Math.floor(at / fps);
    const within = at % fps;
    const words = within === 0 ? options.words(second) : undefined;
    const key = { id: second % 2, words };
    const nal = within === 0 ? keyFrame(grid, options.colour(second), key) : repeatFrame(grid, within);
    frames.push({ nal, key: within === 0 });
  }
  return { sps: spsOf(width, height), pps: ppsOf(), frames };
}
