import type { IncomingHttpHeaders } from "node:http";
import { type Faults, faultNames, parseFault, UnknownFault } from "./catalogue.ts";

const marker = "--sim-";

/**
 * `gpt-5-mini--sim-slow-50--sim-crlf` is the model `gpt-5-mini` with two faults. Throws
 * UnknownFault.
 */
export function faultsFromModel(id: string): { model: string; faults: Faults } {
  const [model = "", ...suffixes] = id.split(marker);
  const faults = suffixes.map((suffix) => {
    const name = faultNames.find((known) => suffix === known || suffix.startsWith(`${known}-`));
    if (name === undefined) throw new UnknownFault(`unknown fault '${suffix}'`);
    return parseFault(name, suffix.slice(name.length + 1));
  });
  return { model, faults: Object.assign({}, ...faults) };
}

/** Each `x-sim-<fault>: <value>` header is a fault. Throws UnknownFault. */
export function faultsFromHeaders(headers: IncomingHttpHeaders): Faults {
  const faults: Faults[] = [];
  for (const [name, value] of Object.entries(headers)) {
    if (name.startsWith("x-sim-")) faults.push(parseFault(name.slice("x-sim-".length), value));
  }
  return Object.assign({}, ...faults);
}

/** `slow=10,crlf` as in the environment. Throws UnknownFault. */
export function faultsFromText(text: string): Faults {
  const parts = text.split(",").filter((part) => part.trim() !== "");
  const faults = parts.map((part) => {
    const [name = "", value] = part.trim().split("=");
    return parseFault(name, value);
  });
  return Object.assign({}, ...faults);
}

/** Faults as in the control API: an object of names and values. Throws UnknownFault. */
export function faultsFromObject(given: Record<string, unknown>): Faults {
  return Object.assign({}, ...Object.entries(given).map(([name, value]) => parseFault(name, value)));
}
