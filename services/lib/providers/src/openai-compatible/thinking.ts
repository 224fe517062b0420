import type { Model, Reasoning } from "@uag/catalog/types";
import { type Effort, efforts, type Thinking } from "../conversation/types.ts";

interface ThinkingFields {
  readonly reasoning_effort?: string;
  readonly thinking?: { readonly type: "enabled" | "disabled" };
  readonly enable_thinking?: boolean;
  /** Tokens. */
  readonly thinking_budget?: number;
}

/** What makes a model think that by default does not. */
const whenAsked: Effort = "medium";

/**
 * The fields that set how a model thinks; empty: its default.
 *
 * - OpenAI, xAI, Kimi K3: `reasoning_effort`.
 * - DeepSeek: `thinking: {type}` and `reasoning_effort`
 *   (https://api-docs.deepseek.com/guides/thinking_mode); Kimi K2.6 has the first alone
 *   (https://platform.moonshot.ai/docs/guide/use-kimi-k2-thinking-model).
 * - Qwen: `enable_thinking` and `thinking_budget`
 *   (https://www.alibabacloud.com/help/en/model-studio/deep-thinking).
 * @param forced whether the model must call a tool, which those with a switch cannot while they
 * think
 */
export function thinkingFields(
  thinking: Thinking | undefined,
  { reasoning, maxOutputTokens }: Pick<Model, "reasoning" | "maxOutputTokens">,
  forced: boolean,
): ThinkingFields {
  if (reasoning === undefined) return {};
  const wanted = forced && reasoning.switch !== undefined ? off : thinking;
  if (wanted === undefined) return {};
  const effort = nearestEffort(wanted, reasoning);
  const effortField = effort === undefined ? {} : { reasoning_effort: effort };
  switch (reasoning.switch) {
    case undefined:
      return effortField;
    case "thinking":
      return { thinking: { type: wanted.on ? "enabled" : "disabled" }, ...(wanted.on && effortField) };
    case "enable_thinking": {
      const { on, budget } = wanted;
      const cap = on && budget !== undefined ? { thinking_budget: Math.min(budget, maxOutputTokens) } : {};
      return { enable_thinking: on, ...cap };
    }
  }
}

const off: Thinking = { on: false, effort: "none", budget: undefined, shown: false };

/** The nearest effort that the model supports; undefined: the model's default. */
function nearestEffort({ on, effort, budget }: Thinking, reasoning: Reasoning): string | undefined {
  const unset = reasoning.defaultEffort === "none" ? whenAsked : undefined;
  const wanted = on ? (effort ?? effortOfBudget(budget) ?? unset) : "none";
  if (wanted === undefined) return undefined;
  const rank = (name: string): number => (efforts as readonly string[]).indexOf(name);
  const distance = (name: string): number => Math.abs(rank(name) - rank(wanted));
  const known = reasoning.efforts.filter((name) => rank(name) >= 0);
  return known.toSorted((a, b) => distance(a) - distance(b))[0];
}

/** Converts a budget of thinking tokens to an effort. */
function effortOfBudget(budget: number | undefined): Effort | undefined {
  if (budget === undefined) return undefined;
  if (budget < 4_096) return "low";
  return budget < 16_384 ? "medium" : "high";
}
