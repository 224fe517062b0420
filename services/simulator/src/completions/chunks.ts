import { randomFrom } from "../content/hash.ts";
import type { Piece } from "../content/tokens.ts";
import { wordsOf } from "../content/words.ts";
import { reportedUsage } from "../faults/usage.ts";
import type { StreamEvent } from "../http/types.ts";
import { type ChatJob, customToolNames } from "./answer.ts";
import type { Choice, ChoiceCall } from "./choices.ts";
import { logprobsOf } from "./logprobs.ts";

type Delta = {
  readonly delta: object;
  readonly tokens: number;
  readonly finish?: string;
  readonly logprobs?: object;
};

function* reasoningDeltas(job: ChatJob, choice: Choice): Generator<Delta> {
  if (!job.flavour.showsReasoning) return;
  for (const piece of choice.reasoning) {
    yield { delta: { content: null, reasoning_content: piece.text }, tokens: piece.tokens };
  }
}

function* textDeltas(job: ChatJob, pieces: readonly Piece[], field: "content" | "refusal"): Generator<Delta> {
  const { logprobs, top_logprobs: top } = job.request;
  for (const piece of pieces) {
    const delta = { [field]: piece.text };
    const items =
      logprobs && field === "content" ? { content: [logprobsOf(piece, top ?? 0)], refusal: null } : undefined;
    yield { delta, tokens: piece.tokens, ...(items && { logprobs: items }) };
  }
}

function* callDeltas(job: ChatJob, call: ChoiceCall, index: number): Generator<Delta> {
  const { faults } = job.call;
  const custom = customToolNames(job.request).has(call.name);
  const [type, textField] = custom ? (["custom", "input"] as const) : (["function", "arguments"] as const);
  const place = faults["tool-no-index"] === undefined ? { index } : {};
  const identity = { id: faults["tool-empty-id"] === undefined ? call.id : "", type };
  const whole = call.input.map((piece) => piece.text).join("");
  const wholeTokens = call.input.reduce((sum, piece) => sum + piece.tokens, call.nameTokens);
  if (faults["tool-whole"] !== undefined) {
    const named = { name: call.name, [textField]: whole };
    yield { delta: { tool_calls: [{ ...place, ...identity, [type]: named }] }, tokens: wholeTokens };
    return;
  }
  const opening = { ...place, ...identity, [type]: { name: call.name, [textField]: "" } };
  yield { delta: { tool_calls: [opening] }, tokens: call.nameTokens };
  for (const piece of call.input) {
    const repeats = faults["tool-repeat-id"] !== undefined;
    const part = { ...(repeats && { name: call.name }), [textField]: piece.text };
    yield { delta: { tool_calls: [{ ...place, ...(repeats && identity), [type]: part }] }, tokens: piece.tokens };
  }
}

function* deltasOf(job: ChatJob, choice: Choice): Generator<Delta> {
  const startsEmpty = choice.calls.length > 0 && choice.content.length === 0;
  const refusal = "refusal" in job.flavour.messageFields ? { refusal: null } : {};
  yield { delta: { role: "assistant", content: startsEmpty ? null : "", ...refusal }, tokens: 0 };
  yield* reasoningDeltas(job, choice);
  yield* textDeltas(job, choice.content, "content");
  yield* textDeltas(job, choice.refusal, "refusal");
  for (const [index, call] of choice.calls.entries()) yield* callDeltas(job, call, index);
  yield { delta: {}, tokens: 0, finish: choice.finish };
}

// Candidates stream side by side: one delta of each in turn.
function* interleaved(job: ChatJob): Generator<Delta & { index: number }> {
  let open = job.choices.map((choice) => ({ index: choice.index, deltas: deltasOf(job, choice) }));
  while (open.length > 0) {
    for (const { index, deltas } of open) {
      const next = deltas.next();
      if (next.done) open = open.filter((other) => other.index !== index);
      else yield { ...next.value, index };
    }
  }
}

function padding(job: ChatJob): () => object {
  const wanted = job.flavour.padsChunks && job.request.stream_options?.include_obfuscation !== false;
  const random = randomFrom(job.call.digest, "padding");
  return () =>
    wanted
      ? {
          obfuscation: wordsOf(random, 3)
            .replaceAll(" ", "")
            .slice(0, 3 + Math.floor(random() * 8)),
        }
      : {};
}

/** The events of a streamed chat completion: role, deltas, finish, usage when asked for, [DONE]. */
export function* chunksOf(job: ChatJob): Generator<StreamEvent> {
  const { call, flavour, request, counts } = job;
  const { faults } = call;
  const core = { id: job.id, object: "chat.completion.chunk", created: call.created, model: job.model.answersAs };
  const asked = request.stream_options?.include_usage === true;
  const pad = padding(job);
  const keepaliveEvery = faults["keepalive-chunk"];
  let sentTokens = 0;
  let sentChunks = 0;

  for (const { index, delta, tokens, finish, logprobs } of interleaved(job)) {
    if (keepaliveEvery !== undefined && sentChunks % Math.max(1, keepaliveEvery) === 0) {
      yield { data: JSON.stringify({ ...core, choices: [] }) };
    }
    sentChunks++;
    sentTokens += tokens;
    const choice = { index, delta, logprobs: logprobs ?? null, finish_reason: finish ?? null };
    const running =
      faults["usage-cumulative"] === undefined ? undefined : { ...counts, text: sentTokens, reasoning: 0 };
    const usage = running && reportedUsage(flavour.usage(running), faults);
    const told = usage ?? (asked ? null : undefined);
    const chunk = {
      ...core,
      ...flavour.answerFields,
      choices: [choice],
      ...(told !== undefined && { usage: told }),
      ...pad(),
    };
    yield { data: JSON.stringify(chunk), tokens, usage };
  }
  const usage = asked ? reportedUsage(flavour.usage(counts), faults) : undefined;
  if (usage !== undefined) {
    const data = JSON.stringify({ ...core, ...flavour.answerFields, choices: [], usage });
    yield { data, usage, usageOnly: true };
  }
  yield { data: "[DONE]", terminator: true };
}
