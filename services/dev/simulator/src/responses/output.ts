import { logprobsOf } from "../completions/logprobs.ts";
import { type CandidateCall, textOf } from "../content/candidate.ts";
import type { Piece } from "../content/tokens.ts";
import type { ResponsesJob } from "./job.ts";
import { sealReasoning } from "./sealed.ts";

/** An item of a response's output, and the pieces in which its text is streamed. */
export interface OutputItem {
  /** As at its end. */
  readonly item: { readonly id: string; readonly type: string; readonly [field: string]: unknown };
  readonly kind: "reasoning" | "search" | "message" | "refusal" | "function" | "custom";
  readonly pieces: readonly Piece[];
  /** Tokens of the item in addition to those of its pieces. */
  readonly tokens: number;
}

const wants = ({ request }: ResponsesJob, what: string): boolean => request.include?.includes(what) === true;

/** The log probabilities of a text, if they are asked for. */
export function logprobsFor(job: ResponsesJob, pieces: readonly Piece[]): object[] {
  if (!wants(job, "message.output_text.logprobs")) return [];
  return pieces.map((piece) => logprobsOf(piece, job.request.top_logprobs ?? 0));
}

/** The items in the order in which the model makes them: reasoning, searches, message, calls. */
export function outputOf(job: ResponsesJob): OutputItem[] {
  const { candidate, customTools, searches, call } = job;
  const items: OutputItem[] = [];
  if (candidate.reasoning.length > 0) items.push(reasoningItem(job));
  for (let n = 1; n <= searches; n++) items.push(searchItem(call.newId("ws_"), n));
  const hasCalls = candidate.calls.length > 0;
  if (candidate.refusal.length > 0) items.push(messageItem(job, "refusal", candidate.refusal));
  else if (candidate.content.length > 0 || !hasCalls) items.push(messageItem(job, "message", candidate.content));
  for (const each of candidate.calls) items.push(callItem(job, each, customTools.has(each.name)));
  return items;
}

function reasoningItem(job: ResponsesJob): OutputItem {
  const { reasoning } = job.candidate;
  const text = textOf(reasoning);
  const summarizes = job.request.reasoning?.summary != null;
  const item = {
    id: job.call.newId("rs_"),
    type: "reasoning",
    summary: summarizes ? [{ type: "summary_text", text }] : [],
    ...(wants(job, "reasoning.encrypted_content") && { encrypted_content: sealReasoning(text) }),
  };
  const tokens = summarizes ? 0 : job.candidate.tokens.reasoning;
  return { item, kind: "reasoning", pieces: summarizes ? reasoning : [], tokens };
}

const searchItem = (id: string, n: number): OutputItem => ({
  item: { id, type: "web_search_call", status: "completed", action: { type: "search", query: `query ${n}` } },
  kind: "search",
  pieces: [],
  tokens: 0,
});

function messageItem(job: ResponsesJob, kind: "message" | "refusal", pieces: readonly Piece[]): OutputItem {
  const text = textOf(pieces);
  const part =
    kind === "refusal"
      ? { type: "refusal", refusal: text }
      : { type: "output_text", annotations: [], logprobs: logprobsFor(job, pieces), text };
  const status = job.candidate.finish === "length" ? "incomplete" : "completed";
  const item = { id: job.call.newId("msg_"), type: "message", status, content: [part], role: "assistant" };
  return { item, kind, pieces, tokens: 0 };
}

function callItem(job: ResponsesJob, { id, name, input, nameTokens }: CandidateCall, isCustom: boolean): OutputItem {
  const text = textOf(input);
  const called = { call_id: id, name, status: "completed" };
  const item = isCustom
    ? { id: job.call.newId("ctc_"), type: "custom_tool_call", ...called, input: text }
    : { id: job.call.newId("fc_"), type: "function_call", ...called, arguments: text };
  return { item, kind: isCustom ? "custom" : "function", pieces: input, tokens: nameTokens };
}
