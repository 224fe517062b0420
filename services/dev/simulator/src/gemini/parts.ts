import { type Candidate, type CandidateCall, textOf } from "../content/candidate.ts";
import type { GenerateJob } from "./job.ts";
import { signatureOf } from "./signature.ts";

/** The arguments of a call; empty if a token limit truncated them. */
function argsOf(call: CandidateCall): unknown {
  try {
    return JSON.parse(textOf(call.input));
  } catch {
    return {};
  }
}

/** A function call part. The first of a turn has the thought signature on models that think. */
export function callPart(job: GenerateJob, call: CandidateCall, index: number): object {
  const args = argsOf(call);
  const signed = index === 0 && job.model.thinking !== "never";
  return {
    functionCall: { ...(job.model.needsSignatures && { id: call.id }), name: call.name, args },
    ...(signed && { thoughtSignature: signatureOf(call.name, args) }),
  };
}

/**
 * Since Gemini 3, a response without calls is signed too: in the part of its text, or at the end of
 * a stream in a part without text.
 */
export function textSignature(job: GenerateJob, { calls, content }: Candidate): object {
  if (!job.model.needsSignatures || calls.length > 0 || content.length === 0) return {};
  return { thoughtSignature: signatureOf("", {}) };
}

/** The parts of a complete candidate: thoughts if shown, text, function calls. */
export function partsOf(job: GenerateJob, candidate: Candidate): object[] {
  const thoughts = job.showsThoughts ? textOf(candidate.reasoning) : "";
  const text = textOf(candidate.content);
  return [
    ...(thoughts === "" ? [] : [{ text: thoughts, thought: true }]),
    ...(text === "" ? [] : [{ text, ...textSignature(job, candidate) }]),
    ...candidate.calls.map((call, index) => callPart(job, call, index)),
  ];
}
