import type { Limits } from "../content/candidate.ts";
import { toneFor, wavOf } from "../content/pcm.ts";
import type { Piece } from "../content/tokens.ts";
import type { ChatFlavour, ChatModel } from "./flavour.ts";

/** The spoken duration of a text token, and its cost in audio tokens. */
const secondsPerToken = 0.24;
export const audioTokensPerToken = 3;

/**
 * The limits for the words of a spoken response. OpenAI's cap covers everything generated, including
 * audio. Qwen-Omni's speech is made from its text by a separate model: the cap covers the text, and
 * only the model's limit covers both.
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

/** Speech for a text: 16-bit mono PCM at 24 kHz, 0.24 seconds per token. */
export function speechFor(pieces: readonly Piece[]): Buffer {
  return Buffer.concat(pieces.map((piece) => toneFor(piece.text, secondsPerToken * piece.tokens)));
}

/** The same in the requested format; everything but `pcm16` is sent as WAV. */
export function encodedSpeech(pieces: readonly Piece[], format: string): string {
  const pcm = speechFor(pieces);
  return (format === "pcm16" ? pcm : wavOf(pcm)).toString("base64");
}
