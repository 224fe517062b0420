import type { SpeechRequest } from "../request/read.ts";
import { countCharacters } from "./count.ts";
import { splitText } from "./split.ts";

/** One part of the text, within an upstream's limit per call. */
export interface Piece {
  readonly text: string;
  /** As the upstream counts them. */
  readonly characters: number;
}

/**
 * Splits a request's text into pieces for the upstreams; pieces of only white space are dropped.
 */
export function piecesOf({ input, traits }: SpeechRequest): Piece[] {
  const { segmentCharacters: max, ideographWeight } = traits;
  return splitText(input, { max, ideographWeight })
    .filter((text) => text.trim() !== "")
    .map((text) => ({ text, characters: countCharacters(text, ideographWeight) }));
}
