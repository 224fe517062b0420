import type { Admission, AdmitRequest, Admitted } from "@uag/admission/types.ts";
import { bound } from "@uag/catalog/price.ts";
import { sizings } from "@uag/catalog/sizing.ts";
import { GatewayError } from "@uag/contract/errors/gateway-error.ts";
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
  /** Set when the upstream runs tools that the client has not capped: the cap to send, for each of them. */
  readonly maxUses: number | undefined;
}

/**
 * Admits a request by a quick upper bound of its cost. When the balance does not cover that, the prompt is counted; then tools that the
 * upstream runs are given fewer uses, and the answer fewer tokens, where the client set no cap of its own.
 * @throws {GatewayError} `insufficient_balance` and whatever else admission refuses with
 */
export async function admitGeneration(
  admission: Admission,
  request: Omit<AdmitRequest, "holdNanoUsd" | "tokens">,
  sizing: Sizing,
): Promise<AdmittedGeneration> {
  const maxUses = isUncapped(sizing) ? sizing.model.search.maxUses : undefined;
  const first = sizeOf(sizing);
  try {
    return { admitted: await admission.admit({ ...request, ...first }), affordableCap: undefined, maxUses };
  } catch (error) {
    if (!isInsufficient(error)) throw error;
    const counted = Math.ceil((await estimatePromptTokens(sizing.fields)) * tokenizerMargin) + marginTokens;
    const exact = { ...sizing, promptTokens: Math.min(counted, sizing.bodyBytes) };
    if (sizeOf(exact).holdNanoUsd < first.holdNanoUsd) {
      const admitted = await unlessInsufficient(admission.admit({ ...request, ...sizeOf(exact) }));
      if (admitted !== undefined) return { admitted, affordableCap: undefined, maxUses };
    }
    const capped = cappedSizing(error, { ...sizing, promptTokens: counted });
    if (capped === undefined) throw error;
    const admitted = await admission.admit({ ...request, ...sizeOf(capped) });
    return { admitted, affordableCap: capLowered(sizing, capped), maxUses: capped.maxUses ?? maxUses };
  }
}

const capLowered = (before: Sizing, { outputCap }: Sizing): number | undefined =>
  before.outputCap === outputCap ? undefined : outputCap;

const isUncapped = ({ serverTools }: Sizing): boolean =>
  serverTools?.priced.some(({ maxUses }) => maxUses === undefined) === true;

/** The same request with as many uses of tools, or tokens, as the balance covers; undefined when it covers none of use, or is not known. */
function cappedSizing(refusal: GatewayError, sizing: Sizing): Sizing | undefined {
  const available = (refusal.cause as { availableNanoUsd?: unknown } | undefined)?.availableNanoUsd;
  if (typeof available !== "bigint") return undefined;
  if (!isUncapped(sizing)) return withCap(available, sizing);
  for (let maxUses = sizing.model.search.maxUses; maxUses >= 1; maxUses--) {
    if (sizeOf({ ...sizing, maxUses }).holdNanoUsd <= available) return { ...sizing, maxUses };
  }
  return withCap(available, { ...sizing, maxUses: 1 });
}

function withCap(available: bigint, sizing: Sizing): Sizing | undefined {
  const outputCap = affordableCap(available, sizing);
  return outputCap === undefined ? undefined : { ...sizing, outputCap };
}

/** The most tokens of each candidate that the balance covers; undefined when that is too few, or the client has set a cap. */
function affordableCap(available: bigint, sizing: Sizing): number | undefined {
  if (sizing.outputCap !== undefined) return undefined;
  const { holdNanoUsd: promptCost } = sizeOf({ ...sizing, candidates: 0 });
  const perMillion = bound(
    [{ quantity: 1_000_000n * BigInt(sizing.candidates), anyOf: sizings.generation.textOut }],
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
