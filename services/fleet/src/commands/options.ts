import { readConfig } from "@uag/kit/config.ts";
import { Advice } from "../../../../scripts/lib/step.mjs";
import { schema } from "../config.ts";
import { resolveDataDir } from "../data-dir.ts";
import { type Run, readRun } from "../run-file.ts";

const dayMs = 24 * 60 * 60 * 1000;
const nanoUsd = 1_000_000_000n;

/** What the running fleet of this environment's data directory says about itself. */
export async function readRunningFleet(): Promise<Run> {
  return readRun(resolveDataDir(readConfig(schema).DATA_DIR));
}

/** The address of the first replica of a service of the running fleet. */
export function grpcAddress(run: Run, service: string): string {
  const [address] = run.grpc[service]?.split(",") ?? [];
  if (address === undefined) throw new Advice(`The running fleet has no ${service}.`);
  return address;
}

/** `30d` from now, or the start of a day or an instant as ISO 8601, as Unix milliseconds. */
export function parseExpiry(text: string, nowMs: number): bigint {
  const days = /^(\d+)d$/.exec(text)?.[1];
  const atMs = days === undefined ? Date.parse(text) : nowMs + Number(days) * dayMs;
  if (Number.isNaN(atMs) || atMs <= nowMs) {
    throw new Advice(`--expires ${text} is not a time to come: give days as 30d, or a date as 2027-01-01`);
  }
  return BigInt(atMs);
}

/** A whole number of at least 0, as the options for limits take it. */
export function parseCount(name: string, text: string | undefined): bigint {
  if (text === undefined) return 0n;
  if (!/^\d+$/.test(text)) throw new Advice(`--${name} ${text} is not a whole number`);
  return BigInt(text);
}

/** An amount of US dollars with at most nine decimals, in nano-USD, without passing through a float. */
export function parseUsd(name: string, text: string): bigint {
  const [, sign, whole, fraction = ""] = /^(-?)(\d+)(?:\.(\d{1,9}))?$/.exec(text) ?? [];
  if (whole === undefined) throw new Advice(`--${name} ${text} is not an amount in US dollars, such as 20 or 0.5`);
  const amount = BigInt(whole) * nanoUsd + BigInt(fraction.padEnd(9, "0"));
  return sign === "-" ? -amount : amount;
}

/** Nano-USD as dollars, exactly: every decimal that is not a closing zero, two at least. */
export function showUsd(amountNanoUsd: bigint): string {
  const sign = amountNanoUsd < 0n ? "-" : "";
  const amount = amountNanoUsd < 0n ? -amountNanoUsd : amountNanoUsd;
  const fraction = String(amount % nanoUsd)
    .padStart(9, "0")
    .replace(/0{1,7}$/, "");
  return `${sign}${amount / nanoUsd}.${fraction} USD`;
}
