import type { Conversation } from "../conversation/types.ts";
import type { OpenAiContext } from "./messages.ts";

/** OpenAI accepts at most this many stop sequences. */
const maxStops = 4;

type Takes = (parameter: string) => boolean;

/** The sampling parameters that the model takes. */
export function samplingFields({ sampling, stop }: Conversation, { variant }: OpenAiContext, takes: Takes): object {
  const fields = {
    temperature: sampling.temperature,
    top_p: sampling.topP,
    top_k: variant.takesTopK ? sampling.topK : undefined,
    stop: stop.length > 0 ? stop.slice(0, maxStops) : undefined,
    presence_penalty: sampling.presencePenalty,
    frequency_penalty: sampling.frequencyPenalty,
  };
  return Object.fromEntries(Object.entries(fields).filter(([name, value]) => value !== undefined && takes(name)));
}

/** Options of OpenAI's own that the provider takes; log probabilities if the model does too. */
export function optionFields(
  { openAiOptions }: Conversation,
  { upstream: { provider } }: OpenAiContext,
  takes: Takes,
): object {
  const taken = Object.entries(openAiOptions).filter(([name]) => {
    if (name === "logprobs" || name === "top_logprobs") return provider.openAiOptions.has("logprobs") && takes(name);
    return (provider.openAiOptions as ReadonlySet<string>).has(name);
  });
  return Object.fromEntries(taken);
}
