import { integerBetween, type Random } from "./hash.ts";
import { piecesOf, takeTokens } from "./tokens.ts";

const sentences = [
  "The morning began quietly, with light on the water and a few early boats on their way out.",
  "Somebody had left a lamp burning in the harbour office, and its window was the only warm colour for miles.",
  "A good reply, like a good map, leaves out most of what is there so that the rest can be found.",
  "The old keeper wrote everything down: the wind, the tide, the names of ships, and what each of them owed.",
  "By noon the market was full, and people talked of prices as others talk of the weather.",
  "A child asked why the numbers in the book never changed, and learned that they were only ever added to.",
  "In the evening the ledger was closed, counted once more, and put back on its shelf.",
  "Nothing was lost that day, which is the sort of thing that few people notice.",
  "Across the bay a train went by, late as always, with its windows lit like a row of small stages.",
  "The baker kept the first loaf for the last to come, and called it her insurance.",
  "It had rained in the hills, so the river was brown and in a hurry.",
  "When the storm came, the harbour was ready: every rope had been checked, and checked again.",
  "Two travellers shared a table and found that they had been walking towards the same town for a week.",
  "The letter held few words, but it had come a long way, and that was most of its message.",
  "There are questions that take a minute to ask and a winter to settle.",
  "She drew the coast from memory, and only later learned how nearly right it was.",
  "The clock in the square was four minutes fast, and the whole town was proud of being early.",
  "A machine can repeat a story exactly; it takes a listener to make it new.",
  "They measured twice, cut once, and kept the piece that was left over for the next time.",
  "At last the fog lifted, and everything was where it had been all along.",
];

// Every word is one o200k token in its position, so that a text truncated after any token has
// exactly the tokens kept.
const thoughts = [
  "Let me look at what the user wants here.",
  "The question is short, so the reply should be short too.",
  "First I should check what was given and what is still open.",
  "There may be more than one way to read this.",
  "The most likely reading is the plain one.",
  "I could give a long list, but that would not help.",
  "It is better to state the main point and then the reason for it.",
  "If a tool can find the fact, it is worth using it.",
  "Nothing here needs a tool, so I can reply at once.",
  "Let me test that with a small example.",
  "That works, and the other case works as well.",
  "I should say what I am sure of and what I am not.",
  "The order of the steps matters, so I will keep it.",
  "Now I can put the reply together.",
  "One more look at the question: yes, that is what was asked.",
  "Good, this should be clear enough.",
];

function chosen(random: Random, from: readonly string[], last: string | undefined): string {
  const index = integerBetween(random, 0, from.length - 1);
  const first = from[index] ?? "";
  return first === last ? (from[(index + 1) % from.length] ?? first) : first;
}

const wordsIn = (text: string): number => text.split(" ").length;

/**
 * Complete sentences with at least `words` words in total, the last one truncated to end exactly
 * there.
 */
export function proseOf(random: Random, words: number): string {
  const parts: string[] = [];
  let count = 0;
  while (count < words) {
    const sentence = chosen(random, sentences, parts.at(-1));
    parts.push(sentence);
    count += wordsIn(sentence);
  }
  const text = parts.join(" ");
  if (count === words) return text;
  return `${text
    .split(" ")
    .slice(0, words)
    .join(" ")
    .replace(/[,;:]$/, "")}…`;
}

/** Reasoning text of exactly `tokens` o200k tokens. */
export function reasoningOf(random: Random, tokens: number): string {
  const parts: string[] = [];
  // A thought has at least eight tokens.
  for (let count = 0; count < tokens; count += 8) parts.push(chosen(random, thoughts, parts.at(-1)));
  return takeTokens(piecesOf(parts.join(" ")), tokens)
    .pieces.map(({ text }) => text)
    .join("");
}
