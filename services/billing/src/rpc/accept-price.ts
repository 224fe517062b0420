import { CatalogError } from "@uag/catalog/catalog-error";
import { parsePriceVersion } from "@uag/catalog/price-versions";
import { reasonOf } from "@uag/catalog/prices/accept";
import { quoteOf, rowOf } from "@uag/catalog/prices/quote";
import type { PriceVersion, PriceVersionRow } from "@uag/catalog/types";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import { isDuplicate } from "@uag/mongo/errors";
import type { AcceptedPrice, AcceptPriceRequest } from "@uag/proto/billing/v1/prices.ts";
import { recordChange } from "../audit/record.ts";
import type { Billing } from "../billing.ts";
import { insertAccepted } from "../prices/accepted.ts";
import { type Reviewed, review } from "../prices/review.ts";
import { keepPrices, priceChange } from "../repair/price-history.ts";
import { type CatalogSource, catalogOf } from "../repair/prices.ts";

const changedSince = (): GatewayError =>
  new GatewayError("already_exists", "The model's price has changed since you reviewed it. Review it again.", {
    param: "price_version",
  });

/** @throws {GatewayError} unless the reviewed price is the latest one and can be accepted so */
function proposalOf(found: Reviewed, { priceVersion, table, confirmed }: AcceptPriceRequest) {
  if (found.versions.at(-1)?.price.version !== priceVersion) throw changedSince();
  const proposal = found.options.get(table);
  if (proposal === undefined)
    throw new GatewayError("invalid_request", "The price tables propose no such change for this model.", {
      param: "from",
    });
  if (proposal.looks.length > 0 && !confirmed) {
    const text = `${proposal.looks.join(" ")} Check the vendor's page, then send confirm: true.`;
    throw new GatewayError("invalid_request", text, { param: "confirm" });
  }
  return proposal;
}

/**
 * The time from which on the price is in force.
 * @throws {GatewayError} for one in the past, or not after that of the model's latest price
 */
function effectiveFrom({ versions }: Reviewed, requestedMs: bigint, nowMs: number): string {
  const ms = requestedMs === 0n ? nowMs : Number(requestedMs);
  const latest = versions.at(-1)?.effectiveFromMs ?? 0;
  if (ms <= latest)
    throw new GatewayError(
      "invalid_request",
      `effective_from is not after that of the model's latest price, ${new Date(latest).toISOString()}.`,
      { param: "effective_from" },
    );
  if (ms < nowMs)
    throw new GatewayError("invalid_request", "effective_from is in the past. Past bills keep their price.", {
      param: "effective_from",
    });
  return new Date(ms).toISOString();
}

/** The model's prices with the new one. @throws {GatewayError} if the catalogue would be invalid */
function withRow(of: Parameters<typeof catalogOf>[0], row: PriceVersionRow): readonly PriceVersion[] {
  try {
    const accepted = [...of.accepted, row];
    return catalogOf({ ...of, accepted }).models.get(row.model)?.prices ?? [];
  } catch (error) {
    if (!(error instanceof CatalogError)) throw error;
    throw new GatewayError("invalid_request", error.message, { cause: error });
  }
}

function show({ price, accepted }: PriceVersion): AcceptedPrice {
  if (accepted === undefined) throw new Error("the model was listed with this price");
  return {
    model: accepted.model,
    priceVersion: price.version,
    effectiveFromMs: BigInt(Date.parse(accepted.effective_from)),
    acceptedBy: accepted.accepted_by,
    reason: accepted.reason,
  };
}

/** The version that an earlier call of the same request made; undefined: none. */
function acceptedEarlier(
  { versions }: Reviewed,
  request: AcceptPriceRequest,
  reason: string,
): PriceVersion | undefined {
  const [before, last] = versions.slice(-2);
  if (before?.price.version !== request.priceVersion || last?.accepted?.reason !== reason) return undefined;
  const { effectiveFromMs: requested } = request;
  return requested === 0n || Number(requested) === last.effectiveFromMs ? last : undefined;
}

/** The version to add, with its row of the audit log. */
async function versionOf(
  { clock }: Billing,
  { source, found }: { source: CatalogSource; found: Reviewed },
  { request, reason }: { request: AcceptPriceRequest; reason: string },
) {
  const { changes } = proposalOf(found, request);
  const { actor, model } = request;
  const row = parsePriceVersion({
    model,
    effective_from: effectiveFrom(found, request.effectiveFromMs, await clock.moment()),
    accepted_by: actor?.name || "unknown",
    reason,
    price: rowOf(new Map([...quoteOf(found.model.price), ...changes])),
  });
  const versions = withRow(source, row);
  const last = versions.at(-1);
  const change = priceChange(versions, versions.length - 1);
  if (change === undefined || last === undefined) throw new Error("an accepted price is not the model's last");
  return { last, row, audit: { ...change.change, ...(actor !== undefined && { actor }) }, auditId: change.id };
}

/**
 * Puts a reviewed price into force: stores it as a version of its own, with a row of the audit log.
 * Every service takes it over within seconds. Repeating the request returns the same version.
 */
export async function acceptPrice(billing: Billing, request: AcceptPriceRequest): Promise<AcceptedPrice> {
  const { store, transact } = billing;
  const { source, tables, models } = await review(billing);
  const { model, table } = request;
  const found = models.find((each) => each.model.id === model);
  if (found === undefined) throw new GatewayError("not_found", "The model does not exist.", { param: "model" });
  const reason = reasonOf(table === "" ? tables : tables.filter(({ name }) => name === table), found.found.link);
  const earlier = acceptedEarlier(found, request, reason);
  if (earlier !== undefined) return show(earlier);
  const { last, row, audit, auditId } = await versionOf(billing, { source, found }, { request, reason });
  // As counted in the review: of two acceptances of the same review, the second has a taken id.
  const nth = source.accepted.filter((each) => each.model === model).length;
  await keepPrices(store, [last.price]);
  await transact(async (transaction) => {
    await insertAccepted(store, transaction, { row, nth });
    await recordChange(store, transaction, audit, auditId);
  }).catch((error: unknown) => {
    throw isDuplicate(error) ? changedSince() : error;
  });
  return show(last);
}
