import { UserError } from "@uag/command/step.mjs";
import { nanoUsdOf } from "@uag/gateway/admin/amounts.ts";
import { readConfig } from "@uag/kit/config.ts";
import { usdText } from "@uag/kit/usd.ts";
import { schema } from "../config.ts";
import { resolveDataDir } from "../data-dir.ts";
import { type Run, readRun } from "../run-file.ts";

/** What the running fleet of this environment's data directory says about itself. */
export async function readRunningFleet(): Promise<Run> {
  return readRun(resolveDataDir(readConfig(schema).DATA_DIR));
}

/** A whole number of at least 0, as the options for limits take it. */
export function parseCount(name: string, text: string | undefined): bigint {
  if (text === undefined) return 0n;
  if (!/^\d+$/.test(text)) throw new UserError(`--${name} ${text} is not a whole number`);
  return BigInt(text);
}

/** A cost in dollars, as nano-USD. */
export function parseCost(name: string, text: string): bigint {
  const cost = nanoUsdOf(text);
  if (cost === undefined || cost < 0n) throw new UserError(`--${name} ${text} is not an amount of USD, such as 0.0125`);
  return cost;
}

/** Nano-USD as dollars, exactly: every decimal that is not a closing zero, two at least. */
export function showUsd(amountNanoUsd: bigint): string {
  return `${usdText(amountNanoUsd).replace(/0{1,7}$/, "")} USD`;
}
