import { randomFrom } from "../content/hash.ts";
import { wordsOf } from "../content/words.ts";
import { reportedUsage } from "../faults/usage.ts";
import type { StreamEvent } from "../http/types.ts";
import type { Usage } from "../usage.ts";
import { type Delta, interleavedDeltas } from "./deltas.ts";
import type { ChatJob } from "./job.ts";

function padding(job: ChatJob): () => object {
  const wanted = job.flavour.padsChunks && job.request.stream_options?.include_obfuscation !== false;
  const random = randomFrom(job.call.digest, "padding");
  return () => {
    if (!wanted) return {};
    const letters = wordsOf(random, 3).replaceAll(" ", "");
    return { obfuscation: letters.slice(0, 3 + Math.floor(random() * 8)) };
  };
}

function choiceOf({ index, delta, logprobs, finish }: Delta & { index: number }): object {
  return { index, delta, logprobs: logprobs ?? null, finish_reason: finish ?? null };
}

function runningUsage(job: ChatJob, tokens: number): Usage | undefined {
  if (job.call.faults["usage-cumulative"] === undefined) return undefined;
  const counts = { ...job.counts, text: tokens, reasoning: 0, audioOut: 0 };
  return reportedUsage(job.flavour.usage(counts), job.call.faults);
}

/** The events of a streamed chat completion: role, deltas, finish, usage if requested, [DONE]. */
export function* chunksOf(job: ChatJob): Generator<StreamEvent> {
  const { call, flavour, request } = job;
  const core = { id: job.id, object: "chat.completion.chunk", created: call.created, model: job.model.respondsAs };
  const requested = request.stream_options?.include_usage === true;
  const pad = padding(job);
  const keepaliveEvery = call.faults["keepalive-chunk"];
  let sentTokens = 0;
  let sentChunks = 0;
  for (const step of interleavedDeltas(job)) {
    if (keepaliveEvery !== undefined && sentChunks % Math.max(1, keepaliveEvery) === 0) {
      yield { data: JSON.stringify({ ...core, choices: [] }) };
    }
    sentChunks++;
    sentTokens += step.tokens;
    const usage = runningUsage(job, sentTokens);
    const reported = usage ?? (requested ? null : undefined);
    const chunk = {
      ...core,
      ...flavour.responseFields,
      choices: [choiceOf(step)],
      ...(reported !== undefined && { usage: reported }),
    };
    yield { data: JSON.stringify({ ...chunk, ...pad() }), tokens: step.tokens, usage };
  }
  const usage = requested ? reportedUsage(flavour.usage(job.counts), call.faults) : undefined;
  if (usage !== undefined) {
    const data = JSON.stringify({ ...core, ...flavour.responseFields, choices: [], usage });
    yield { data, usage, usageOnly: true };
  }
  yield { data: "[DONE]", terminator: true };
}
