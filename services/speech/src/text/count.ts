const ideographs = /\p{Script=Han}/gu;

/**
 * Counts the characters of a text as Model Studio does for speech: each code point is one, an
 * ideograph (hanzi, kanji, hanja) is several. So kana, hangul, letters, punctuation, spaces and
 * line breaks count 1; an emoji counts 1 per code point (a family of three with its joiners is 5),
 * and a combining mark counts separately from its letter.
 * @param ideographWeight the weight of one ideograph; Model Studio's help page on Qwen-TTS says 2
 */
export function countCharacters(text: string, ideographWeight: number): number {
  let codePoints = text.length;
  for (let i = 0; i < text.length; i++) if ((text.charCodeAt(i) & 0xfc00) === 0xd800) codePoints--;
  if (ideographWeight === 1) return codePoints;
  return codePoints + (text.match(ideographs)?.length ?? 0) * (ideographWeight - 1);
}
