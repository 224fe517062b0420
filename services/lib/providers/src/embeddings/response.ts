import { type ScannedResponse, scanVectors, type VectorNames } from "@uag/untrusted/vectors/scan";
import { countOf, type Fields, fieldsOf, parsedJson } from "../conversation/fields.ts";
import { UpstreamFailure, unusableResponse } from "../failure.ts";
import { unitsOfOthers } from "../openai-compatible/other-counters.ts";
import type { UsageReport } from "../usage-report.ts";
import type { RawVector, TokenReport } from "./types.ts";

/** No error is longer. */
const maxErrorBytes = 256 * 1024;

/**
 * Reads the vectors of a response, in the order of the inputs whatever their order in the response.
 * @param count number of inputs sent
 * @param unnumbered whether the items of the format have no index
 * @param errorInside interprets a body that is not a list of vectors, if it can
 * @throws {UpstreamFailure} unless there is exactly one vector per input
 */
export function readVectors(
  body: Buffer,
  options: {
    names: VectorNames;
    unnumbered?: boolean;
    count: number;
    errorInside(value: unknown): UpstreamFailure | undefined;
  },
): { vectors: RawVector[]; scanned: ScannedResponse; list: Buffer | undefined } {
  const scanned = scan(body, options.names);
  if (scanned === undefined) {
    const failure = body.length > maxErrorBytes ? undefined : options.errorInside(parsedJson(body.toString("utf8")));
    throw failure ?? broken("is not a list of vectors");
  }
  const vectors = new Array<RawVector | undefined>(options.count);
  let inOrder = true;
  for (const [place, { index: given, start, end }] of scanned.vectors.entries()) {
    const index = given ?? place;
    inOrder &&= given === (options.unnumbered ? undefined : place);
    const fits = Number.isInteger(index) && index >= 0 && index < options.count && vectors[index] === undefined;
    if (!fits) throw unusableResponse("the upstream's response has more vectors than inputs");
    vectors[index] = { body, index, start, end };
  }
  const found = scanned.vectors.length;
  if (found === 0) throw broken("has no vectors");
  if (found !== options.count) throw unusableResponse("the upstream's response has fewer vectors than inputs");
  const list = inOrder ? body.subarray(scanned.list.start, scanned.list.end) : undefined;
  return { vectors: vectors as RawVector[], scanned, list };
}

/** The usage object of a response, if it reports tokens; a copy, because the response is large. */
export function readUsage(
  body: Buffer,
  options: { scanned: ScannedResponse; member: string; counts: TokenCounts },
): TokenReport | undefined {
  const range = options.scanned.members.get(options.member);
  if (range === undefined) return undefined;
  const raw = Buffer.from(body.subarray(range.start, range.end));
  const usage = fieldsOf(parsedJson(raw.toString("utf8")));
  const tokens = countOf(options.counts.tokensIn(usage));
  // No text has zero tokens, so a count of zero means nothing.
  if (tokens === undefined || tokens === 0) return undefined;
  return { tokens, others: unitsOfOthers(usage, options.counts.known), raw };
}

/** Where a provider's usage has the token count. */
export interface TokenCounts {
  tokensIn(usage: Fields): unknown;
  /** Members that the token count covers; default: those of OpenAI's protocol. */
  readonly known?: RegExp;
}

/** The tokens that a response object reports in one of its members. */
export function tokensReported(usage: unknown, { tokensIn, known }: TokenCounts): UsageReport | undefined {
  const tokens = countOf(tokensIn(fieldsOf(usage)));
  if (tokens === undefined || tokens === 0) return undefined;
  const units = [{ name: "input_tokens", quantity: BigInt(tokens) }, ...unitsOfOthers(fieldsOf(usage), known)];
  return { units, raw: Buffer.from(JSON.stringify(usage)) };
}

function scan(body: Buffer, names: VectorNames): ScannedResponse | undefined {
  try {
    return scanVectors(body, names);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

export function broken(what: string): UpstreamFailure {
  return new UpstreamFailure("transient", `the upstream's response ${what}`, { status: 200 });
}
