import { extname } from "node:path";
import type { AnyNode } from "acorn";
import { visitSyntax } from "../syntax.ts";

/** A piece of prose: the text of a comment or a string, or a line of Markdown or YAML. */
export interface Prose {
  /** From 1. */
  readonly line: number;
  readonly text: string;
}

const scripts = new Set([".ts", ".mts", ".mjs", ".cjs", ".js"]);
const slashComment = /^\s*(?:\/\/|\/?\*)|[;,{}()[\]]\s+\/\/\s/;
const hashComment = /^\s*#|\s#\s/;
const quoted = /"[^"\n]*\s[^"\n]*"|'[^'\n]*\s[^'\n]*'/g;
const code = /`[^`]*`/g;

/** The prose in a file, by the ending of its name, without what stands between backticks. */
export function proseIn(file: string, text: string): Prose[] {
  const found = pick(extname(file), text);
  return found.map(({ line, text: words }) => ({ line, text: words.replace(code, " ") }));
}

function pick(ending: string, text: string): Prose[] {
  const lines = text.split("\n");
  if (ending === ".md") return markdown(lines);
  if (ending === ".yaml" || ending === ".yml") return lines.map((line, at) => ({ line: at + 1, text: line }));
  if (ending === ".py") return [...matching(lines, hashComment), ...quotedIn(lines)];
  if (scripts.has(ending)) return [...matching(lines, slashComment), ...stringsIn(text)];
  return [...matching(lines, slashComment), ...quotedIn(lines)];
}

const matching = (lines: readonly string[], comment: RegExp): Prose[] =>
  lines.flatMap((text, at) => {
    const start = text.search(comment);
    return start === -1 ? [] : [{ line: at + 1, text: text.slice(start) }];
  });

const quotedIn = (lines: readonly string[]): Prose[] =>
  lines.flatMap((text, at) => (text.match(quoted) ?? []).map((words) => ({ line: at + 1, text: words })));

/** Every string with a blank in it; one without is a name or a value. */
function stringsIn(text: string): Prose[] {
  const found: Prose[] = [];
  visitSyntax(text, (node) => {
    const words = wordsOf(node);
    if (!/\s/.test(words.trim())) return;
    const first = node.loc?.start.line ?? 1;
    for (const [at, line] of words.split("\n").entries()) found.push({ line: first + at, text: line });
  });
  return found;
}

function wordsOf(node: AnyNode): string {
  if (node.type === "TemplateElement") return node.value.raw;
  return node.type === "Literal" && typeof node.value === "string" ? node.value : "";
}

/** Lines of Markdown without its blocks of code, be they fenced or indented. */
function markdown(lines: readonly string[]): Prose[] {
  const found: Prose[] = [];
  let fenced = false;
  let indented = false;
  for (const [at, text] of lines.entries()) {
    const fence = /^\s*```/.test(text);
    if (fence) fenced = !fenced;
    indented = text.startsWith("    ") && (indented || (lines[at - 1] ?? "") === "");
    if (!fence && !fenced && !indented) found.push({ line: at + 1, text });
  }
  return found;
}
