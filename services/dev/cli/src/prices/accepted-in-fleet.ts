import { parsePriceVersion } from "@uag/catalog/price-versions";
import type { PriceVersionRow } from "@uag/catalog/types";
import { readRun } from "@uag/local/run-file";
import { z } from "zod";
import { adminApi } from "../commands/admin-api.ts";

const reviewSchema = z.object({ accepted: z.array(z.unknown()) });

/** The prices that were accepted in the running fleet; none while no fleet runs. */
export async function acceptedInFleet(dataDir: string): Promise<PriceVersionRow[]> {
  const run = await readRun(dataDir).catch(() => undefined);
  if (run === undefined) return [];
  const { accepted } = reviewSchema.parse(await adminApi(run).call("GET", "/prices"));
  return accepted.map(parsePriceVersion);
}
