import { UserError } from "@uag/local/terminal/step";
import { z } from "zod";
import type { AdminApi } from "../commands/admin-api.ts";

const rowSchema = z.object({ model: z.string(), units: z.record(z.string(), z.number()) });

/** Every model's usage in the last calendar month (UTC), by unit. */
export type UnitsByModel = ReadonlyMap<string, ReadonlyMap<string, bigint>>;

/** Sums the usage of the month before the given time. */
export async function lastMonth(api: AdminApi, nowMs: number): Promise<UnitsByModel> {
  const now = new Date(nowMs);
  const startOf = (before: number): string =>
    new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - before)).toISOString();
  const byModel = new Map<string, Map<string, bigint>>();
  for await (const row of api.rows("/usage", { bucket: "day", from: startOf(1), until: startOf(0) })) {
    const parsed = rowSchema.safeParse(row);
    if (!parsed.success) throw new UserError("The admin API's usage does not have the expected form.");
    const units = byModel.get(parsed.data.model) ?? new Map<string, bigint>();
    byModel.set(parsed.data.model, units);
    for (const [unit, quantity] of Object.entries(parsed.data.units))
      units.set(unit, (units.get(unit) ?? 0n) + BigInt(quantity));
  }
  return byModel;
}
