import { needsReview } from "@uag/catalog/prices/compare";
import type { Proposal } from "@uag/catalog/prices/propose";
import { perOf, priceIn, quoteOf } from "@uag/catalog/prices/quote";
import type {
  PriceOption,
  PriceReview,
  ReviewPricesRequest,
  ReviewPricesResponse,
} from "@uag/proto/billing/v1/prices.ts";
import type { Billing } from "../billing.ts";
import { type Reviewed, review } from "../prices/review.ts";
import { priceTables, showTable } from "../prices/tables.ts";

function showOption({ model }: Reviewed, table: string, { changes, looks }: Proposal): PriceOption {
  const ours = quoteOf(model.price);
  const shown = [...changes].map(([price, after]) => {
    const before = priceIn(ours, price);
    return { price, after, per: perOf(price), ...(before !== undefined && { before }) };
  });
  return { table, changes: shown, secondLooks: [...looks] };
}

function showReview(reviewed: Reviewed): PriceReview {
  const { model, versions, found, options } = reviewed;
  const differences = found.differences.filter(needsReview).map(({ key, ours, theirs, finding }) => ({
    price: key,
    finding,
    theirs: Object.fromEntries(theirs),
    ...(ours !== undefined && { ours }),
  }));
  return {
    model: model.id,
    priceVersion: versions.at(-1)?.price.version ?? "",
    link: found.link ?? "",
    differences,
    options: [...options].map(([table, proposal]) => showOption(reviewed, table, proposal)),
  };
}

/** The catalogue's prices that differ from the public tables, and what can be accepted. */
export async function reviewPrices(billing: Billing, _request: ReviewPricesRequest): Promise<ReviewPricesResponse> {
  const { models, source } = await review(billing);
  return {
    tables: (await priceTables(billing.store)).map(showTable),
    models: models.filter(({ found }) => found.differences.some(needsReview)).map(showReview),
    accepted: source.accepted.map((row) => JSON.stringify(row)),
    total: models.length,
    covered: models.filter(({ found }) => found.sources.length > 0).length,
  };
}
