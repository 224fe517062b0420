import { queryOptions } from "@tanstack/react-query";
import { call } from "../../api/http.ts";
import type { OwnModel, Page } from "../../api/types.ts";
import { chat, modelId, providerPath } from "./providers.ts";

/** The models that a provider itself lists. */
export const ownModelsQuery = (provider: string) =>
  queryOptions({
    queryKey: ["own-models", provider],
    queryFn: ({ signal }) => call<Page<OwnModel>>(providerPath(provider, "models"), { signal }),
    staleTime: 60_000,
  });

/** What a model can be added with: a model of the catalogue that is the same, or a table's price. */
type Start =
  | { readonly from: "catalog" }
  | {
      readonly from: "table";
      readonly price: Record<string, unknown>;
      readonly context: number;
      readonly maxOutput: number;
    };

const baseOf = (price: Record<string, unknown>): string =>
  JSON.stringify([price["input_tokens"], price["output_tokens"]]);

/**
 * What a model can be added with; undefined when nothing is known, the tables disagree, or its
 * longest output is unknown: it must then be added by hand.
 */
export function addable({
  like,
  prices,
  context_tokens: context,
  max_output_tokens: maxOutput,
}: OwnModel): Start | undefined {
  const [first] = prices;
  if (first === undefined) return like === null ? undefined : { from: "catalog" };
  if (new Set(prices.map(({ price }) => baseOf(price))).size > 1) return undefined;
  if (context === null || maxOutput === null) return like === null ? undefined : { from: "catalog" };
  return { from: "table", price: first.price, context, maxOutput };
}

/** The body that adds a model of the provider's list. */
function ownModelBody(provider: string, model: OwnModel) {
  const start = addable(model);
  if (start === undefined) return undefined;
  const about = { id: modelId(provider, model.id), upstreams: [{ provider, model: model.id }] };
  if (start.from === "catalog") return { ...about, like: model.like };
  const { price, context, maxOutput } = start;
  const limits = { context_tokens: context, max_output_tokens: maxOutput };
  return {
    ...about,
    operations: chat,
    ...limits,
    price,
    ...(model.display_name && { display_name: model.display_name }),
  };
}

/**
 * Adds models one after the other, as each is a change of the catalogue.
 * @param added called with each one's name
 * @throws {ApiError} for the first one that is refused; those after it are not added
 */
export async function addModels(
  provider: string,
  models: readonly OwnModel[],
  added: (id: string) => void,
): Promise<void> {
  for (const model of models) {
    await call("/admin/v1/models", { method: "POST", body: ownModelBody(provider, model) });
    added(model.id);
  }
}
