import assert from "node:assert/strict";
import { test } from "node:test";
import { countCharacters } from "./count.ts";

const table: [text: string, characters: number, why: string][] = [
  ["Hello, world!\n", 14, "letters, punctuation, spaces and line breaks are one each"],
  ["你好", 4, "hanzi are two"],
  ["漢字かなカナ", 8, "kanji are two, kana one"],
  ["한국어 漢字", 8, "hangul is one, hanja two"],
  ["，。！", 3, "wide punctuation is one"],
  ["𠮷", 2, "an ideograph outside the first plane is one code point, and two characters"],
  ["々〇", 4, "the iteration mark and the zero are of the Han script"],
  ["👍", 1, "an emoji of one code point is one"],
  ["👨‍👩‍👧", 5, "an emoji of three people and two joiners is five"],
  ["e\u0301", 2, "a combining mark is one beside its letter"],
  ["é", 1, "a letter with its mark in one code point is one"],
  ["\u200b", 1, "what cannot be seen is one"],
  ["", 0, "nothing is nothing"],
];
for (const [text, characters, why] of table) {
  test(`characters are counted as the provider does: ${why}, in ${JSON.stringify(text)}`, () =>
    assert.equal(countCharacters(text, 2), characters));
}

test("the weight of ideographs is the catalogue's", () => {
  assert.equal(countCharacters("你好a", 1), 3);
  assert.equal(countCharacters("你好a", 3), 7);
});
