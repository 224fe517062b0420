import { nanoUsdOf } from "@uag/contract/requests/usd";
import { schema } from "@uag/local/config";
import { resolveDataDir } from "@uag/local/data-dir";
import { type Run, readRun } from "@uag/local/run-file";
import { UserError } from "@uag/local/terminal/step";
import { readConfig } from "@uag/runtime/config";
import { usdText } from "@uag/runtime/usd";

/** Reads the run file of the fleet in this environment's data directory. */
export async function readRunningFleet(): Promise<Run> {
  return readRun(resolveDataDir(readConfig(schema).DATA_DIR));
}

/** A non-negative integer, as the options for limits require. */
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

/** Nano-USD as dollars, exactly: without trailing zeros, but with at least two decimals. */
export function showUsd(amountNanoUsd: bigint): string {
  return `${usdText(amountNanoUsd).replace(/0{1,7}$/, "")} USD`;
}
