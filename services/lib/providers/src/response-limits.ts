import { type JsonLimits, maxLengths, scanJson } from "@uag/untrusted/json/scan";
import { unusableResponse } from "./failure.ts";

/** Smaller responses are bounded well enough by their size. */
const smallBytes = 1024 * 1024;
/** Log probabilities of a long response, twenty per token, amount to some millions of values. */
const limits: JsonLimits = { depth: 256, values: 3_000_000, numbers: 6_000_000, names: 50_000, ...maxLengths };

/** No valid response has more tool calls than this. */
export const maxCalls = 1_000;

/**
 * Returns the response if parsing it would not block the process for too long.
 * @throws {UpstreamFailure} `transient`
 */
export function boundedResponse(body: Buffer): Buffer {
  const passed = body.length > smallBytes ? scanJson(body, limits).passed : undefined;
  if (passed === undefined) return body;
  throw unusableResponse(`the response has more than ${limits[passed]} ${passed}`);
}

/** @throws {UpstreamFailure} `transient` for a call number that no valid response has */
export function checkCallOrdinal(ordinal: number): void {
  if (ordinal < maxCalls) return;
  throw unusableResponse(`the response has more than ${maxCalls} tool calls`);
}
