import { countTokens } from "../content/tokens.ts";
import { reportedUsage } from "../faults/usage.ts";
import type { Call, Reply, Usage } from "../http/types.ts";
import { askOf } from "./ask.ts";
import { type Choice, choiceOf, textOfPieces } from "./choices.ts";
import { chunksOf } from "./chunks.ts";
import type { ChatFlavour, ChatModel, Counts } from "./flavour.ts";
import { logprobsOf } from "./logprobs.ts";
import type { PromptTokens } from "./prompt-tokens.ts";
import type { ChatRequest } from "./schema.ts";

/** A request that passed all checks, and what it is answered with. */
export type ChatJob = {
  readonly call: Call;
  readonly request: ChatRequest;
  readonly model: ChatModel;
  readonly flavour: ChatFlavour;
  readonly prompt: PromptTokens;
  readonly choices: readonly Choice[];
  readonly counts: Counts;
  readonly id: string;
};

const cacheableFrom = 1024;
const cacheStep = 128;
const cacheLifeMs = 600_000;

function cachedTokens(call: Call, prompt: PromptTokens): number {
  if (call.faults.cached !== undefined) return Math.min(call.faults.cached, prompt.total);
  if (prompt.total < cacheableFrom) return 0;
  const seen = call.cache.matchAndRemember(prompt.prefixes, cacheLifeMs);
  return seen < cacheableFrom ? 0 : Math.floor(seen / cacheStep) * cacheStep;
}

function predictionCounts(request: ChatRequest, answer: string): { accepted: number; rejected: number } {
  if (!request.prediction) return { accepted: 0, rejected: 0 };
  const { content } = request.prediction;
  const predicted = typeof content === "string" ? content : content.map((part) => part.text).join("");
  let same = 0;
  while (same < predicted.length && predicted[same] === answer[same]) same++;
  const accepted = countTokens(predicted.slice(0, same));
  return { accepted, rejected: Math.max(0, countTokens(predicted) - accepted) };
}

function countsOf(call: Call, request: ChatRequest, prompt: PromptTokens, choices: readonly Choice[]): Counts {
  const prediction = predictionCounts(request, textOfPieces(choices[0]?.content ?? []));
  return {
    prompt: prompt.total,
    cached: cachedTokens(call, prompt),
    imageIn: prompt.image,
    audioIn: prompt.audio,
    videoIn: prompt.video,
    text: choices.reduce((sum, choice) => sum + choice.tokens.text, 0),
    audioOut: 0,
    reasoning: choices.reduce((sum, choice) => sum + choice.tokens.reasoning, 0),
    acceptedPrediction: prediction.accepted,
    rejectedPrediction: prediction.rejected,
  };
}

function messageOf(job: ChatJob, choice: Choice): object {
  const { flavour, request } = job;
  const custom = customToolNames(request);
  const text = textOfPieces(choice.content);
  const calls = choice.calls.map(({ id, name, input }) =>
    custom.has(name)
      ? { id, type: "custom", custom: { name, input: textOfPieces(input) } }
      : { id, type: "function", function: { name, arguments: textOfPieces(input) } },
  );
  const hasText = text !== "" || (calls.length === 0 && choice.refusal.length === 0);
  return {
    role: "assistant",
    content: hasText ? text : null,
    ...(flavour.showsReasoning && choice.reasoning.length > 0 && { reasoning_content: textOfPieces(choice.reasoning) }),
    ...flavour.messageFields,
    ...("refusal" in flavour.messageFields && choice.refusal.length > 0 && { refusal: textOfPieces(choice.refusal) }),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
}

function choiceBody(job: ChatJob, choice: Choice): object {
  const { request } = job;
  const content = request.logprobs ? choice.content.map((piece) => logprobsOf(piece, request.top_logprobs ?? 0)) : null;
  return {
    index: choice.index,
    message: messageOf(job, choice),
    logprobs: content === null ? null : { content, refusal: null },
    finish_reason: choice.finish,
  };
}

/** Names of the custom tools of a request. */
export function customToolNames(request: ChatRequest): Set<string> {
  return new Set((request.tools ?? []).flatMap((tool) => (tool.type === "custom" ? [tool.custom.name] : [])));
}

function jsonReply(job: ChatJob, trueUsage: Usage): Reply {
  const usage = reportedUsage(trueUsage, job.call.faults);
  const body = {
    id: job.id,
    object: "chat.completion",
    created: job.call.created,
    model: job.model.answersAs,
    choices: job.choices.map((choice) => choiceBody(job, choice)),
    ...(usage !== undefined && { usage }),
    ...job.flavour.answerFields,
  };
  const tokens = job.choices.reduce((sum, choice) => sum + deliveredTokens(job, choice), 0);
  return { type: "json", status: 200, body, usage, trueUsage, tokens, answerId: job.id };
}

function deliveredTokens(job: ChatJob, choice: Choice): number {
  return choice.tokens.text + (job.flavour.showsReasoning ? choice.tokens.reasoning : 0);
}

/** Answers a checked chat completion request, whole or as a stream. */
export function answerChat(options: {
  call: Call;
  request: ChatRequest;
  model: ChatModel;
  flavour: ChatFlavour;
  prompt: PromptTokens;
  /** Reasoning and answer together. */
  maxTokens: number;
  /** Whether the model reasons; a reasoning model does unless told otherwise. */
  thinks?: boolean;
}): Reply {
  const { call, request, model, flavour, prompt } = options;
  const ask = askOf(call, request, model, options.thinks);
  const stop = typeof request.stop === "string" ? [request.stop] : (request.stop ?? []);
  const limits = {
    maxTokens: options.maxTokens,
    stop: model.efforts === undefined ? stop : [],
    newCallId: () => call.newId(flavour.toolCallIdPrefix),
    customTools: customToolNames(request),
  };
  const choices = Array.from({ length: request.n ?? 1 }, (_, index) => choiceOf(call, ask, index, limits));
  const counts = countsOf(call, request, prompt, choices);
  const id = call.newId(flavour.answerIdPrefix);
  const job: ChatJob = { call, request, model, flavour, prompt, choices, counts, id };
  const trueUsage = flavour.usage(counts);
  if (!request.stream) return jsonReply(job, trueUsage);
  return { type: "events", framing: "sse", events: chunksOf(job), trueUsage, answerId: id };
}
