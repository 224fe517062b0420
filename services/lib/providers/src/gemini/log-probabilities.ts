import { type Fields, fieldsOf, listOf, numberOf, textOf } from "../conversation/fields.ts";
import type { Conversation } from "../conversation/types.ts";

/**
 * The members of `generationConfig` that request log probabilities; none if the client does not.
 * https://ai.google.dev/api/generate-content#generationconfig
 */
export function logProbabilityFields({ openAiOptions }: Conversation): Fields {
  if (openAiOptions["logprobs"] !== true) return {};
  const top = numberOf(openAiOptions["top_logprobs"]) ?? 0;
  return { responseLogprobs: true, ...(top > 0 && { logprobs: top }) };
}

/** The log probabilities of a candidate's `logprobsResult`, one for each token, as OpenAI reports them. */
export function openAiLogprobs(result: unknown): object[] {
  const { chosenCandidates, topCandidates } = fieldsOf(result);
  const tops = listOf(topCandidates);
  return listOf(chosenCandidates).map((chosen, index) => ({
    ...logprobOf(chosen),
    top_logprobs: listOf(fieldsOf(tops[index])["candidates"]).map(logprobOf),
  }));
}

function logprobOf(candidate: unknown): object {
  const { token, logProbability } = fieldsOf(candidate);
  const text = textOf(token) ?? "";
  return { token: text, bytes: [...Buffer.from(text)], logprob: numberOf(logProbability) ?? 0 };
}
