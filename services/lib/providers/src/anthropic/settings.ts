import type { Conversation, Effort, Thinking } from "../conversation/types.ts";
import type { ModelRules } from "./models.ts";

/** Thinking tokens per effort, for models with a thinking budget. */
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
  /** The tool choice forces a tool call. */
  readonly forced: boolean;
}

const silent: ThinkingChoice = { thinking: undefined, effort: undefined, thinks: false };

/**
 * Maps the requested thinking to what the model supports. If it cannot do exactly that, the nearest
 * setting is used: effort is a hint.
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
  // Thinking and a forced tool call exclude each other.
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
 * With a thinking budget, a turn that called tools must be sent back with its thinking; few chat
 * clients keep that.
 */
function lostThinking(messages: ThinkingQuestion["messages"]): boolean {
  const last = messages.findLast(({ role }) => role === "assistant");
  if (last === undefined || !last.content.some(({ type }) => type === "tool_use")) return false;
  const first = last.content[0]?.["type"];
  return first !== "thinking" && first !== "redacted_thinking";
}

/** Sampling values in Anthropic's ranges, if the model accepts them. */
export function samplingFields(
  { sampling }: Conversation,
  { rules, thinks }: { rules: ModelRules; thinks: boolean },
): Record<string, number> {
  if (rules.fixedSampling || thinks) return {};
  const { temperature, topP, topK } = sampling;
  const fields: Record<string, number> = {};
  if (temperature !== undefined) fields["temperature"] = Math.min(Math.max(temperature, 0), 1);
  // Models since Claude 4 accept only one of the two.
  else if (topP !== undefined) fields["top_p"] = topP;
  if (topK !== undefined) fields["top_k"] = topK;
  return fields;
}
