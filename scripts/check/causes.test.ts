import assert from "node:assert/strict";
import { glob, readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { errorTable, isErrorCode } from "@uag/contract/errors/table";
import type { AnyNode, NewExpression } from "acorn";
import { visitSyntax } from "./syntax.ts";

const root = join(import.meta.dirname, "../..");
const sources = ["gateway/src/**/*.ts", "services/{*,lib/*}/src/**/*.ts"];

/** True for `new GatewayError("<a code with a status of 500 or more>", ...)`. */
const isServerError = (node: AnyNode): node is NewExpression => {
  if (node.type !== "NewExpression" || node.callee.type !== "Identifier" || node.callee.name !== "GatewayError")
    return false;
  const [code] = node.arguments;
  return code?.type === "Literal" && isErrorCode(code.value) && errorTable[code.value].http >= 500;
};

/** Without a text of its own and without a cause, a log line would not say what happened. */
function explains({ arguments: [, text, options] }: NewExpression): boolean {
  const hasText = text !== undefined && !(text.type === "Identifier" && text.name === "undefined");
  // Options from elsewhere are assumed to have the cause.
  if (hasText || (options !== undefined && options.type !== "ObjectExpression")) return true;
  const names = options?.properties.map((property) =>
    property.type === "Property" && property.key.type === "Identifier" ? property.key.name : "...",
  );
  return names?.some((name) => name === "cause" || name === "...") ?? false;
}

const unexplained = (text: string): number[] => {
  const lines: number[] = [];
  visitSyntax(text, (node) => {
    if (isServerError(node) && !explains(node)) lines.push(node.loc?.start.line ?? 0);
  });
  return lines;
};

test("finds errors with a status of 500 or more that have neither a text nor a cause", () => {
  const text = [
    'new GatewayError("internal_error");',
    'new GatewayError("service_unavailable", undefined, { retryAfterMs: 1 });',
    'new GatewayError("service_unavailable", undefined, { cause: error });',
    'new GatewayError("service_unavailable", "The queue is full.");',
    'new GatewayError("not_found");',
  ];
  assert.deepEqual(unexplained(text.join("\n")), [1, 2]);
});

test("every error with a status of 500 or more has a cause for the log", async () => {
  const found: string[] = [];
  let files = 0;
  for await (const file of glob(sources, { cwd: root })) {
    if (file.endsWith(".test.ts")) continue;
    files++;
    for (const line of unexplained(await readFile(join(root, file), "utf8"))) found.push(`${file}:${line}`);
  }
  assert.ok(files > 500, "the sources were read");
  assert.deepEqual(found, []);
});
