import { acceptPriceRequest, putPriceTableRequest } from "@uag/contract/requests/admin-prices";
import type { acceptedPrice, priceReview, priceTable } from "@uag/contract/responses/admin-prices";
import type { Shown } from "@uag/contract/responses/shown";
import type { PriceChange, PriceReview, PriceTable } from "@uag/proto/billing/v1/prices.ts";
import { usdText } from "@uag/runtime/usd";
import type { AdminHandler } from "./admin.ts";
import { checkedBody } from "./check.ts";
import type { AdminClients } from "./clients.ts";

type Review = Shown<typeof priceReview>;
type Change = Review["models"][number]["options"][number]["changes"][number];
/** Quantities of last month, by model and unit. */
type Used = ReadonlyMap<string, ReadonlyMap<string, bigint>>;

const timeoutMs = 20_000;

const isoText = (ms: bigint): string => new Date(Number(ms)).toISOString();

/** What all accounts used in the last calendar month (UTC). */
async function usedLastMonth({ metering }: AdminClients): Promise<Used> {
  const { models } = await metering.sumLastMonth({}, { timeoutMs });
  return new Map(
    models.map(({ model, units }) => [model, new Map(units.map(({ name, quantity }) => [name, quantity]))]),
  );
}

/** The change in percent, with two decimals; null without a price to start from. */
function percent(before: bigint | undefined, after: bigint): number | null {
  if (before === undefined || before === 0n) return null;
  return Number(((after - before) * 10_000n) / before) / 100;
}

/** Usage is not kept by tier, so the cost at the price of a tier is unknown. */
function showChange({ price, before, after, per }: PriceChange, used: ReadonlyMap<string, bigint> | undefined): Change {
  const quantity = price.includes(" above ") ? undefined : (used?.get(price) ?? 0n);
  const cost = (nano: bigint | undefined): string | null =>
    quantity === undefined || nano === undefined ? null : usdText((quantity * nano) / per);
  return {
    price,
    before_usd: before === undefined ? null : usdText(before),
    after_usd: usdText(after),
    change_percent: percent(before, after),
    last_month_usd: cost(before),
    last_month_after_usd: cost(after),
  };
}

function showModel({ model, priceVersion, link, differences, options }: PriceReview, used: Used) {
  return {
    model,
    price_version: priceVersion,
    link: link || null,
    differences: differences.map(({ price, ours, theirs, finding }) => ({
      price,
      ours_usd: ours === undefined ? null : usdText(ours),
      theirs_usd: Object.fromEntries(Object.entries(theirs).map(([table, nano]) => [table, usdText(nano)])),
      finding: finding as Review["models"][number]["differences"][number]["finding"],
    })),
    options: options.map(({ table, changes, secondLooks }) => ({
      from: table || null,
      changes: changes.map((change) => showChange(change, used.get(model))),
      second_looks: secondLooks,
    })),
  };
}

const showTable = ({ name, origin, putAtMs, models }: PriceTable): Shown<typeof priceTable> => ({
  object: "price_table",
  name,
  origin,
  put_at: isoText(putAtMs),
  models,
});

/** The catalogue's prices that differ from the public tables, with what last month would have cost. */
export const reviewPrices: AdminHandler = async ({ clients }) => {
  const { tables, models, accepted, total, covered } = await clients.prices.reviewPrices({}, { timeoutMs });
  const used = models.length === 0 ? new Map() : await usedLastMonth(clients);
  const body: Review = {
    object: "price_review",
    tables: tables.map(showTable),
    models: models.map((model) => showModel(model, used)),
    accepted: accepted.map((row) => JSON.parse(row) as Review["accepted"][number]),
    total_models: total,
    covered_models: covered,
  };
  return { body };
};

export const putPriceTable: AdminHandler = async ({ clients, actor, body }) => {
  const { name, origin, prices } = checkedBody(putPriceTableRequest, body);
  const rows = prices.map(({ link = "", context_tokens: context, max_output_tokens: output, ...of }) => ({
    ...of,
    link,
    ...(context !== undefined && { contextTokens: BigInt(context) }),
    ...(output !== undefined && { maxOutputTokens: BigInt(output) }),
  }));
  return { body: showTable(await clients.prices.putPriceTable({ name, origin, prices: rows, actor })) };
};

/** Puts a reviewed price into force. */
export const acceptPrice: AdminHandler = async ({ clients, actor, body }) => {
  const fields = checkedBody(acceptPriceRequest, body);
  const accepted = await clients.prices.acceptPrice({
    model: fields.model,
    priceVersion: fields.price_version,
    table: fields.from ?? "",
    effectiveFromMs: fields.effective_from ?? 0n,
    confirmed: fields.confirm ?? false,
    actor,
  });
  const shown: Shown<typeof acceptedPrice> = {
    object: "accepted_price",
    model: accepted.model,
    price_version: accepted.priceVersion,
    effective_from: isoText(accepted.effectiveFromMs),
    accepted_by: accepted.acceptedBy,
    reason: accepted.reason,
  };
  return { status: 201, body: shown };
};
