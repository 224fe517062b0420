import { type JsonLimits, maxLengths, scanJson, scanJsonInTurns } from "@uag/untrusted/json/scan";
import { tooLong, type UpstreamFailure, unusableResponse } from "./failure.ts";
import { readableText } from "./reading/readable-text.ts";

/** Smaller responses are bounded well enough by their size. */
const smallBytes = 1024 * 1024;
/** Smaller events are. */
const smallEventBytes = 64 * 1024;
/**
 * Of a response without its log probabilities, images and audio, which are read in turns: what takes
 * about 25 ms to parse. A response of 128,000 tokens has less than 1 MiB.
 */
export const maxParsedBytes = 8 * 1024 * 1024;

/** No valid response has a longer run of white space. */
const blankBytes = 64 * 1024;
/** What takes about 40 ms to parse. Log probabilities and streams are read in turns before. */
const limits: JsonLimits = { depth: 256, values: 100_000, numbers: 200_000, names: 10_000, ...maxLengths, blankBytes };
/** An event may be parsed several times. Log probabilities of 400 tokens are below the limits. */
const eventLimits: JsonLimits = { ...limits, values: 25_000, numbers: 50_000, names: 2_500 };

/** No valid response has more tool calls than this. */
const maxCalls = 1_000;

/**
 * Counts a response's values in turns of the event loop, before it is parsed.
 * @returns where its long strings are
 * @throws {UpstreamFailure} `transient` if parsing would block the process for too long
 */
export async function longSpansIn(body: Buffer) {
  if (body.length <= smallBytes) return [];
  const { passed, longSpans } = await scanJsonInTurns(body, limits);
  if (passed !== undefined) throw exceeded("response", passed, limits);
  return longSpans;
}

/** @throws {UpstreamFailure} `transient` for a response that takes too long to parse */
export function checkParsedSize(body: Buffer): void {
  if (body.length > maxParsedBytes) throw tooLong(maxParsedBytes, { received: readableText([body]) });
}

/**
 * Returns the response if parsing it would not block the process for too long.
 * @throws {UpstreamFailure} `transient`
 */
export async function boundedResponse(body: Buffer): Promise<Buffer> {
  await longSpansIn(body);
  checkParsedSize(body);
  return body;
}

/** Why an event's data cannot be parsed without blocking the process; undefined if it can be. */
export function eventFault(data: Buffer): UpstreamFailure | undefined {
  if (data.length <= smallEventBytes) return undefined;
  const { passed } = scanJson(data, eventLimits);
  return passed === undefined ? undefined : exceeded("event", passed, eventLimits);
}

function exceeded(what: string, limit: keyof JsonLimits, { [limit]: max }: JsonLimits): UpstreamFailure {
  return unusableResponse(`the ${what} exceeds the limit of ${max} for ${limit}`);
}

/** @throws {UpstreamFailure} `transient` for a call number that no valid response has */
export function checkCallOrdinal(ordinal: number): void {
  if (ordinal < maxCalls) return;
  throw unusableResponse(`the response has more than ${maxCalls} tool calls`);
}
