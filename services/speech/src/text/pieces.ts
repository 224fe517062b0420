import type { SpeechRequest } from "../request/read.ts";
import { countCharacters } from "./count.ts";
import { splitText } from "./split.ts";

/** One part of the text, as long as an upstream takes it at once. */
export interface Piece {
  readonly text: string;
  /** As the upstream counts. */
  readonly characters: number;
}

/**
 * A request's text in the pieces that upstreams are asked for; white space alone is not asked for.
 */
export function piecesOf({ input, traits }: SpeechRequest): Piece[] {
  const { segmentCharacters: max, ideographWeight } = traits;
  return splitText(input, { max, ideographWeight })
    .filter((text) => text.trim() !== "")
    .map((text) => ({ text, characters: countCharacters(text, ideographWeight) }));
}
