import type { Effort, Thinking } from "../conversation/types.ts";

/** Thinking tokens per effort, as Google's own OpenAI-compatible endpoint maps them. */
const budgets: Readonly<Record<Effort, number>> = {
  none: 0,
  minimal: 1_024,
  low: 1_024,
  medium: 8_192,
  high: 24_576,
  xhigh: 24_576,
  max: 24_576,
};
/** Gemini 2.5 Pro always thinks, with at least this budget. */
const minProBudget = 128;

/**
 * Gemini's `thinkingConfig`: a budget for the 2.5 family, a level since Gemini 3; undefined if
 * neither is supported.
 */
export function thinkingConfig(model: string, thinking: Thinking | undefined): object | undefined {
  if (thinking === undefined || !thinks(model)) return undefined;
  const shown = thinking.on && thinking.shown ? { includeThoughts: true } : {};
  const isPro = model.includes("pro");
  if (!wantsSignatures(model)) {
    const requested = thinking.budget ?? (thinking.effort === undefined ? undefined : budgets[thinking.effort]);
    if (requested === undefined) return { ...shown };
    const budget = Math.min(thinking.on ? requested : 0, budgets.high);
    return { ...shown, thinkingBudget: isPro ? Math.max(budget, minProBudget) : budget };
  }
  const level = levelOf(thinking, isPro);
  return { ...shown, ...(level !== undefined && { thinkingLevel: level }) };
}

/** Since Gemini 3, a call must be sent back with the signature of its thought. */
export function wantsSignatures(model: string): boolean {
  return !/gemini-[12](\.|-)/.test(model);
}

function thinks(model: string): boolean {
  return !/gemini-(1|2\.0)/.test(model);
}

function levelOf({ on, effort, budget }: Thinking, isPro: boolean): string | undefined {
  const min = isPro ? "low" : "minimal";
  if (!on) return min;
  switch (effort) {
    case undefined:
      return budget === undefined ? undefined : budget < budgets.medium ? "low" : "high";
    case "none":
    case "minimal":
      return min;
    case "low":
    case "medium":
      return effort;
    default:
      return "high";
  }
}
