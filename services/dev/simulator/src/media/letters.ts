import { readFileSync } from "node:fs";

/**
 * Columns of five by seven dots for the characters from space to tilde, lowest bit on top, as in
 * dot-matrix displays.
 */
const columns = readFileSync(new URL("../../fixtures/font-5x7.bin", import.meta.url));
const box = Buffer.from("7f4141417f", "hex");
const letterWidth = 6;
const lineHeight = 10;

/** A two-colour image: 1 where something is drawn. */
export interface Bitmap {
  readonly width: number;
  readonly height: number;
  readonly dots: Uint8Array;
}

/** Number of characters that fit on a line of this width. */
export function lineLength(width: number): number {
  return Math.floor((width - letterWidth) / letterWidth);
}

/**
 * Breaks a text into lines between words, or within longer words; text that does not fit into the
 * allowed lines is left out.
 */
export function wrapped(text: string, length: number, max: number): string[] {
  const lines: string[] = [];
  let rest = [...text.replaceAll(/\s+/g, " ").trim()];
  while (rest.length > 0 && lines.length < max) {
    const space = rest.length > length ? rest.lastIndexOf(" ", length) : rest.length;
    const end = space > 0 ? space : length;
    lines.push(rest.slice(0, end).join(""));
    rest = rest.slice(rest[end] === " " ? end + 1 : end);
  }
  return lines;
}

function glyphOf(character: string): Buffer {
  const code = (character.codePointAt(0) ?? 0) - 32;
  return code >= 0 && 5 * code < columns.length ? columns.subarray(5 * code, 5 * code + 5) : box;
}

/**
 * Draws lines of text with a margin of one letter. A character that is not ASCII is drawn as a box.
 */
export function drawn(lines: readonly string[], width: number): Bitmap {
  const height = lineHeight * (lines.length + 1);
  const dots = new Uint8Array(width * height);
  for (const [row, line] of lines.entries()) {
    for (const [at, character] of [...line].slice(0, lineLength(width)).entries()) {
      const left = letterWidth * (at + 1);
      for (const [x, column] of glyphOf(character).entries()) {
        for (let y = 0; y < 8; y++) {
          if (column & (1 << y)) dots[(lineHeight * row + lineHeight / 2 + y) * width + left + x] = 1;
        }
      }
    }
  }
  return { width, height, dots };
}

/** The bitmap with each dot enlarged to a square of `scale` pixels. */
export function enlarged({ width, height, dots }: Bitmap, scale: number): Bitmap {
  const wide = width * scale;
  const large = new Uint8Array(wide * height * scale);
  for (let at = 0; at < dots.length; at++) {
    if (dots[at] === 0) continue;
    const left = (at % width) * scale;
    const top = Math.floor(at / width) * scale;
    for (let y = top; y < top + scale; y++) large.fill(1, y * wide + left, y * wide + left + scale);
  }
  return { width: wide, height: height * scale, dots: large };
}

const maxCaptionLength = 72;

/** The caption of an image: the beginning of its prompt's first lines. */
export function captionOf(prompt: string | undefined): string {
  return [
    ...(prompt ?? "")
      .slice(0, 4 * maxCaptionLength)
      .replaceAll(/\s+/g, " ")
      .trim(),
  ]
    .slice(0, maxCaptionLength)
    .join("");
}
