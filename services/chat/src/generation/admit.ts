import type { Admission, AdmitRequest, Admitted } from "@uag/admission/types.ts";
import { bound } from "@uag/catalog/price.ts";
import { GatewayError } from "@uag/kit/errors.ts";
import { estimatePromptTokens } from "@uag/upstreams/prompt.ts";
import { type Sizing, sizeOf } from "./size.ts";

/** Vendors' tokenizers differ from ours by less than this. */
const tokenizerMargin = 1.15;
const marginTokens = 32;
/** A cap below this is of no use to anybody. */
const leastCap = 16;

export interface AdmittedGeneration {
  readonly admitted: Admitted;
  /** Set when the balance covers only so many tokens: the cap to send, for each candidate. */
  readonly affordableCap: number | undefined;
}

/**
 * Admits a request by a quick upper bound of its cost. When the balance does not cover that, the prompt is counted; and when
 * the client set no cap, the answer is capped at what the balance covers.
 * @throws {GatewayError} `insufficient_balance` and whatever else admission refuses with
 */
export async function admitGeneration(
  admission: Admission,
  request: Omit<AdmitRequest, "holdNanoUsd" | "tokens">,
  sizing: Sizing,
): Promise<AdmittedGeneration> {
  const first = sizeOf(sizing);
  try {
    return { admitted: await admission.admit({ ...request, ...first }), affordableCap: undefined };
  } catch (error) {
    if (!isInsufficient(error)) throw error;
    const counted = Math.ceil((await estimatePromptTokens(sizing.fields)) * tokenizerMargin) + marginTokens;
    const exact = sizeOf({ ...sizing, promptTokens: Math.min(counted, sizing.bodyBytes) });
    if (exact.holdNanoUsd < first.holdNanoUsd) {
      const admitted = await unlessInsufficient(admission.admit({ ...request, ...exact }));
      if (admitted !== undefined) return { admitted, affordableCap: undefined };
    }
    const cap = affordableCap(error, { ...sizing, promptTokens: counted });
    if (cap === undefined) throw error;
    const capped = sizeOf({ ...sizing, promptTokens: counted, outputCap: cap });
    return { admitted: await admission.admit({ ...request, ...capped }), affordableCap: cap };
  }
}

/** The most tokens of each candidate that the balance covers; undefined when that is too few or not known. */
function affordableCap(refusal: GatewayError, sizing: Sizing): number | undefined {
  const available = (refusal.cause as { availableNanoUsd?: unknown } | undefined)?.availableNanoUsd;
  if (sizing.outputCap !== undefined || typeof available !== "bigint") return undefined;
  const { holdNanoUsd: promptCost } = sizeOf({ ...sizing, candidates: 0 });
  const perMillion = bound(
    [{ quantity: 1_000_000n * BigInt(sizing.candidates), anyOf: ["output_tokens"] }],
    sizing.model.price,
  );
  if (perMillion === 0n) return undefined;
  const cap = Number(((available - promptCost) * 1_000_000n) / perMillion);
  return cap < leastCap ? undefined : Math.min(cap, sizing.model.maxOutputTokens);
}

function isInsufficient(error: unknown): error is GatewayError {
  return error instanceof GatewayError && error.code === "insufficient_balance";
}

async function unlessInsufficient(admitting: Promise<Admitted>): Promise<Admitted | undefined> {
  try {
    return await admitting;
  } catch (error) {
    if (isInsufficient(error)) return undefined;
    throw error;
  }
}
