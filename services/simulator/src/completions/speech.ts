import type { Limits } from "../content/candidate.ts";
import { toneFor, wavOf } from "../content/pcm.ts";
import type { Piece } from "../content/tokens.ts";
import type { ChatFlavour, ChatModel } from "./flavour.ts";

/** Every token of text is spoken for this long, and costs this many audio tokens. */
export const secondsPerToken = 0.24;
export const audioTokensPerToken = 3;

/**
 * What the cap on a spoken answer leaves for its words. OpenAI's bounds all that is generated, the
 * sound with it. Qwen-Omni's speech is made from its text by a model of its own: the cap bounds the
 * text, and only the model's limit bounds both.
 */
export function speechLimits(
  { speech }: ChatFlavour,
  { maxOutputTokens }: ChatModel,
  maxTokens: number,
): Pick<Limits, "maxTokens" | "tokensPerText"> {
  const tokensPerText = 1 + audioTokensPerToken;
  if (speech === "transcript") return { maxTokens, tokensPerText };
  return { maxTokens: Math.min(maxTokens, Math.floor(maxOutputTokens / tokensPerText)) };
}

/** Speech for some text: 16-bit mono PCM at 24 kHz, 0.24 seconds a token. */
export function speechFor(pieces: readonly Piece[]): Buffer {
  return Buffer.concat(pieces.map((piece) => toneFor(piece.text, secondsPerToken * piece.tokens)));
}

/** The same in the format asked for; everything but `pcm16` comes as WAV. */
export function encodedSpeech(pieces: readonly Piece[], format: string): string {
  const pcm = speechFor(pieces);
  return (format === "pcm16" ? pcm : wavOf(pcm)).toString("base64");
}
