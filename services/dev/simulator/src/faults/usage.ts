import type { Usage } from "../usage.ts";
import type { Faults } from "./catalogue.ts";

function multiplied(usage: object, factor: number): Usage {
  const entries = Object.entries(usage).map(([name, value]) => {
    if (typeof value === "number") return [name, Math.round(value * factor)];
    return [name, typeof value === "object" && value !== null ? multiplied(value, factor) : value];
  });
  return Object.fromEntries(entries);
}

/** Usage as modified by faults: multiplied, or omitted. */
export function reportedUsage(usage: Usage, faults: Faults): Usage | undefined {
  if (faults["usage-missing"] !== undefined) return undefined;
  const factor = faults["usage-lie"];
  return factor === undefined ? usage : multiplied(usage, factor);
}
