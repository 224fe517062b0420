import { toneFor, wavOf } from "../content/pcm.ts";
import type { Piece } from "../content/tokens.ts";

/** Every token of text is spoken for this long, and costs this many audio tokens. */
export const secondsPerToken = 0.24;
export const audioTokensPerToken = 3;

/** Speech for some text: 16-bit mono PCM at 24 kHz, 0.24 seconds a token. */
export function speechFor(pieces: readonly Piece[]): Buffer {
  return Buffer.concat(pieces.map((piece) => toneFor(piece.text, secondsPerToken * piece.tokens)));
}

/** The same in the format asked for; everything but `pcm16` comes as WAV. */
export function encodedSpeech(pieces: readonly Piece[], format: string): string {
  const pcm = speechFor(pieces);
  return (format === "pcm16" ? pcm : wavOf(pcm)).toString("base64");
}
