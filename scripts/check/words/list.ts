import type { WordRule } from "./rules.ts";

const begin = "<!-- words: made by npm run check -- --fix -->";
const end = "<!-- /words -->";

/** The rules as a table in Markdown. */
export function wordList(rules: readonly WordRule[]): string {
  const rows = rules.map(({ avoid, use }) => `| ${avoid} | ${use} |`);
  return ["| Do not write | Write |", "|---|---|", ...rows].join("\n");
}

/** The text with the list between its two marks. @throws when it lacks them */
export function withWordList(text: string, list: string): string {
  const from = text.indexOf(begin);
  const to = text.indexOf(end);
  if (from === -1 || to < from) throw new Error(`the text needs the marks ${begin} and ${end}`);
  return `${text.slice(0, from)}${begin}\n${list}\n${text.slice(to)}`;
}
