import assert from "node:assert/strict";
import { test } from "node:test";
import { countCharacters } from "./count.ts";

const table: [text: string, characters: number, why: string][] = [
  ["Hello, world!\n", 14, "letters, punctuation, spaces and line breaks count one each"],
  ["你好", 4, "hanzi count two"],
  ["漢字かなカナ", 8, "kanji count two, kana one"],
  ["한국어 漢字", 8, "hangul counts one, hanja two"],
  ["，。！", 3, "wide punctuation counts one"],
  ["𠮷", 2, "an ideograph outside the first plane is one code point, and two characters"],
  ["々〇", 4, "the iteration mark and the zero are of the Han script"],
  ["👍", 1, "an emoji of one code point counts one"],
  ["👨‍👩‍👧", 5, "an emoji of three people and two joiners counts five"],
  ["e\u0301", 2, "a combining mark counts one in addition to its letter"],
  ["é", 1, "a letter with its mark in one code point counts one"],
  ["\u200b", 1, "an invisible character counts one"],
  ["", 0, "an empty text counts zero"],
];
for (const [text, characters, why] of table) {
  test(`counts characters like the provider: ${why}, in ${JSON.stringify(text)}`, () =>
    assert.equal(countCharacters(text, 2), characters));
}

test("uses the catalogue's weight of ideographs", () => {
  assert.equal(countCharacters("你好a", 1), 3);
  assert.equal(countCharacters("你好a", 3), 7);
});
