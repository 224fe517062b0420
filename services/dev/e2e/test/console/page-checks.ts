import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";

export interface Script {
  readonly name: string;
  /** Compressed, as transferred. */
  readonly bytes: number;
}

/** A rule of axe that the page breaks, of serious or critical impact. */
export interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string }[];
}

/** Expressions that are evaluated in the page. */
const scripts = `performance.getEntriesByType("resource")
  .filter(({ name }) => name.endsWith(".js"))
  .map(({ name, encodedBodySize: bytes }) => ({ name, bytes }))`;
const violationsOfRules = (rules: readonly string[]): string => `axe.run(document, {
  resultTypes: ["violations"],
  ${rules.length > 0 ? `runOnly: ${JSON.stringify(rules)},` : ""}
}).then(({ violations }) => violations
  .filter(({ impact }) => impact === "serious" || impact === "critical")
  .map(({ id, nodes }) => ({ id, nodes: nodes.map(({ html }) => ({ html })) })))`;

/** Colours change gradually after a change of the colour scheme. */
const transitions = `new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))).then(() =>
  Promise.allSettled(
    document.getAnimations().filter((each) => each instanceof CSSTransition).map(({ finished }) => finished),
  ).then(() => undefined))`;

const axePath = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

/** The scripts that the page has loaded. */
export const scriptsOf = (page: Page): Promise<Script[]> => page.evaluate<Script[]>(scripts);

export const bytesOf = (loaded: readonly Script[]): number => loaded.reduce((sum, { bytes }) => sum + bytes, 0);

/**
 * The violations found by axe. The page's context must bypass the content security policy, which blocks axe.
 * @param rules https://github.com/dequelabs/axe-core/blob/develop/doc/rule-descriptions.md; default: all
 */
export async function violationsOf(page: Page, rules: readonly string[] = []): Promise<Violation[]> {
  await page.evaluate(transitions);
  await page.evaluate(await readFile(axePath, "utf8"));
  return await page.evaluate<Violation[]>(violationsOfRules(rules));
}
