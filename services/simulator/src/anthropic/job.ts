import { type Candidate, candidateOf, textOf } from "../content/candidate.ts";
import { reportedUsage } from "../faults/usage.ts";
import type { Call, Usage } from "../http/types.ts";
import { askOf } from "./ask.ts";
import { type CacheUse, useCache } from "./cache.ts";
import type { AnthropicModel } from "./models.ts";
import type { Prompt } from "./prompt.ts";
import type { MessagesRequest } from "./schema.ts";
import { signatureOf } from "./signature.ts";

/** A checked request, and what it is answered with. */
export type MessageJob = {
  readonly call: Call;
  readonly id: string;
  readonly modelId: string;
  readonly candidate: Candidate;
  readonly cacheUse: CacheUse;
  /** Thinking goes out without its text, signed alone. */
  readonly hidesThinking: boolean;
};

const stopReasons = { stop: "end_turn", length: "max_tokens", tools: "tool_use", filter: "refusal" } as const;

/** Decides the answer to a checked request. */
export function jobFor(call: Call, request: MessagesRequest, model: AnthropicModel, prompt: Prompt): MessageJob {
  const { huge } = call.faults;
  const candidate = candidateOf(askOf(call, request, model), 0, {
    maxTokens: huge === undefined ? request.max_tokens : Number.POSITIVE_INFINITY,
    stop: request.stop_sequences ?? [],
    newCallId: () => call.newId("toolu_01"),
    huge: huge === undefined ? undefined : { mebibytes: huge, pieceKibibytes: call.faults["huge-chunk"] ?? 16 },
  });
  return {
    call,
    id: call.newId("msg_01"),
    modelId: model.id,
    candidate,
    cacheUse: useCache(prompt, model, call.cache, call.faults.cached),
    hidesThinking: request.thinking?.["display"] === "omitted",
  };
}

/** The usage of an answer with so many output tokens, as an honest provider tells it. */
export function usageOf({ cacheUse, candidate }: MessageJob, outputTokens: number): Usage {
  const { reasoning } = candidate.tokens;
  return {
    input_tokens: cacheUse.uncached,
    cache_creation_input_tokens: cacheUse.written5m + cacheUse.written1h,
    cache_read_input_tokens: cacheUse.read,
    cache_creation: { ephemeral_5m_input_tokens: cacheUse.written5m, ephemeral_1h_input_tokens: cacheUse.written1h },
    output_tokens: outputTokens,
    output_tokens_details: reasoning > 0 && outputTokens >= reasoning ? { thinking_tokens: reasoning } : null,
    server_tool_use: null,
    service_tier: "standard",
  };
}

export function outputTokensOf({ candidate }: MessageJob): number {
  return candidate.tokens.reasoning + candidate.tokens.text;
}

/** Why the answer ended: reason, stop sequence, and details of a refusal. */
export function ending({ candidate }: MessageJob): object {
  const refused = candidate.refusal.length > 0 || candidate.finish === "filter";
  const explanation = textOf(candidate.refusal) || "The answer was withheld.";
  const stopped = candidate.stoppedBy !== undefined && candidate.finish === "stop";
  return {
    stop_reason: refused ? "refusal" : stopped ? "stop_sequence" : stopReasons[candidate.finish],
    stop_sequence: stopped ? candidate.stoppedBy : null,
    ...(refused && { stop_details: { type: "refusal", category: null, explanation } }),
  };
}

/** The input of a tool call; what a token limit cut is an empty input. */
function inputOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

/** The whole content of an answer. */
export function contentOf({ candidate, hidesThinking }: MessageJob): object[] {
  const thinking = textOf(candidate.reasoning);
  const text = textOf(candidate.content);
  return [
    ...(thinking === ""
      ? []
      : [{ type: "thinking", thinking: hidesThinking ? "" : thinking, signature: signatureOf(thinking) }]),
    ...(text === "" ? [] : [{ type: "text", text }]),
    ...candidate.calls.map(({ id, name, input }) => ({ type: "tool_use", id, name, input: inputOf(textOf(input)) })),
  ];
}

/** The usage that the client is told. */
export function toldUsage(job: MessageJob, outputTokens: number): Usage | undefined {
  return reportedUsage(usageOf(job, outputTokens), job.call.faults);
}
