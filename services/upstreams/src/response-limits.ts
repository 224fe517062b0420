import { type JsonLimits, maxLengths, scanJson } from "@uag/kit/json/scan.ts";
import { UpstreamFailure } from "./failure.ts";

/** Shorter answers are bounded well enough by their length. */
const smallBytes = 1024 * 1024;
/** Log probabilities of a long answer, twenty for each token, come to some millions. */
const limits: JsonLimits = { depth: 256, values: 3_000_000, numbers: 6_000_000, names: 50_000, ...maxLengths };

/** More tool calls than this are no answer. */
export const maxCalls = 1_000;

/**
 * The answer, when parsing it would not stop everything else.
 * @throws {UpstreamFailure} `transient`
 */
export function boundedResponse(body: Buffer): Buffer {
  const passed = body.length > smallBytes ? scanJson(body, limits).passed : undefined;
  if (passed === undefined) return body;
  throw new UpstreamFailure("transient", `the answer is beyond ${limits[passed]} of ${passed}`, { status: 200 });
}

/** @throws {UpstreamFailure} `transient` for an ordinal that no call of an answer has */
export function checkCallOrdinal(ordinal: number): void {
  if (ordinal < maxCalls) return;
  throw new UpstreamFailure("transient", `the answer has more than ${maxCalls} tool calls`, { status: 200 });
}
