import { GatewayError } from "@uag/contract/errors/gateway-error";
import { ownModelsQuery } from "@uag/contract/requests/admin-providers";
import type { ownModel } from "@uag/contract/responses/admin-providers";
import type { Shown } from "@uag/contract/responses/shown";
import type { CatalogModel } from "@uag/proto/billing/v1/admin.ts";
import type { ModelQuote } from "@uag/proto/billing/v1/prices.ts";
import type { OwnModel } from "@uag/proto/capability/v1/provider_test.ts";
import type { AdminHandler } from "./admin.ts";
import { checkedQuery } from "./check.ts";
import { listOf } from "./json.ts";
import { runTest, serviceOf, type Tested, testedOf } from "./test-provider.ts";

type Shows = Shown<typeof ownModel>;

/** The catalogue's models, and the price tables' quotes by the provider's name of the model. */
interface Known extends Pick<Tested, "all" | "served"> {
  readonly provider: string;
  readonly quotes: ReadonlyMap<string, readonly ModelQuote[]>;
}

/** A model of the catalogue that a provider calls by this name, or that has it. */
function likeOf(id: string, all: readonly CatalogModel[]): string | null {
  const found =
    all.find(({ upstreams }) => upstreams.some(({ model }) => model === id)) ?? all.find((model) => model.id === id);
  return found?.id ?? null;
}

const showQuote = ({ table, price, link }: ModelQuote): Shows["prices"][number] => ({
  table: table as Shows["prices"][number]["table"],
  price: JSON.parse(price) as Record<string, unknown>,
  link: link || null,
});

/** The provider's own count, else a table's. */
const countOf = (own: bigint, quoted: readonly (bigint | undefined)[]): number | null =>
  Number(own || quoted.find((count) => count !== undefined)) || null;

function showOwnModel(own: OwnModel, { provider, all, served, quotes }: Known): Shows {
  const { id, displayName, contextTokens, maxOutputTokens } = own;
  const serving = served.filter(({ upstreams }) =>
    upstreams.some((upstream) => upstream.provider === provider && upstream.model === id),
  );
  const prices = quotes.get(id) ?? [];
  return {
    object: "provider_model",
    id,
    display_name: displayName || null,
    context_tokens: countOf(
      contextTokens,
      prices.map((quote) => quote.contextTokens),
    ),
    max_output_tokens: countOf(
      maxOutputTokens,
      prices.map((quote) => quote.maxOutputTokens),
    ),
    served_as: serving.map((model) => model.id),
    like: likeOf(id, all),
    prices: prices.map(showQuote),
  };
}

/** The models that a provider itself lists, with their prices where a table has them; it costs nothing. */
export const listOwnModels: AdminHandler = async (call) => {
  const { credential_id: credentialId = "" } = checkedQuery(ownModelsQuery, call.url);
  const tested = await testedOf(call);
  const { overlayVersion, served } = tested;
  const request = { credentialId, model: "", listOnly: true, overlayVersion };
  const { steps, models } = await runTest(call, serviceOf(served), request);
  const failed = steps.find(({ state }) => state === "failed");
  if (failed !== undefined)
    throw new GatewayError(
      "upstream_error",
      `The provider did not list its models (${failed.step}: ${failed.message}). Test it for details.`,
    );
  const ids = models.map(({ id }) => id);
  const { quotes } = await call.clients.prices.quoteModels({ provider: call.id, models: ids });
  const known = { ...tested, provider: call.id, quotes: Map.groupBy(quotes, ({ model }) => model) };
  return {
    body: listOf(
      models.map((model) => showOwnModel(model, known)),
      "",
    ),
  };
};
