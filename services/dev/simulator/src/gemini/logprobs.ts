import { type LogprobItem, logprobsOf } from "../completions/logprobs.ts";
import type { Piece } from "../content/tokens.ts";
import type { GenerateJob } from "./job.ts";

type TokenLogprob = Pick<LogprobItem, "token" | "logprob">;

const candidateOf = ({ token, logprob }: TokenLogprob): object => ({ token, logProbability: logprob });

/** A candidate's `logprobsResult` for these tokens, if it was requested. */
export function logprobsResult({ logprobs: top }: GenerateJob, pieces: readonly Piece[]): object {
  if (top === undefined || pieces.length === 0) return {};
  const items = pieces.map((piece) => logprobsOf(piece, top));
  const topCandidates = items.map((item) => ({ candidates: item.top_logprobs.map(candidateOf) }));
  return { logprobsResult: { chosenCandidates: items.map(candidateOf), ...(top > 0 && { topCandidates }) } };
}
