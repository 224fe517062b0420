import { GatewayError } from "@uag/contract/errors/gateway-error";
import type { ModelUse, SumLastMonthResponse } from "@uag/proto/metering/v1/metering.ts";
import type { Store } from "../store/store.ts";

/** Time limit of the query. */
const maxTimeMS = 15_000;
/** Units of all models together; above the number in any catalogue, and encoded in one turn. */
const maxRows = 10_000;

interface Row {
  readonly _id: { readonly model: string; readonly name: string };
  readonly quantity: number | bigint;
}

/**
 * Sums the units of each model over all accounts in the last calendar month (UTC), in one query.
 * @throws {GatewayError} `service_unavailable` beyond 10,000 sums
 */
export async function sumLastMonth({ rollups }: Store, nowMs: number): Promise<SumLastMonthResponse> {
  const now = new Date(nowMs);
  const startOf = (monthsAgo: number): Date => new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - monthsAgo));
  const rows = await rollups
    .aggregate<Row>(
      [
        { $match: { bucket: "day", start: { $gte: startOf(1), $lt: startOf(0) } } },
        { $project: { model: 1, unit: { $objectToArray: "$units" } } },
        { $unwind: "$unit" },
        { $group: { _id: { model: "$model", name: "$unit.k" }, quantity: { $sum: "$unit.v" } } },
        { $limit: maxRows + 1 },
      ],
      { maxTimeMS },
    )
    .toArray();
  if (rows.length > maxRows)
    throw new GatewayError(
      "service_unavailable",
      `Last month's usage has more than ${maxRows} sums by model and unit.`,
    );
  const byModel = new Map<string, ModelUse>();
  for (const { _id, quantity } of rows) {
    const use = byModel.get(_id.model) ?? { model: _id.model, units: [] };
    byModel.set(_id.model, use);
    use.units.push({ name: _id.name, quantity: BigInt(quantity) });
  }
  return { models: [...byModel.values()] };
}
