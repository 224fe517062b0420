import type { PricedModel } from "@uag/catalog/prices/compare";
import { type PriceSource, usdDecimal } from "@uag/catalog/prices/quote";
import { providerTemplates } from "@uag/catalog/templates";

/** As many as `POST /admin/v1/prices/tables` accepts. */
const maxModels = 2_000;

/** The models of the catalogue, and those that the table has of its providers and the known ones. */
function namesIn(sources: readonly PriceSource[], models: readonly PricedModel[]): [provider: string, model: string][] {
  const own = models.map(({ id, upstreams }): [string, string] => {
    const { provider = "", model = id } = upstreams[0] ?? {};
    return [provider, model];
  });
  const known = new Set([...own.map(([provider]) => provider), ...Object.keys(providerTemplates)]);
  const others = [...known].flatMap((provider) =>
    sources.flatMap((source) => source.models(provider)).map((model): [string, string] => [provider, model]),
  );
  return [...own, ...others];
}

/**
 * What a table has for the catalogue's models and for those that could be added, as
 * `POST /admin/v1/prices/tables` takes it.
 * @param sources all tables: a model that one lists is looked up in each
 */
export function tableOf(
  source: PriceSource,
  { sources, models }: { sources: readonly PriceSource[]; models: readonly PricedModel[] },
): object {
  const found = new Map<string, object>();
  for (const [provider, model] of namesIn(sources, models)) {
    const own = source.find(provider, model);
    if (own === undefined || found.size === maxModels) continue;
    const rates = Object.fromEntries([...own.quote].map(([key, nano]) => [key, usdDecimal(nano)]));
    const link = own.link === undefined ? {} : { link: own.link };
    const { contextTokens, maxOutputTokens } = own;
    const limits = { context_tokens: contextTokens, max_output_tokens: maxOutputTokens };
    found.set(`${provider} ${model}`, { provider, model, rates, ...link, ...limits });
  }
  return { name: source.name, origin: source.origin, prices: [...found.values()] };
}
