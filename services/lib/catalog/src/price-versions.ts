import { isDeepStrictEqual } from "node:util";
import type { z } from "zod";
import { CatalogError } from "./catalog-error.ts";
import type { ModelPrice } from "./price.ts";
import { modelPrice } from "./rates.ts";
import { type catalogSchema, type modelSchema, priceVersionSchema } from "./schema.ts";
import type { Catalog, PriceVersion, PriceVersionRow } from "./types.ts";

type Row = z.infer<typeof catalogSchema>;
type ModelRow = z.infer<typeof modelSchema>;

/** All prices of a model: the one that it is listed with, and those that were accepted since. */
export function priceVersions({ id, price }: ModelRow, rows: readonly PriceVersionRow[] = []): PriceVersion[] {
  const listed = { effectiveFromMs: 0, price: modelPrice(price), accepted: undefined };
  const accepted = rows
    .filter(({ model }) => model === id)
    .map((row) => ({
      effectiveFromMs: Date.parse(row.effective_from),
      price: modelPrice(row.price, row.effective_from),
      accepted: row,
    }));
  return [listed, ...accepted];
}

/** The last price that is in force by then. */
export function priceInForce(versions: readonly PriceVersion[], nowMs: number): ModelPrice {
  const found = versions.findLast(({ effectiveFromMs }) => effectiveFromMs <= nowMs) ?? versions[0];
  if (found === undefined) throw new RangeError("a model has a price");
  return found.price;
}

/** A row of `price_versions`, its fields in the schema's order. @throws {z.ZodError} */
export function parsePriceVersion(row: unknown): PriceVersionRow {
  return priceVersionSchema.parse(row);
}

/**
 * The rows of a file with the prices that were accepted outside it, by time. A price that the file
 * has as well counts once; one of a model that the file no longer has is left out.
 */
export function withAccepted(row: Row, accepted: readonly PriceVersionRow[]): Row {
  if (accepted.length === 0) return row;
  const { models, price_versions: own = [] } = row;
  const ids = new Set(models.map(({ id }) => id));
  const added = accepted.filter((each) => ids.has(each.model) && !own.some((known) => isDeepStrictEqual(known, each)));
  const byTime = (a: PriceVersionRow, b: PriceVersionRow): number =>
    Date.parse(a.effective_from) - Date.parse(b.effective_from);
  return { ...row, price_versions: [...own, ...added].sort(byTime) };
}

/** Faults of accepted prices: each must be valid as the model's own, and they are in order. */
export function versionFaults({ models, price_versions: rows = [] }: Row, faultsOf: (model: ModelRow) => string[]) {
  const faults: string[] = [];
  const last = new Map<string, number>();
  for (const [index, { model: id, effective_from: from, price }] of rows.entries()) {
    const at = `price_versions.${index}`;
    const model = models.find((each) => each.id === id);
    if (model === undefined) faults.push(`  ${at}: unknown model ${id}`);
    else faults.push(...faultsOf({ ...model, price }).map((fault) => `  ${at}: ${fault.trim()}`));
    const ms = Date.parse(from);
    if (ms <= (last.get(id) ?? 0))
      faults.push(`  ${at}: effective_from must be after that of the model's previous price`);
    last.set(id, ms);
  }
  return faults;
}

/**
 * Refuses a file that changes or leaves out an accepted price that is in force, unless its model is
 * gone: receipts name it.
 * @throws {CatalogError}
 */
export function keepPriceVersions(current: Catalog, next: Catalog, nowMs: number): void {
  for (const row of current.priceVersions) {
    if (Date.parse(row.effective_from) > nowMs || !next.prices.has(row.model)) continue;
    if (next.priceVersions.some((each) => isDeepStrictEqual(each, row))) continue;
    throw new CatalogError(
      `The price of ${row.model} effective from ${row.effective_from} is in force and cannot be changed or removed. Accept a new price instead: npm run prices -- accept ${row.model}`,
    );
  }
}
