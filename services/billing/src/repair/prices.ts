import { readFile } from "node:fs/promises";
import { parseCatalog } from "@uag/catalog/parse.ts";
import type { ModelPrice } from "@uag/catalog/price.ts";
import { GatewayError } from "@uag/contract/errors/gateway-error.ts";

/** The prices in force, by model. */
export type Prices = () => Promise<ReadonlyMap<string, ModelPrice>>;

/**
 * Stands in for every key and address that the catalogue refers to, each as it is and not as a
 * file: a price depends on none of them.
 */
const anything: NodeJS.ProcessEnv = new Proxy(
  {},
  { get: (_, name) => (String(name).endsWith("_FILE") ? undefined : "http://localhost") },
);

/**
 * Reads the catalogue's prices anew with each call, whether or not somebody serves the model at the
 * moment.
 * @param file undefined: every call is refused
 */
export function createPrices(file: string | undefined): Prices {
  return async () => {
    if (file === undefined) {
      const cause = new Error("CATALOG_FILE is not set");
      throw new GatewayError("service_unavailable", "Billing has no catalogue to price requests by.", { cause });
    }
    const { models } = parseCatalog(await readFile(file, "utf8"), anything);
    return new Map([...models].map(([id, model]) => [id, model.price]));
  };
}
