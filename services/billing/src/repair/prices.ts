import { readFile } from "node:fs/promises";
import type { CatalogOverlay } from "@uag/catalog/overlay";
import { parseCatalog, readRows } from "@uag/catalog/parse";
import type { ModelPrice } from "@uag/catalog/price";
import type { Catalog, PriceVersionRow } from "@uag/catalog/types";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import type { Store } from "@uag/ledger/documents/store";
import { type OverlayStore, overlayOf, storedOverlay } from "../catalog/overlay.ts";
import { acceptedPrices } from "../prices/accepted.ts";

/** The prices in force, by model. */
export type Prices = () => Promise<ReadonlyMap<string, ModelPrice>>;

/**
 * The current catalogue with every model it names, whether or not any upstream serves it at the moment.
 */
export type ReadCatalog = () => Promise<Catalog>;

/** The current catalogue's file, and what is in force in addition to it. */
export interface CatalogSource {
  readonly yaml: string;
  /** Prices that were accepted outside the file. */
  readonly accepted: readonly PriceVersionRow[];
  /** What operators changed; credentials are empty. */
  readonly overlay: CatalogOverlay;
}

/** Reads all of it. @throws {GatewayError} `service_unavailable` without a file */
export type ReadSource = () => Promise<CatalogSource>;

/** The rows of a catalogue, those of accepted prices included. */
export const rowsOf = ({ yaml, ...changes }: CatalogSource): ReturnType<typeof readRows> =>
  readRows(yaml, undefined, changes);

/**
 * The catalogue of a source.
 * @param nowMs prices are those in force then, Unix milliseconds; default: now
 * @throws {CatalogError} when it is not valid
 */
export const catalogOf = ({ yaml, ...changes }: CatalogSource, nowMs = Date.now()): Catalog =>
  parseCatalog(yaml, anything, { ...changes, nowMs });

/**
 * Replaces every key and address that the catalogue refers to, as plain values and not as
 * files: prices depend on none of them.
 */
const anything: NodeJS.ProcessEnv = new Proxy(
  {},
  { get: (_, name) => (String(name).endsWith("_FILE") ? undefined : "http://localhost") },
);

/**
 * Reads the catalogue on every call.
 * @param file undefined: every call is refused
 */
export function createReadSource(
  store: Pick<Store, "acceptedPrices"> & OverlayStore,
  file: string | undefined,
): ReadSource {
  return async () => {
    if (file === undefined) {
      const cause = new Error("CATALOG_FILE is not set");
      throw new GatewayError(
        "service_unavailable",
        "Billing has no catalogue to price requests with. The operator must set CATALOG_FILE.",
        { cause },
      );
    }
    const overlay = overlayOf(await storedOverlay(store));
    return { yaml: await readFile(file, "utf8"), accepted: await acceptedPrices(store), overlay };
  };
}

/** The catalogue's prices, read on every call. */
export function createPrices(readCatalog: ReadCatalog): Prices {
  return async () => new Map([...(await readCatalog()).models].map(([id, model]) => [id, model.price]));
}
