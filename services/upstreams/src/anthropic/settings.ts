import type { Conversation, Effort, Thinking } from "../conversation/types.ts";
import type { ModelRules } from "./models.ts";

/** Tokens of thinking for an effort, for models that think by budget. */
const budgets: Readonly<Record<Effort, number>> = {
  none: 0,
  minimal: 1_024,
  low: 2_048,
  medium: 8_192,
  high: 16_384,
  xhigh: 24_576,
  max: 32_000,
};
const minBudget = 1_024;

export interface ThinkingChoice {
  readonly thinking: object | undefined;
  readonly effort: string | undefined;
  readonly thinks: boolean;
}

export interface ThinkingQuestion {
  readonly conversation: Conversation;
  readonly rules: ModelRules;
  readonly maxTokens: number;
  readonly messages: readonly { role: string; content: readonly Record<string, unknown>[] }[];
  /** The tool choice forces a tool. */
  readonly forced: boolean;
}

const silent: ThinkingChoice = { thinking: undefined, effort: undefined, thinks: false };

/**
 * How a model is told to think. Where it cannot do what was asked it does the nearest thing: effort
 * is a wish.
 */
export function chooseThinking(question: ThinkingQuestion): ThinkingChoice {
  const { thinking } = question.conversation;
  const { rules, forced } = question;
  if (thinking === undefined || rules.thinking === "none") return silent;
  if (rules.thinking === "budget") return byBudget(thinking, question);
  if (!thinking.on || thinking.effort === "minimal") {
    if (rules.alwaysThinks) return { thinking: undefined, effort: "low", thinks: true };
    return { thinking: { type: "disabled" }, effort: undefined, thinks: false };
  }
  const effort = thinking.effort === "xhigh" && !rules.xhigh ? "high" : thinking.effort;
  // Thinking and a forced tool exclude each other.
  if (forced) return { thinking: undefined, effort, thinks: false };
  const display = rules.fixedSampling && thinking.shown ? { display: "summarized" } : {};
  return { thinking: { type: "adaptive", ...display }, effort, thinks: true };
}

function byBudget(thinking: Thinking, { maxTokens, messages, forced }: ThinkingQuestion): ThinkingChoice {
  const wanted = thinking.budget ?? budgets[thinking.effort ?? "medium"];
  const tokens = Math.min(wanted, maxTokens - 1);
  if (!thinking.on || forced || tokens < minBudget || lostThinking(messages)) return silent;
  return { thinking: { type: "enabled", budget_tokens: tokens }, effort: undefined, thinks: true };
}

/**
 * With a thinking budget, an answer that called tools must come back with its thinking; few chat
 * clients keep that.
 */
function lostThinking(messages: ThinkingQuestion["messages"]): boolean {
  const last = messages.findLast(({ role }) => role === "assistant");
  if (last === undefined || !last.content.some(({ type }) => type === "tool_use")) return false;
  const first = last.content[0]?.["type"];
  return first !== "thinking" && first !== "redacted_thinking";
}

/** Sampling values in Anthropic's ranges, where they are taken at all. */
export function samplingFields(
  { sampling }: Conversation,
  { rules, thinks }: { rules: ModelRules; thinks: boolean },
): Record<string, number> {
  if (rules.fixedSampling || thinks) return {};
  const { temperature, topP, topK } = sampling;
  const fields: Record<string, number> = {};
  if (temperature !== undefined) fields["temperature"] = Math.min(Math.max(temperature, 0), 1);
  // Models since Claude 4 take one of the two.
  else if (topP !== undefined) fields["top_p"] = topP;
  if (topK !== undefined) fields["top_k"] = topK;
  return fields;
}
