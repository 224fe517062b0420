import { glob, readFile } from "node:fs/promises";
import { join } from "node:path";
import { repoRoot as root } from "@uag/local/paths";
import type { AnyNode } from "acorn";
import type { Check } from "./check.ts";
import { visitSyntax } from "./syntax.ts";

const declaring = new Set(["test", "it", "describe", "suite"]);
const manners = new Set(["only", "skip", "todo"]);

/**
 * The titles of tests that state no guarantee, with their lines from 1: those with fewer than two
 * literal words, such as a variable, a name or a topic.
 */
export function bareTitles(text: string): { readonly line: number; readonly title: string }[] {
  const found: { line: number; title: string }[] = [];
  visitSyntax(text, (node) => {
    if (node.type !== "CallExpression" || !declares(node.callee)) return;
    const [title] = node.arguments;
    if (title === undefined) return;
    const words = ownWords(title)
      .split(/\s+/)
      .filter((word) => /\w/.test(word));
    if (words.length < 2) found.push({ line: node.loc?.start.line ?? 0, title: text.slice(title.start, title.end) });
  });
  return found;
}

/** `test`, `t.test`, `describe.only` and the like. */
function declares(callee: AnyNode): boolean {
  if (callee.type === "Identifier") return declaring.has(callee.name);
  if (callee.type !== "MemberExpression" || callee.object.type !== "Identifier") return false;
  const { object, property } = callee;
  if (property.type !== "Identifier") return false;
  if (object.name === "t") return declaring.has(property.name);
  return declaring.has(object.name) && manners.has(property.name);
}

/** The literal text of a title, without its variables. */
function ownWords(title: AnyNode): string {
  if (title.type === "Literal") return String(title.value);
  if (title.type === "TemplateLiteral") return title.quasis.map(({ value }) => value.cooked).join(" ");
  if (title.type === "BinaryExpression") return `${ownWords(title.left)} ${ownWords(title.right)}`;
  return "";
}

export const titles: Check = {
  name: "titles of tests",
  async run() {
    const problems: string[] = [];
    const exclude = (name: string): boolean => name.endsWith("node_modules");
    for await (const file of glob("{gateway,services,scripts}/**/*.test.ts", { cwd: root, exclude }))
      for (const { line, title } of bareTitles(await readFile(join(root, file), "utf8")))
        problems.push(`${file}:${line}: ${title} states no guarantee`);
    return problems.sort();
  },
};
