import type { PricedModel } from "@uag/catalog/prices/compare";
import { type PriceSource, usdDecimal } from "@uag/catalog/prices/quote";

/** What a table has for the catalogue's models, as `POST /admin/v1/prices/tables` takes it. */
export function tableOf(source: PriceSource, models: readonly PricedModel[]): object {
  const found = new Map<string, object>();
  for (const { id, upstreams } of models) {
    const { provider = "", model = id } = upstreams[0] ?? {};
    const own = source.find(provider, model);
    if (own === undefined) continue;
    const rates = Object.fromEntries([...own.quote].map(([key, nano]) => [key, usdDecimal(nano)]));
    const link = own.link === undefined ? {} : { link: own.link };
    found.set(`${provider} ${model}`, { provider, model, rates, ...link });
  }
  return { name: source.name, origin: source.origin, prices: [...found.values()] };
}
