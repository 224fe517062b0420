import type { Usage } from "../usage.ts";
import type { Faults } from "./catalogue.ts";

type Count = (count: number) => unknown;

function changed(usage: object, change: Count): Usage {
  const of = (value: unknown): unknown => {
    if (typeof value === "number") return change(value);
    if (Array.isArray(value)) return value.map(of);
    return typeof value === "object" && value !== null ? changed(value, change) : value;
  };
  return Object.fromEntries(Object.entries(usage).map(([name, value]) => [name, of(value)]));
}

function changeBy(faults: Faults): Count | undefined {
  const factor = faults["usage-lie"];
  if (factor !== undefined) return (count) => Math.round(count * factor);
  if (faults["usage-negative"] !== undefined) return (count) => -count;
  if (faults["usage-text"] !== undefined) return String;
  return faults["usage-fraction"] === undefined ? undefined : (count) => count + 0.5;
}

/** Usage as modified by faults: with other counts or counters, or omitted. */
export function reportedUsage(usage: Usage, faults: Faults): Usage | undefined {
  if (faults["usage-missing"] !== undefined) return undefined;
  const change = changeBy(faults);
  const reported = change === undefined ? usage : changed(usage, change);
  const others = faults["usage-new"];
  return others === undefined ? reported : { ...reported, oracle_requests: others };
}
