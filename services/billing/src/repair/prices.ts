import { readFile } from "node:fs/promises";
import { parseCatalog } from "@uag/catalog/parse";
import type { ModelPrice } from "@uag/catalog/price";
import type { Catalog } from "@uag/catalog/types";
import { GatewayError } from "@uag/contract/errors/gateway-error";

/** The prices in force, by model. */
export type Prices = () => Promise<ReadonlyMap<string, ModelPrice>>;

/**
 * The current catalogue with every model it names, whether or not any upstream serves it at the moment.
 */
export type ReadCatalog = () => Promise<Catalog>;

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
export function createReadCatalog(file: string | undefined): ReadCatalog {
  return async () => {
    if (file === undefined) {
      const cause = new Error("CATALOG_FILE is not set");
      throw new GatewayError(
        "service_unavailable",
        "Billing has no catalogue to price requests with. The operator must set CATALOG_FILE.",
        { cause },
      );
    }
    return parseCatalog(await readFile(file, "utf8"), anything);
  };
}

/** The catalogue's prices, read on every call. */
export function createPrices(readCatalog: ReadCatalog): Prices {
  return async () => new Map([...(await readCatalog()).models].map(([id, model]) => [id, model.price]));
}
