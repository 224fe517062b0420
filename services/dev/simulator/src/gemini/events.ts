import type { Candidate } from "../content/candidate.ts";
import type { StreamEvent } from "../http/types.ts";
import { endingOf, type GenerateJob, usageReport } from "./job.ts";
import { logprobsResult } from "./logprobs.ts";
import { callPart, textSignature } from "./parts.ts";

interface Step {
  readonly part: object;
  readonly shown: number;
  readonly response: number;
  readonly thoughts: number;
  /** The tokens of a part of the text. */
  readonly pieces?: Candidate["content"];
}

const groupSize = 4;

// Google sends a few tokens at a time; a function call is sent as a whole.
function* stepsOf(job: GenerateJob, candidate: Candidate): Generator<Step> {
  for (const kind of ["reasoning", "content"] as const) {
    const pieces = candidate[kind];
    for (let at = 0; at < pieces.length; at += groupSize) {
      const group = pieces.slice(at, at + groupSize);
      const text = group.map((piece) => piece.text).join("");
      const tokens = group.reduce((sum, piece) => sum + piece.tokens, 0);
      if (kind === "content") yield { part: { text }, shown: tokens, response: tokens, thoughts: 0, pieces: group };
      else if (job.showsThoughts) yield { part: { text, thought: true }, shown: tokens, response: 0, thoughts: tokens };
    }
  }
  for (const [index, call] of candidate.calls.entries()) {
    const tokens = call.input.reduce((sum, piece) => sum + piece.tokens, call.nameTokens);
    yield { part: callPart(job, call, index), shown: tokens, response: tokens, thoughts: 0 };
  }
}

function eventOf(job: GenerateJob, candidate: object, usage: StreamEvent["usage"], tokens: number): StreamEvent {
  const body = {
    candidates: [candidate],
    ...(usage !== undefined && { usageMetadata: usage }),
    modelVersion: job.model.id,
    responseId: job.responseId,
  };
  return { data: JSON.stringify(body), tokens, usage };
}

/**
 * The events of a stream: each a complete response with some of the parts and the usage so far; the
 * last one finishes.
 */
export function* eventsOf(job: GenerateJob): Generator<StreamEvent> {
  let response = 0;
  let thoughts = 0;
  for (const candidate of job.candidates) {
    const hidden = job.showsThoughts ? 0 : candidate.tokens.reasoning;
    thoughts += hidden;
    const { index } = candidate;
    for (const step of stepsOf(job, candidate)) {
      response += step.response;
      thoughts += step.thoughts;
      const content = { parts: [step.part], role: "model" };
      yield eventOf(
        job,
        { content, index, ...logprobsResult(job, step.pieces ?? []) },
        usageReport(job, response, thoughts),
        step.shown,
      );
    }
    const refusalTokens = candidate.refusal.reduce((sum, piece) => sum + piece.tokens, 0);
    response += refusalTokens;
    const finish = {
      content: { parts: [{ text: "", ...textSignature(job, candidate) }], role: "model" },
      ...endingOf(job, candidate),
      index,
    };
    yield eventOf(job, finish, usageReport(job, response, thoughts), 0);
  }
}
