import { operatorClient } from "@uag/local/operator";
import type { Run } from "@uag/local/run-file";
import { type MeteringServiceServer, MeteringServiceService } from "@uag/proto/metering/v1/metering.ts";

/** Every model's usage in the last calendar month (UTC), by unit. */
export type UnitsByModel = ReadonlyMap<string, ReadonlyMap<string, bigint>>;

/** What all accounts of a running fleet used in the last calendar month. */
export async function lastMonth(run: Run): Promise<UnitsByModel> {
  using client = operatorClient<MeteringServiceServer>(run, "metering", MeteringServiceService);
  const { models } = await client.sumLastMonth({});
  return new Map(
    models.map(({ model, units }) => [model, new Map(units.map(({ name, quantity }) => [name, quantity]))]),
  );
}
