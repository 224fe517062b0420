import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { parseCatalog } from "@uag/catalog/parse";
import { providerEnvironments } from "@uag/catalog/provider-environment";
import type { Catalog } from "@uag/catalog/types";
import { providerSettings } from "@uag/local/providers";
import type { Run } from "@uag/local/run-file";
import { settlementRuleToJSON, type UsageEvent } from "@uag/proto/metering/v1/usage.ts";
import { readSettled } from "./billed.ts";
import { explain } from "./explain.ts";
import { readServed, type Served } from "./served.ts";

/** All bills of a fleet, checked against what the simulator served. */
export interface Explained {
  /** Bills by the rule that they name. */
  readonly byRule: ReadonlyMap<string, number>;
  /** One sentence per bill that its rule does not explain. */
  readonly unexplained: readonly string[];
  /** Requests that reached a provider and have no bill. */
  readonly unbilled: readonly string[];
}

const catalogFile = new URL("../../../../../infra/config/catalog.yaml", import.meta.url);
const retryMs = 2_000;

async function readCatalog(simulatorUrl: string): Promise<Catalog> {
  const text = await readFile(catalogFile, "utf8");
  return parseCatalog(text, providerSettings(providerEnvironments(text), {}, simulatorUrl));
}

const ruleOf = ({ settlementRule }: UsageEvent): string =>
  settlementRuleToJSON(settlementRule).replace("SETTLEMENT_RULE_", "").toLowerCase();

function sentence(bill: UsageEvent, attempts: readonly Served[], fault: string): string {
  const faults = attempts.map((attempt) => JSON.stringify(attempt.faults)).join(" ");
  const request = `${bill.requestId} (${bill.operation}, ${bill.model})`;
  return `${request} is billed ${bill.costNanoUsd} nano-USD by ${ruleOf(bill)}, but ${fault}; its faults: ${faults}.`;
}

async function explainOnce(run: Run, { models }: Catalog): Promise<Explained> {
  // Read first: what is billed was served before.
  const settled = await readSettled(run);
  const bills = settled.map(({ bill }) => bill);
  const served = await readServed(run.simulator_url);
  if (!served.complete) throw new Error("The simulator has dropped log entries. Run for a shorter time.");
  const byRequest = Map.groupBy(served.attempts, ({ requestId }) => requestId);
  const unexplained = settled.flatMap(({ bill, price }) => {
    // A model that operators added, and may have deleted, is known by the price that its bills name.
    const model = models.get(bill.model) ?? (price && { price });
    const attempts = byRequest.get(bill.requestId) ?? [];
    const fault = model === undefined ? "its model is not in the catalogue" : explain({ bill, attempts, model });
    return fault === undefined ? [] : [sentence(bill, attempts, fault)];
  });
  const billed = new Set(bills.map(({ requestId }) => requestId));
  const unbilled = [...byRequest.keys()].filter((id) => id !== undefined && !billed.has(id)) as string[];
  const byRule = new Map([...Map.groupBy(bills, ruleOf)].map(([rule, { length }]) => [rule, length]));
  return { byRule, unexplained, unbilled };
}

/**
 * Checks every bill of the ledger by the rule that it names. Bills and log entries may be under way,
 * so a difference counts only if it persists.
 * @param waitMs how long a difference must persist
 * @throws when the simulator's log is not complete
 */
export async function explainBills(run: Run, waitMs: number): Promise<Explained> {
  const catalog = await readCatalog(run.simulator_url);
  const deadline = performance.now() + waitMs;
  for (;;) {
    const explained = await explainOnce(run, catalog);
    const differences = explained.unexplained.length + explained.unbilled.length;
    if (differences === 0 || performance.now() > deadline) return explained;
    await sleep(retryMs);
  }
}
