import { parseDocument, stringify } from "yaml";
import { CatalogError } from "../catalog-error.ts";
import { readRows } from "../parse.ts";
import type { PriceVersionRow } from "../types.ts";
import type { PriceSource, Quote } from "./quote.ts";
import { priceIn, usdDecimal } from "./quote.ts";

/** Why a change needs a second look, one sentence each; empty when it needs none. */
export function secondLooks(ours: Quote, next: Quote): string[] {
  const looks: string[] = [];
  for (const [key, price] of next) {
    const before = priceIn(ours, key);
    if (before === undefined || before === price) continue;
    const change = `${key} from ${usdDecimal(before)} to ${usdDecimal(price)} USD`;
    if (price >= 2n * before) looks.push(`It at least doubles ${change}.`);
    else if (2n * price <= before) looks.push(`It at least halves ${change}.`);
  }
  return looks;
}

/** What an accepted price was taken from, in its row. @param set as typed by hand */
export function reasonOf(
  tables: readonly Pick<PriceSource, "origin">[],
  link: string | undefined,
  set: readonly string[] = [],
): string {
  const from = tables.map(({ origin }) => origin).join(", ");
  return [set.length === 0 ? from : `${from}; by hand: ${set.join(", ")}`, link].filter(Boolean).join("; ");
}

const listName = "price_versions";
const maxLine = 10_000;

/**
 * The catalogue's text with one more accepted price at its end; everything before is unchanged.
 * @throws {CatalogError} when the catalogue would not be valid, or has something behind its list
 */
export function withPriceVersion(yaml: string, row: PriceVersionRow): string {
  const items = parseDocument(yaml, { merge: true }).contents;
  const names =
    items !== null && "items" in items ? items.items.map((item) => String((item as { key?: unknown }).key)) : [];
  if (names.includes(listName) && names.at(-1) !== listName)
    throw new CatalogError(
      `${listName} must be the last key of the catalogue, because accepted prices are appended to it.`,
    );
  const item = stringify([row], { lineWidth: maxLine, indentSeq: true }).replaceAll(/^(?=.)/gm, "  ");
  const head = names.includes(listName) ? "" : `\n${listName}:\n`;
  const next = `${yaml.replace(/(?<!\n)\n+$/, "")}\n${head}${item}`;
  readRows(next);
  return next;
}
