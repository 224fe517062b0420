import { textPriceOf } from "@uag/catalog/prices/text-price";
import type { ModelQuote, QuoteModelsRequest, QuoteModelsResponse } from "@uag/proto/billing/v1/prices.ts";
import type { Billing } from "../billing.ts";
import { invalid } from "../catalog/entries.ts";
import { priceTables, sourceOf } from "../prices/tables.ts";
import { rowsOf } from "../repair/prices.ts";
import { templates } from "./add-provider.ts";
import { addressOf, unknownProvider } from "./providers.ts";

const maxModels = 2_000;

const originOf = (baseUrl: string): string | undefined => URL.parse(addressOf(baseUrl))?.origin;

async function tableNameOf(billing: Billing, provider: string): Promise<string> {
  const { providers } = rowsOf(await billing.readSource());
  const row = Object.hasOwn(providers, provider) ? providers[provider] : undefined;
  if (row === undefined) throw unknownProvider();
  const known = await templates(billing);
  if (known.has(provider)) return provider;
  const own = originOf(row.base_url);
  const [name = provider] =
    [...known].find(([, { base_url: url }]) => own !== undefined && originOf(url) === own) ?? [];
  return name;
}

/** What the tables have for models of a provider, as prices that could be added to the catalogue. */
export async function quoteModels(
  billing: Billing,
  { provider, models }: QuoteModelsRequest,
): Promise<QuoteModelsResponse> {
  if (models.length > maxModels) throw invalid("models", `At most ${maxModels} models can be quoted at once.`);
  const name = await tableNameOf(billing, provider);
  const tables = (await priceTables(billing.store)).map(sourceOf);
  const quotes = models.flatMap((model) =>
    tables.flatMap((table): ModelQuote[] => {
      const found = table.find(name, model);
      const price = found && textPriceOf(found.quote);
      if (found === undefined || price === undefined) return [];
      const { link = "", contextTokens, maxOutputTokens } = found;
      const quote = { model, table: table.name, price: JSON.stringify(price), link };
      return [
        {
          ...quote,
          ...(contextTokens !== undefined && { contextTokens: BigInt(contextTokens) }),
          ...(maxOutputTokens !== undefined && { maxOutputTokens: BigInt(maxOutputTokens) }),
        },
      ];
    }),
  );
  return { quotes };
}
