import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { repoRoot } from "@uag/local/paths";
import { type Figures, figuresSchema } from "./figures.ts";
import { type Demand, planFor } from "./plan.ts";
import { planRows } from "./table.ts";

export const figuresFile = join(repoRoot, "infra/sizing.json");

export const readFigures = async (): Promise<Figures> =>
  figuresSchema.parse(JSON.parse(await readFile(figuresFile, "utf8")));

/** The defaults of the options. */
export const usual: Omit<Demand, "requestsPerDay"> = {
  peakOverAverage: 3,
  streamed: 0.5,
  chunksPerStream: 200,
  secondsPerStream: 10,
  accounts: 2_000,
  // The 13 months that metering keeps.
  retentionDays: 395,
  outageMinutes: 60,
  utilization: 0.6,
  diskUsd: 0.08,
};

const handbookDays = [1e6, 1e8, 1e9] as const;

/** The handbook's table. */
export function handbookTable(figures: Figures): string {
  const plans = handbookDays.map((requestsPerDay) => {
    const demand = { ...usual, requestsPerDay };
    return { demand, plan: planFor(figures, demand) };
  });
  return planRows(plans).join("\n");
}
