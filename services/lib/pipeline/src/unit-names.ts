import { unitOf } from "@uag/catalog/units";
import type { Unit } from "@uag/proto/metering/v1/usage.ts";

const maxNameLength = 64;
/** Counters that are kept of one response beside the catalogue's units. */
const maxUnknown = 16;

/**
 * The units of a response, with names that can be stored. A counter that the catalogue does not
 * know keeps the provider's name, with `_` for characters outside `A-Z a-z 0-9 _ : -`.
 */
export function namedUnits(units: readonly Unit[]): Unit[] {
  let unknown = 0;
  return units.flatMap(({ name, quantity }) => {
    if (unitOf(name) === undefined && ++unknown > maxUnknown) return [];
    return [{ name: nameOf(name), quantity }];
  });
}

function nameOf(name: string): string {
  return unitOf(name) !== undefined ? name : name.slice(0, maxNameLength).replaceAll(/[^\w:-]/g, "_") || "unnamed";
}
