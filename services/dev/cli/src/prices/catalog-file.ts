import { readFile, rename, stat, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { readRows } from "@uag/catalog/parse";
import { withPriceVersion } from "@uag/catalog/prices/accept";
import { latestPrices, type PricedModel } from "@uag/catalog/prices/compare";
import type { PriceVersionRow } from "@uag/catalog/types";
import { repoRoot } from "@uag/local/paths";
import { UserError } from "@uag/local/terminal/step";

/** The catalogue's file, as `npm start` finds it. */
function catalogFile(): string {
  return resolve(repoRoot, process.env["CATALOG_FILE"] || "infra/config/catalog.yaml");
}

function asUserError(error: unknown): never {
  throw new UserError(error instanceof Error ? error.message : String(error));
}

/**
 * The models of the catalogue, each with its latest price, whether or not it is in force yet.
 * @param accepted prices that were accepted in the running fleet
 */
export async function readModels(accepted: readonly PriceVersionRow[]): Promise<PricedModel[]> {
  try {
    return latestPrices(readRows(await readFile(catalogFile(), "utf8"), undefined, { accepted }));
  } catch (error) {
    return asUserError(error);
  }
}

/** All accepted prices, by time; those of the running fleet included. */
export async function readVersions(accepted: readonly PriceVersionRow[]): Promise<readonly PriceVersionRow[]> {
  try {
    return readRows(await readFile(catalogFile(), "utf8"), undefined, { accepted }).price_versions ?? [];
  } catch (error) {
    return asUserError(error);
  }
}

/** Adds an accepted price to the file, atomically: services apply it within seconds. */
export async function addVersion(row: PriceVersionRow): Promise<void> {
  const file = catalogFile();
  try {
    const next = withPriceVersion(await readFile(file, "utf8"), row);
    const part = `${file}.${process.pid}.part`;
    await writeFile(part, next, { mode: (await stat(file)).mode });
    await rename(part, file);
  } catch (error) {
    asUserError(error);
  }
}
