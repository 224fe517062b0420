import { stripTypeScriptTypes } from "node:module";
import { type AnyNode, parse } from "acorn";

/** Calls `visit` with every node of a TypeScript module, outer ones first. */
export function visitSyntax(text: string, visit: (node: AnyNode) => void): void {
  const program = parse(stripTypeScriptTypes(text), { ecmaVersion: "latest", sourceType: "module", locations: true });
  walk(program, visit);
}

function walk(node: AnyNode, visit: (node: AnyNode) => void): void {
  visit(node);
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) walk(child, visit);
  }
}

const isNode = (value: unknown): value is AnyNode =>
  typeof value === "object" && value !== null && typeof (value as AnyNode).type === "string";
