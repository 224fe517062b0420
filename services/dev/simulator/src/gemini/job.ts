import { type Candidate, candidateOf } from "../content/candidate.ts";
import { reportedUsage } from "../faults/usage.ts";
import type { Call } from "../http/types.ts";
import type { Usage } from "../usage.ts";
import type { GeminiModel } from "./models.ts";
import type { Prompt } from "./prompt.ts";
import type { GenerateRequest } from "./schema.ts";
import { turnOf } from "./turn.ts";

/** A validated request, with its response. */
export interface GenerateJob {
  readonly call: Call;
  readonly responseId: string;
  readonly model: GeminiModel;
  readonly candidates: readonly Candidate[];
  readonly prompt: Prompt;
  readonly cached: number;
  readonly showsThoughts: boolean;
  /** Alternatives of each token whose log probabilities are reported; undefined: none are. */
  readonly logprobs: number | undefined;
}

const cacheableFrom = 1024;
const cacheLifeMs = 600_000;
const finishReasons = { stop: "STOP", length: "MAX_TOKENS", tools: "STOP", filter: "SAFETY" } as const;

/** Why a candidate ended: its `finishReason`, and a `finishMessage` if a fault chose the reason. */
export function endingOf({ call }: GenerateJob, candidate: Candidate): object {
  const chosen = call.faults["end-reason"];
  if (chosen !== undefined) return { finishReason: chosen, finishMessage: `The model ended with ${chosen}.` };
  return { finishReason: candidate.refusal.length > 0 ? "PROHIBITED_CONTENT" : finishReasons[candidate.finish] };
}

function cachedTokens(call: Call, prompt: Prompt): number {
  if (call.faults.cached !== undefined) return Math.min(call.faults.cached, prompt.total);
  const seen = call.cache.match(prompt.prefixes);
  call.cache.remember(prompt.prefixes, cacheLifeMs);
  return seen < cacheableFrom ? 0 : seen;
}

/** Decides the response to a validated request. */
export function jobFor(call: Call, request: GenerateRequest, model: GeminiModel, prompt: Prompt): GenerateJob {
  const config = request.generationConfig ?? {};
  const { huge } = call.faults;
  const unlimited = huge === undefined ? model.outputTokenLimit : Number.POSITIVE_INFINITY;
  const limits = {
    maxTokens: config.maxOutputTokens ?? unlimited,
    stop: config.stopSequences ?? [],
    newCallId: () => call.newId("call_"),
    huge: huge === undefined ? undefined : { mebibytes: huge, pieceKibibytes: call.faults["huge-chunk"] ?? 16 },
  };
  const turn = turnOf(call, request, model);
  return {
    call,
    responseId: call.newId(""),
    model,
    candidates: Array.from({ length: config.candidateCount ?? 1 }, (_, index) => candidateOf(turn, index, limits)),
    prompt,
    cached: cachedTokens(call, prompt),
    showsThoughts: config.thinkingConfig?.includeThoughts === true,
    logprobs: config.responseLogprobs === true ? (config.logprobs ?? 0) : undefined,
  };
}

function details(byModality: Iterable<readonly [string, number]>): object[] {
  return [...byModality].map(([modality, tokenCount]) => ({ modality, tokenCount }));
}

/** Usage after this many tokens of response and thoughts, as an honest provider reports it. */
export function trueGeminiUsage({ prompt, cached }: GenerateJob, responseTokens: number, thoughtTokens: number): Usage {
  return {
    promptTokenCount: prompt.total,
    ...(responseTokens > 0 && { candidatesTokenCount: responseTokens }),
    totalTokenCount: prompt.total + responseTokens + thoughtTokens,
    ...(cached > 0 && { cachedContentTokenCount: cached }),
    promptTokensDetails: details(prompt.byModality),
    ...(cached > 0 && { cacheTokensDetails: details([["TEXT", cached]]) }),
    ...(thoughtTokens > 0 && { thoughtsTokenCount: thoughtTokens }),
  };
}

/** Tokens of all candidates: content and thoughts. */
export function totalsOf({ candidates }: GenerateJob): { response: number; thoughts: number } {
  let response = 0;
  let thoughts = 0;
  for (const { tokens } of candidates) {
    response += tokens.text;
    thoughts += tokens.reasoning;
  }
  return { response, thoughts };
}

/** The usage reported to the client. */
export function usageReport(job: GenerateJob, responseTokens: number, thoughtTokens: number): Usage | undefined {
  return reportedUsage(trueGeminiUsage(job, responseTokens, thoughtTokens), job.call.faults);
}
