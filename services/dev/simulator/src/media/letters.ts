/**
 * Columns of five by seven dots for the characters from space to tilde, lowest bit on top, as in
 * dot-matrix displays.
 */
const columns = Buffer.from(
  "0000000000" +
    "00005f0000" +
    "0007000700" +
    "147f147f14" +
    "242a7f2a12" +
    "2313086462" +
    "3649562050" +
    "0008070300" +
    "001c224100" +
    "0041221c00" +
    "2a1c7f1c2a" +
    "08083e0808" +
    "0080703000" +
    "0808080808" +
    "0000606000" +
    "2010080402" +
    "3e5149453e" +
    "00427f4000" +
    "7249494946" +
    "2141494d33" +
    "1814127f10" +
    "2745454539" +
    "3c4a494931" +
    "4121110907" +
    "3649494936" +
    "464949291e" +
    "0000140000" +
    "0040340000" +
    "0008142241" +
    "1414141414" +
    "0041221408" +
    "0201590906" +
    "3e415d594e" +
    "7c1211127c" +
    "7f49494936" +
    "3e41414122" +
    "7f4141413e" +
    "7f49494941" +
    "7f09090901" +
    "3e41415173" +
    "7f0808087f" +
    "00417f4100" +
    "2040413f01" +
    "7f08142241" +
    "7f40404040" +
    "7f021c027f" +
    "7f0408107f" +
    "3e4141413e" +
    "7f09090906" +
    "3e4151215e" +
    "7f09192946" +
    "2649494932" +
    "03017f0103" +
    "3f4040403f" +
    "1f2040201f" +
    "3f4038403f" +
    "6314081463" +
    "0304780403" +
    "6159494d43" +
    "007f414141" +
    "0204081020" +
    "004141417f" +
    "0402010204" +
    "4040404040" +
    "0003070800" +
    "2054547840" +
    "7f28444438" +
    "3844444428" +
    "384444287f" +
    "3854545418" +
    "00087e0902" +
    "18a4a49c78" +
    "7f08040478" +
    "00447d4000" +
    "2040403d00" +
    "7f10284400" +
    "00417f4000" +
    "7c04780478" +
    "7c08040478" +
    "3844444438" +
    "fc18242418" +
    "18242418fc" +
    "7c08040408" +
    "4854545424" +
    "04043f4424" +
    "3c4040207c" +
    "1c2040201c" +
    "3c4030403c" +
    "4428102844" +
    "4c9090907c" +
    "4464544c44" +
    "0008364100" +
    "0000770000" +
    "0041360800" +
    "0201020402",
  "hex",
);
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
