import { glob, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { AnyNode } from "acorn";
import { visitSyntax } from "./syntax.ts";

/** A regular expression of the sources. */
interface FoundPattern {
  readonly file: string;
  readonly line: number;
  readonly source: string;
  readonly flags: string;
}

/** A regular expression that is composed at run time. */
interface BuiltPattern {
  readonly file: string;
  readonly line: number;
}

export interface Patterns {
  readonly found: readonly FoundPattern[];
  readonly built: readonly BuiltPattern[];
}

const isTest = (file: string): boolean => /\.test\.ts$|\/test\/|\/node_modules\//.test(file);

/**
 * All regular expressions of the router, the services and the simulator. Other
 * development code reads only the output of our own programs.
 */
export async function patternsOf(root: string): Promise<Patterns> {
  const found: FoundPattern[] = [];
  const built: BuiltPattern[] = [];
  for await (const file of glob("{gateway,services/{*,lib/*,dev/*}}/src/**/*.ts", { cwd: root })) {
    if (isTest(file) || (file.startsWith("services/dev/") && !file.startsWith("services/dev/simulator/"))) continue;
    const inFile = patternsIn(await readFile(join(root, file), "utf8"), file);
    found.push(...inFile.found);
    built.push(...inFile.built);
  }
  return { found, built };
}

/** The regular expressions of one file's text. */
export function patternsIn(text: string, file: string): Patterns {
  const found: FoundPattern[] = [];
  const built: BuiltPattern[] = [];
  visitSyntax(text, (node) => {
    const line = node.loc?.start.line ?? 0;
    if (node.type === "Literal" && node.regex) {
      found.push({ file, line, source: node.regex.pattern, flags: node.regex.flags });
    } else if (makesPattern(node)) {
      const [source, flags] = node.arguments.map(textOf);
      if (source === undefined || (node.arguments.length > 1 && flags === undefined)) built.push({ file, line });
      else found.push({ file, line, source, flags: flags ?? "" });
    }
  });
  return { found, built };
}

type MakesPattern = Extract<AnyNode, { type: "NewExpression" | "CallExpression" }>;

function makesPattern(node: AnyNode): node is MakesPattern {
  if (node.type !== "NewExpression" && node.type !== "CallExpression") return false;
  return node.callee.type === "Identifier" && node.callee.name === "RegExp";
}

/** A constant string. */
function textOf(node: AnyNode): string | undefined {
  if (node.type === "Literal" && typeof node.value === "string") return node.value;
  if (node.type === "TemplateLiteral" && node.expressions.length === 0)
    return node.quasis[0]?.value.cooked ?? undefined;
  return undefined;
}
