import { type JsonLimits, maxLengths, scanJson } from "@uag/untrusted/json/scan";
import { unusableResponse } from "./failure.ts";

/** Smaller responses are bounded well enough by their size. */
const smallBytes = 1024 * 1024;
/** What takes about 40 ms to parse. Log probabilities and streams are read in turns before. */
const limits: JsonLimits = { depth: 256, values: 100_000, numbers: 200_000, names: 10_000, ...maxLengths };

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
