import { type Candidate, textOf } from "../content/candidate.ts";
import { countTokens, tokensOf } from "../content/tokens.ts";
import type { Call } from "../http/types.ts";
import type { Counts } from "./flavour.ts";
import type { PromptTokens } from "./prompt-tokens.ts";
import type { ChatRequest } from "./schema.ts";
import { audioTokensPerToken } from "./speech.ts";

const cacheableFrom = 1024;
const cacheStep = 128;
const cacheLifeMs = 600_000;

/** Tokens of a prompt that are read from the cache, which then has them. */
export function cachedTokens(call: Call, prompt: PromptTokens): number {
  if (call.faults.cached !== undefined) return Math.min(call.faults.cached, prompt.total);
  if (prompt.total < cacheableFrom) return 0;
  const seen = call.cache.match(prompt.prefixes);
  call.cache.remember(prompt.prefixes, cacheLifeMs);
  return seen < cacheableFrom ? 0 : Math.floor(seen / cacheStep) * cacheStep;
}

function predictionCounts(request: ChatRequest, response: string): { accepted: number; rejected: number } {
  if (!request.prediction) return { accepted: 0, rejected: 0 };
  const { content } = request.prediction;
  const predicted = typeof content === "string" ? content : content.map((part) => part.text).join("");
  let same = 0;
  while (same < predicted.length && predicted[same] === response[same]) same++;
  const accepted = countTokens(predicted.slice(0, same));
  return { accepted, rejected: Math.max(0, countTokens(predicted) - accepted) };
}

/**
 * Counts the tokens of a complete response: the prompt once, the output of all candidates together.
 */
export function countsOf(options: {
  call: Call;
  request: ChatRequest;
  prompt: PromptTokens;
  candidates: readonly Candidate[];
  speaks: boolean;
}): Counts {
  const { call, request, prompt, candidates, speaks } = options;
  const prediction = predictionCounts(request, textOf(candidates[0]?.content ?? []));
  const sum = (count: (candidate: Candidate) => number) => candidates.reduce((total, one) => total + count(one), 0);
  return {
    prompt: prompt.total,
    cached: cachedTokens(call, prompt),
    imageIn: prompt.image,
    audioIn: prompt.audio,
    videoIn: prompt.video,
    text: sum((candidate) => candidate.tokens.text),
    audioOut: speaks ? sum((candidate) => audioTokensPerToken * tokensOf(candidate.content)) : 0,
    reasoning: sum((candidate) => candidate.tokens.reasoning),
    acceptedPrediction: prediction.accepted,
    rejectedPrediction: prediction.rejected,
  };
}
