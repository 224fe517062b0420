import type { Random } from "./hash.ts";

// Each word is one o200k token both at the start of a text and after a space, so n words are n
// tokens.
const words = (
  "time people way day man thing woman life child world school state family student group country problem hand part " +
  "place case week company system program question work government number night point home water room mother area " +
  "money story fact month lot right study book eye job word business issue side kind head station service friend " +
  "father power hour game line end member law car city community name team minute idea body information back parent " +
  "face others level office door health person art war history party result change reason research girl moment air " +
  "teacher force education river garden window summer winter spring market paper color light motion music field " +
  "north south blue green silver quiet early"
).split(" ");

/** `count` words separated by single spaces; exactly `count` o200k tokens. */
export function wordsOf(random: Random, count: number): string {
  const chosen: string[] = [];
  for (let i = 0; i < count; i++) chosen.push(words[Math.floor(random() * words.length)] ?? "time");
  return chosen.join(" ");
}
