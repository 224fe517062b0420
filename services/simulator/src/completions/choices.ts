import { hashOf, randomFrom } from "../content/hash.ts";
import { type Ask, type Plan, planAnswer } from "../content/plan.ts";
import { countTokens, type Piece, piecesOf, takeTokens } from "../content/tokens.ts";
import { wordsOf } from "../content/words.ts";
import type { Call } from "../http/types.ts";

export type ChoiceCall = {
  readonly id: string;
  readonly name: string;
  readonly nameTokens: number;
  readonly input: readonly Piece[];
};

/** One candidate answer, cut to its limits. */
export type Choice = {
  readonly index: number;
  readonly reasoning: readonly Piece[];
  readonly content: readonly Piece[];
  readonly refusal: readonly Piece[];
  readonly calls: readonly ChoiceCall[];
  readonly finish: "stop" | "length" | "tool_calls" | "content_filter";
  readonly tokens: { readonly reasoning: number; readonly text: number };
};

export type ChoiceLimits = {
  /** Reasoning and answer together. */
  readonly maxTokens: number;
  readonly stop: readonly string[];
  readonly newCallId: () => string;
  /** Custom tools take free text, not JSON. */
  readonly customTools: ReadonlySet<string>;
};

function beforeStop(text: string, stop: readonly string[]): string {
  const found = stop.filter((word) => word !== "").map((word) => text.indexOf(word));
  const first = Math.min(text.length, ...found.filter((at) => at >= 0));
  return text.slice(0, first);
}

function hugePieces(call: Call, mebibytes: number): Piece[] {
  const size = Math.max(1, Math.round((call.faults["huge-chunk"] ?? 16) * 1024));
  const block = wordsOf(randomFrom(call.digest, "huge"), Math.ceil(size / 4))
    .padEnd(size, " word")
    .slice(0, size);
  const count = Math.max(1, Math.round((mebibytes * 1_048_576) / size));
  return new Array<Piece>(count).fill({ text: block, tokens: Math.ceil(size / 4) });
}

function callsWithin(
  plan: Plan,
  limits: ChoiceLimits,
  budget: number,
): { calls: ChoiceCall[]; tokens: number; cut: boolean } {
  const calls: ChoiceCall[] = [];
  let tokens = 0;
  for (const { name, input } of plan.calls) {
    const nameTokens = countTokens(name);
    if (tokens + nameTokens > budget) return { calls, tokens, cut: true };
    const text = limits.customTools.has(name) ? String(input["input"] ?? "") : JSON.stringify(input);
    const taken = takeTokens(piecesOf(text), budget - tokens - nameTokens);
    calls.push({ id: limits.newCallId(), name, nameTokens, input: taken.pieces });
    tokens += nameTokens + taken.tokens;
    if (taken.cut) return { calls, tokens, cut: true };
  }
  return { calls, tokens, cut: false };
}

/** Plans candidate `index` and cuts it to the limits: reasoning first, then text, then tool calls. */
export function choiceOf(call: Call, ask: Ask, index: number, limits: ChoiceLimits): Choice {
  const plan = planAnswer(index === 0 ? ask : { ...ask, digest: hashOf(ask.digest, String(index)) });
  const reasoning = takeTokens(piecesOf(plan.reasoning), limits.maxTokens);
  let left = limits.maxTokens - reasoning.tokens;
  const huge = call.faults.huge;
  const whole = huge === undefined ? piecesOf(beforeStop(plan.text, limits.stop)) : hugePieces(call, huge);
  const content = takeTokens(plan.filtered ? [] : whole, reasoning.cut ? 0 : left);
  left -= content.tokens;
  const refusal = takeTokens(piecesOf(plan.refusal ?? ""), left);
  const { calls, tokens, cut } = callsWithin(plan, limits, reasoning.cut || content.cut ? 0 : left - refusal.tokens);
  const isCut = reasoning.cut || content.cut || refusal.cut || cut;
  const ended = calls.length > 0 ? "tool_calls" : "stop";
  return {
    index,
    reasoning: reasoning.pieces,
    content: content.pieces,
    refusal: refusal.pieces,
    calls,
    finish: plan.filtered ? "content_filter" : isCut ? "length" : ended,
    tokens: { reasoning: reasoning.tokens, text: content.tokens + refusal.tokens + tokens },
  };
}

/** The text of some pieces. */
export function textOfPieces(pieces: readonly Piece[]): string {
  return pieces.map((piece) => piece.text).join("");
}
