import type { Candidate, CandidateCall } from "../content/candidate.ts";
import type { Piece } from "../content/tokens.ts";
import { type ChatJob, finishReasonOf } from "./job.ts";
import { logprobsOf } from "./logprobs.ts";
import { speechFor } from "./speech.ts";

/** One step of one choice of a stream. */
export interface Delta {
  readonly delta: object;
  readonly tokens: number;
  readonly finish?: string;
  readonly logprobs?: object;
}

function* reasoningDeltas(job: ChatJob, candidate: Candidate): Generator<Delta> {
  if (!job.flavour.showsReasoning) return;
  for (const piece of candidate.reasoning) {
    yield { delta: { content: null, reasoning_content: piece.text }, tokens: piece.tokens };
  }
}

function* textDeltas(job: ChatJob, pieces: readonly Piece[], field: "content" | "refusal"): Generator<Delta> {
  const { logprobs, top_logprobs: top } = job.request;
  for (const piece of pieces) {
    const items = logprobs && field === "content" ? [logprobsOf(piece, top ?? 0)] : undefined;
    const reported = items && { logprobs: { content: items, refusal: null } };
    yield { delta: { [field]: piece.text }, tokens: piece.tokens, ...reported };
  }
}

// OpenAI sends audio instead of text, with the words as a transcript; Qwen-Omni sends text, with
// audio next to it.
function* spokenDeltas(job: ChatJob, pieces: readonly Piece[]): Generator<Delta> {
  const id = job.call.newId("audio_");
  const expiresAt = Math.floor(Date.now() / 1000) + 3600;
  const asTranscript = job.flavour.speech === "transcript";
  if (asTranscript) yield { delta: { audio: { id, transcript: "" } }, tokens: 0 };
  for (const piece of pieces) {
    const data = speechFor([piece]).toString("base64");
    const words = asTranscript ? { audio: { transcript: piece.text } } : { content: piece.text };
    yield { delta: words, tokens: piece.tokens };
    yield { delta: { audio: asTranscript ? { data } : { data, id, expires_at: expiresAt } }, tokens: 0 };
  }
  if (asTranscript) yield { delta: { audio: { expires_at: expiresAt } }, tokens: 0 };
}

function* callDeltas(job: ChatJob, call: CandidateCall, index: number): Generator<Delta> {
  const { faults } = job.call;
  const [type, textField] = job.customTools.has(call.name)
    ? (["custom", "input"] as const)
    : (["function", "arguments"] as const);
  const place = faults["tool-no-index"] === undefined ? { index } : {};
  const identity = { id: faults["tool-empty-id"] === undefined ? call.id : "", type };
  if (faults["tool-whole"] !== undefined) {
    const whole = call.input.map((piece) => piece.text).join("");
    const tokens = call.input.reduce((sum, piece) => sum + piece.tokens, call.nameTokens);
    yield {
      delta: { tool_calls: [{ ...place, ...identity, [type]: { name: call.name, [textField]: whole } }] },
      tokens,
    };
    return;
  }
  const opening = { ...place, ...identity, [type]: { name: call.name, [textField]: "" } };
  yield { delta: { tool_calls: [opening] }, tokens: call.nameTokens };
  const repeats = faults["tool-repeat-id"] !== undefined;
  for (const piece of call.input) {
    const part = { ...(repeats && { name: call.name }), [textField]: piece.text };
    yield { delta: { tool_calls: [{ ...place, ...(repeats && identity), [type]: part }] }, tokens: piece.tokens };
  }
}

function* deltasOf(job: ChatJob, candidate: Candidate): Generator<Delta> {
  const startsEmpty = candidate.calls.length > 0 && candidate.content.length === 0;
  const refusal = "refusal" in job.flavour.messageFields ? { refusal: null } : {};
  yield { delta: { role: "assistant", content: startsEmpty ? null : "", ...refusal }, tokens: 0 };
  yield* reasoningDeltas(job, candidate);
  if (job.speaks) yield* spokenDeltas(job, candidate.content);
  else yield* textDeltas(job, candidate.content, "content");
  yield* textDeltas(job, candidate.refusal, "refusal");
  for (const [index, call] of candidate.calls.entries()) yield* callDeltas(job, call, index);
  yield { delta: {}, tokens: 0, finish: finishReasonOf(candidate) };
}

/** The deltas of all candidates interleaved: one of each in turn. */
export function* interleavedDeltas(job: ChatJob): Generator<Delta & { index: number }> {
  let open = job.candidates.map((candidate) => ({ index: candidate.index, deltas: deltasOf(job, candidate) }));
  while (open.length > 0) {
    for (const { index, deltas } of open) {
      const next = deltas.next();
      if (next.done) open = open.filter((other) => other.index !== index);
      else yield { ...next.value, index };
    }
  }
}
