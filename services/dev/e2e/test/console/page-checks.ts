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

/** Both are evaluated in the page. */
const scripts = `performance.getEntriesByType("resource")
  .filter(({ name }) => name.endsWith(".js"))
  .map(({ name, encodedBodySize: bytes }) => ({ name, bytes }))`;
const violations = `axe.run(document).then(({ violations }) => violations
  .filter(({ impact }) => impact === "serious" || impact === "critical")
  .map(({ id, nodes }) => ({ id, nodes: nodes.map(({ html }) => ({ html })) })))`;

const axePath = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

/** The scripts that the page has loaded. */
export const scriptsOf = (page: Page): Promise<Script[]> => page.evaluate<Script[]>(scripts);

export const bytesOf = (loaded: readonly Script[]): number => loaded.reduce((sum, { bytes }) => sum + bytes, 0);

/** What axe finds wrong. The page's context has to bypass the policy that keeps axe out. */
export async function violationsOf(page: Page): Promise<Violation[]> {
  await page.evaluate(await readFile(axePath, "utf8"));
  return await page.evaluate<Violation[]>(violations);
}
