import { hashOf, randomFrom } from "./hash.ts";
import { type Plan, planResponse } from "./plan.ts";
import { countTokens, type Piece, piecesOf, takeTokens } from "./tokens.ts";
import type { Turn } from "./turn.ts";
import { wordsOf } from "./words.ts";

export interface CandidateCall {
  readonly id: string;
  readonly name: string;
  readonly nameTokens: number;
  /** JSON, or free text for a tool that accepts it. */
  readonly input: readonly Piece[];
}

/** One candidate response, truncated to its limits. */
export interface Candidate {
  readonly index: number;
  readonly reasoning: readonly Piece[];
  readonly content: readonly Piece[];
  readonly refusal: readonly Piece[];
  readonly calls: readonly CandidateCall[];
  readonly finish: "stop" | "length" | "tools" | "filter";
  /** The stop string that ended the text, if any. */
  readonly stoppedBy: string | undefined;
  /** `text` is everything but the reasoning. */
  readonly tokens: { readonly reasoning: number; readonly text: number };
}

export interface Limits {
  /** For reasoning and response together. */
  readonly maxTokens: number;
  /** The cost of a text token against the limit: more than 1 when it is spoken too; default 1. */
  readonly tokensPerText?: number;
  readonly stop: readonly string[];
  readonly newCallId: () => string;
  /** Names of tools that take free text instead of JSON. */
  readonly freeTextTools?: ReadonlySet<string>;
  /** Size of a huge response in MiB, and of its pieces in KiB. */
  readonly huge?: { readonly mebibytes: number; readonly pieceKibibytes: number } | undefined;
}

function untilStop(text: string, stop: readonly string[]): { text: string; stoppedBy: string | undefined } {
  let end = text.length;
  let stoppedBy: string | undefined;
  for (const word of stop) {
    const at = word === "" ? -1 : text.indexOf(word);
    if (at < 0 || at >= end) continue;
    end = at;
    stoppedBy = word;
  }
  return { text: text.slice(0, end), stoppedBy };
}

function hugePieces(digest: string, { mebibytes, pieceKibibytes }: NonNullable<Limits["huge"]>): Piece[] {
  const size = Math.max(1, Math.round(pieceKibibytes * 1024));
  const words = wordsOf(randomFrom(digest, "huge"), Math.ceil(size / 4));
  const block = words.padEnd(size, " word").slice(0, size);
  const count = Math.max(1, Math.round((mebibytes * 1_048_576) / size));
  return new Array<Piece>(count).fill({ text: block, tokens: Math.ceil(size / 4) });
}

interface CallsTaken {
  calls: CandidateCall[];
  tokens: number;
  cut: boolean;
}

function callsWithin(plan: Plan, limits: Limits, budget: number): CallsTaken {
  const calls: CandidateCall[] = [];
  let tokens = 0;
  for (const { name, input } of plan.calls) {
    const nameTokens = countTokens(name);
    if (tokens + nameTokens > budget) return { calls, tokens, cut: true };
    const text = limits.freeTextTools?.has(name) ? String(input["input"] ?? "") : JSON.stringify(input);
    const taken = takeTokens(piecesOf(text), budget - tokens - nameTokens);
    calls.push({ id: limits.newCallId(), name, nameTokens, input: taken.pieces });
    tokens += nameTokens + taken.tokens;
    if (taken.cut) return { calls, tokens, cut: true };
  }
  return { calls, tokens, cut: false };
}

/**
 * Plans candidate `index` and truncates it to the limits: reasoning first, then text, then tool
 * calls.
 */
export function candidateOf(turn: Turn, index: number, limits: Limits): Candidate {
  const plan = planResponse(index === 0 ? turn : { ...turn, digest: hashOf(turn.digest, String(index)) });
  const reasoning = takeTokens(piecesOf(plan.reasoning), limits.maxTokens);
  let left = reasoning.cut ? 0 : limits.maxTokens - reasoning.tokens;
  const { text, stoppedBy } = untilStop(plan.text, limits.stop);
  const whole = limits.huge === undefined ? piecesOf(text) : hugePieces(turn.digest, limits.huge);
  const { tokensPerText = 1 } = limits;
  const content = takeTokens(plan.filtered ? [] : whole, Math.floor(left / tokensPerText));
  left -= content.tokens * tokensPerText;
  const refusal = takeTokens(piecesOf(plan.refusal ?? ""), left);
  const { calls, tokens, cut } = callsWithin(plan, limits, content.cut ? 0 : left - refusal.tokens);
  const isCut = reasoning.cut || content.cut || refusal.cut || cut;
  const ended = calls.length > 0 ? "tools" : "stop";
  return {
    index,
    reasoning: reasoning.pieces,
    content: content.pieces,
    refusal: refusal.pieces,
    calls,
    finish: plan.filtered ? "filter" : isCut ? "length" : ended,
    stoppedBy: isCut ? undefined : stoppedBy,
    tokens: { reasoning: reasoning.tokens, text: content.tokens + refusal.tokens + tokens },
  };
}

/** The concatenated text of some pieces. */
export function textOf(pieces: readonly Piece[]): string {
  return pieces.map((piece) => piece.text).join("");
}
