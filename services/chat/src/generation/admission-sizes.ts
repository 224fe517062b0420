import { bound } from "@uag/catalog/price";
import { sizings } from "@uag/catalog/sizing";
import type { Shortage, Size } from "@uag/pipeline/operation/operation-spec";
import type { CheckedRequest } from "@uag/pipeline/operation/request-spec";
import type { Caller } from "@uag/proto/common/v1/caller.ts";
import { estimatePromptTokens } from "@uag/providers/prompt";
import type { GenerationRequest } from "../format.ts";
import { fittingCap } from "./response-size.ts";
import { type GenerationLimits, generationLimits, generationRequestSize, type Sizing } from "./size.ts";

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
  /** The most tokens of the prompt's text, if they were counted for the hold. */
  readonly promptTokens?: number | undefined;
}

type Checked = Pick<CheckedRequest<GenerationRequest>, "model" | "request">;
type CheckedWithCaller = Checked & { readonly caller: Pick<Caller, "lowersOutputCap"> };

const sizingOf = ({ model, request }: Checked): Sizing => ({ model, bodyBytes: request.body.length, ...request });

/** A quick upper bound: a token is at least one byte. */
export function quickSize(checked: Checked): GenerationSize {
  const sizing = sizingOf(checked);
  const maxUses = isUncapped(sizing) ? sizing.model.search.maxUses : undefined;
  const sentCap = fittingCap(sizing, checked.request.stream);
  return { ...generationRequestSize(withSentCap(sizing, sentCap)), sentCap, maxUses };
}

/**
 * For a balance that does not cover the quick bound: counts the prompt. If the account has set
 * `lower_output_cap`, then reduces the uses of tools that the upstream runs, then the output tokens,
 * unless the client capped those itself.
 */
export async function* tighterSizes(
  checked: CheckedWithCaller,
  { size: first, availableNanoUsd }: Shortage<GenerationSize>,
): AsyncGenerator<GenerationSize> {
  const sizing = sizingOf(checked);
  const counted = await countedTokens(sizing);
  const exactSizing = countedSizing(withSentCap(sizing, first.sentCap), counted);
  const exact = { ...first, ...generationRequestSize(exactSizing), promptTokens: exactSizing.promptTokens };
  if (exact.holdNanoUsd < first.holdNanoUsd) yield exact;
  if (availableNanoUsd === undefined || checked.caller.lowersOutputCap !== true) return;
  const capped = cappedSizing(availableNanoUsd, { ...sizing, promptTokens: counted });
  if (capped === undefined) return;
  const sentCap = smallerCap(capLowered(sizing, capped), first.sentCap);
  const maxUses = capped.maxUses ?? first.maxUses;
  yield { ...generationRequestSize(capped), sentCap, maxUses, promptTokens: capped.promptTokens };
}

/** The limits of an admitted request, from the counted tokens of its prompt. */
export async function admittedLimits(checked: Checked, size: GenerationSize): Promise<GenerationLimits> {
  const sizing = sizingOf(checked);
  const { promptTokens } = countedSizing(sizing, await countedTokens(sizing));
  return heldLimits(checked, { ...size, promptTokens });
}

/** The limits of an admitted request, exactly as its hold bounds them. */
export function heldLimits(checked: Checked, { sentCap, maxUses, promptTokens }: GenerationSize): GenerationLimits {
  const sizing = withSentCap(sizingOf(checked), sentCap);
  return generationLimits({
    ...sizing,
    ...(promptTokens !== undefined && { promptTokens }),
    ...(maxUses !== undefined && { maxUses }),
  });
}

/** The most tokens of a prompt's text, by our own count. */
async function countedTokens({ fields, model }: Sizing): Promise<number> {
  return Math.ceil((await estimatePromptTokens(fields)) * model.tokenizerMargin) + marginTokens;
}

const countedSizing = (sizing: Sizing, counted: number): Sizing & { readonly promptTokens: number } => ({
  ...sizing,
  promptTokens: Math.min(counted, sizing.bodyBytes),
});

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
