import type { ResponseEvent } from "../../conversation/events.ts";

/** A choice's member `logprobs` for the text of a chunk; none without log probabilities. */
export function chatLogprobs(event: ResponseEvent): object {
  if (event.type !== "text" || event.logprobs === undefined || event.logprobs.length === 0) return {};
  return { logprobs: { content: event.logprobs, refusal: null } };
}
