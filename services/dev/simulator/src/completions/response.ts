import { type Candidate, candidateOf, textOf } from "../content/candidate.ts";
import { reportedUsage } from "../faults/usage.ts";
import type { Call, Reply } from "../http/types.ts";
import type { Usage } from "../usage.ts";
import { chunksOf } from "./chunks.ts";
import { countsOf } from "./counts.ts";
import type { ChatFlavour, ChatModel } from "./flavour.ts";
import { type ChatJob, customToolNames, finishReasonOf } from "./job.ts";
import { logprobsOf } from "./logprobs.ts";
import type { PromptTokens } from "./prompt-tokens.ts";
import type { ChatRequest } from "./schema.ts";
import { encodedSpeech, speechLimits } from "./speech.ts";
import { turnOf } from "./turn.ts";

const audioLifeSeconds = 3600;

function spokenPart(job: ChatJob, candidate: Candidate): object {
  return {
    audio: {
      id: job.call.newId("audio_"),
      data: encodedSpeech(candidate.content, job.request.audio?.format ?? "wav"),
      expires_at: Math.floor(Date.now() / 1000) + audioLifeSeconds,
      transcript: textOf(candidate.content),
    },
  };
}

function messageOf(job: ChatJob, candidate: Candidate): object {
  const { flavour, customTools } = job;
  const text = textOf(candidate.content);
  const calls = candidate.calls.map(({ id, name, input }) =>
    customTools.has(name)
      ? { id, type: "custom", custom: { name, input: textOf(input) } }
      : { id, type: "function", function: { name, arguments: textOf(input) } },
  );
  const hasText = text !== "" || (calls.length === 0 && candidate.refusal.length === 0);
  const shown = flavour.showsReasoning && candidate.reasoning.length > 0;
  const refuses = "refusal" in flavour.messageFields && candidate.refusal.length > 0;
  return {
    role: "assistant",
    content: hasText && !job.speaks ? text : null,
    ...(shown && { reasoning_content: textOf(candidate.reasoning) }),
    ...flavour.messageFields,
    ...(refuses && { refusal: textOf(candidate.refusal) }),
    ...(calls.length > 0 && { tool_calls: calls }),
    ...(job.speaks && spokenPart(job, candidate)),
  };
}

function choiceBody(job: ChatJob, candidate: Candidate): object {
  const { logprobs, top_logprobs: top } = job.request;
  const content = logprobs ? candidate.content.map((piece) => logprobsOf(piece, top ?? 0)) : undefined;
  return {
    index: candidate.index,
    message: messageOf(job, candidate),
    logprobs: content === undefined ? null : { content, refusal: null },
    finish_reason: finishReasonOf(candidate),
  };
}

function jsonReply(job: ChatJob, trueUsage: Usage): Reply {
  const usage = reportedUsage(trueUsage, job.call.faults);
  const { showsReasoning, responseFields } = job.flavour;
  const body = {
    id: job.id,
    object: "chat.completion",
    created: job.call.created,
    model: job.model.respondsAs,
    choices: job.candidates.map((candidate) => choiceBody(job, candidate)),
    ...(usage !== undefined && { usage }),
    ...responseFields,
  };
  const tokens = job.counts.text + (showsReasoning ? job.counts.reasoning : 0);
  return { type: "json", status: 200, body, usage, trueUsage, tokens, responseId: job.id };
}

/** Responds to a validated chat completion request, streamed or not. */
export function respondChat(options: {
  call: Call;
  request: ChatRequest;
  model: ChatModel;
  flavour: ChatFlavour;
  prompt: PromptTokens;
  /** Limit for reasoning and response together, without audio next to the text. */
  maxTokens: number;
  /** Whether the model reasons; by default a reasoning model does. */
  thinks?: boolean;
}): Reply {
  const { call, request, model, flavour, prompt } = options;
  const turn = turnOf(call, request, options);
  const stop = typeof request.stop === "string" ? [request.stop] : (request.stop ?? []);
  const customTools = customToolNames(request);
  const { huge } = call.faults;
  const speaks = request.modalities?.includes("audio") === true;
  const limits = {
    maxTokens: options.maxTokens,
    ...(speaks && speechLimits(flavour, model, options.maxTokens)),
    stop,
    newCallId: () => call.newId(flavour.toolCallIdPrefix),
    freeTextTools: customTools,
    huge: huge === undefined ? undefined : { mebibytes: huge, pieceKibibytes: call.faults["huge-chunk"] ?? 16 },
  };
  const candidates = Array.from({ length: request.n ?? 1 }, (_, index) => candidateOf(turn, index, limits));
  const counts = countsOf({ call, request, prompt, candidates, speaks });
  const id = call.newId(flavour.responseIdPrefix);
  const job: ChatJob = { call, request, model, flavour, candidates, counts, id, customTools, speaks };
  const trueUsage = flavour.usage(counts);
  if (!request.stream) return jsonReply(job, trueUsage);
  return { type: "events", framing: "sse", events: chunksOf(job), trueUsage, responseId: id };
}
