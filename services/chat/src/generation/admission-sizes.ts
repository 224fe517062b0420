import { bound } from "@uag/catalog/price";
import { sizings } from "@uag/catalog/sizing";
import type { Shortage, Size } from "@uag/pipeline/operation/operation-spec";
import type { CheckedRequest } from "@uag/pipeline/operation/request-spec";
import { estimatePromptTokens } from "@uag/providers/prompt";
import type { GenerationRequest } from "../format.ts";
import { fittingCap } from "./response-size.ts";
import { generationRequestSize, type Sizing } from "./size.ts";

const marginTokens = 32;
/** A lower cap is useless. */
const minCap = 16;

/** The size that a request was admitted for. */
export interface GenerationSize extends Size {
  /**
   * The cap to send, tokens per candidate: set when the balance covers no more, or a longer
   * response would not be accepted.
   */
  readonly sentCap: number | undefined;
  /** Set when the upstream runs tools that the client has not capped: the cap to send, per tool. */
  readonly maxUses: number | undefined;
}

type Checked = Pick<CheckedRequest<GenerationRequest>, "model" | "request">;

const sizingOf = ({ model, request }: Checked): Sizing => ({ model, bodyBytes: request.body.length, ...request });

/** A quick upper bound: a token is at least one byte. */
export function quickSize(checked: Checked): GenerationSize {
  const sizing = sizingOf(checked);
  const maxUses = isUncapped(sizing) ? sizing.model.search.maxUses : undefined;
  const sentCap = fittingCap(sizing, checked.request.stream);
  return { ...generationRequestSize(withSentCap(sizing, sentCap)), sentCap, maxUses };
}

/**
 * For a balance that does not cover the quick bound: counts the prompt, then reduces the uses of
 * tools that the upstream runs, then the output tokens, unless the client capped those itself.
 */
export async function* tighterSizes(
  checked: Checked,
  { size: first, availableNanoUsd }: Shortage<GenerationSize>,
): AsyncGenerator<GenerationSize> {
  const sizing = sizingOf(checked);
  const estimate = await estimatePromptTokens(sizing.fields);
  const counted = Math.ceil(estimate * sizing.model.tokenizerMargin) + marginTokens;
  const exact = generationRequestSize({
    ...withSentCap(sizing, first.sentCap),
    promptTokens: Math.min(counted, sizing.bodyBytes),
  });
  if (exact.holdNanoUsd < first.holdNanoUsd) yield { ...exact, sentCap: first.sentCap, maxUses: first.maxUses };
  if (availableNanoUsd === undefined) return;
  const capped = cappedSizing(availableNanoUsd, { ...sizing, promptTokens: counted });
  if (capped === undefined) return;
  const sentCap = smallerCap(capLowered(sizing, capped), first.sentCap);
  yield { ...generationRequestSize(capped), sentCap, maxUses: capped.maxUses ?? first.maxUses };
}

const withSentCap = (sizing: Sizing, cap: number | undefined): Sizing =>
  cap === undefined ? sizing : { ...sizing, outputCap: cap };

function smallerCap(...caps: (number | undefined)[]): number | undefined {
  const set = caps.filter((cap) => cap !== undefined);
  return set.length === 0 ? undefined : Math.min(...set);
}

const capLowered = (before: Sizing, { outputCap }: Sizing): number | undefined =>
  before.outputCap === outputCap ? undefined : outputCap;

const isUncapped = ({ serverTools }: Sizing): boolean =>
  serverTools?.tools.some(({ maxUses }) => maxUses === undefined) === true;

/**
 * The same request with as many tool uses, or tokens, as the balance covers; undefined when that is
 * too few to be useful.
 */
function cappedSizing(available: bigint, sizing: Sizing): Sizing | undefined {
  if (!isUncapped(sizing)) return withCap(available, sizing);
  for (let maxUses = sizing.model.search.maxUses; maxUses >= 1; maxUses--) {
    if (generationRequestSize({ ...sizing, maxUses }).holdNanoUsd <= available) return { ...sizing, maxUses };
  }
  return withCap(available, { ...sizing, maxUses: 1 });
}

function withCap(available: bigint, sizing: Sizing): Sizing | undefined {
  const outputCap = affordableCap(available, sizing);
  return outputCap === undefined ? undefined : { ...sizing, outputCap };
}

/**
 * The most tokens per candidate that the balance covers; undefined when that is too few, or the
 * client has set a cap.
 */
function affordableCap(available: bigint, sizing: Sizing): number | undefined {
  if (sizing.outputCap !== undefined) return undefined;
  const { holdNanoUsd: promptCost } = generationRequestSize({ ...sizing, candidates: 0 });
  const perMillion = bound(
    [{ quantity: 1_000_000n * BigInt(sizing.candidates), anyOf: sizings.generation.textOut }],
    sizing.model.price,
  );
  if (perMillion === 0n) return undefined;
  const cap = Number(((available - promptCost) * 1_000_000n) / perMillion);
  return cap < minCap ? undefined : Math.min(cap, sizing.model.maxOutputTokens);
}
