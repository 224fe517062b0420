import { type Candidate, candidateOf, textOf } from "../content/candidate.ts";
import { steeringOf } from "../content/steer.ts";
import { reportedUsage } from "../faults/usage.ts";
import type { Call } from "../http/types.ts";
import type { Usage } from "../usage.ts";
import { type CacheUse, useCache } from "./cache.ts";
import type { AnthropicModel } from "./models.ts";
import type { Prompt } from "./prompt.ts";
import type { MessagesRequest } from "./schema.ts";
import { signatureOf } from "./signature.ts";
import { inputOfUses, type ToolUse, toolUseBlocks, toolUsesOf } from "./tool-uses.ts";
import { turnOf } from "./turn.ts";

/** A validated request, with its response. */
export interface MessageJob {
  readonly call: Call;
  readonly id: string;
  readonly modelId: string;
  readonly candidate: Candidate;
  readonly cacheUse: CacheUse;
  /** Uses of the provider's own tools, and their blocks. */
  readonly uses: readonly ToolUse[];
  readonly useBlocks: readonly object[];
  /** Thinking is sent without its text, only with its signature. */
  readonly hidesThinking: boolean;
}

const stopReasons = { stop: "end_turn", length: "max_tokens", tools: "tool_use", filter: "refusal" } as const;

/** Decides the response to a validated request. */
export function jobFor(call: Call, request: MessagesRequest, model: AnthropicModel, prompt: Prompt): MessageJob {
  const { huge } = call.faults;
  const turn = turnOf(call, request, model);
  const uses = toolUsesOf(request, steeringOf(turn.userText));
  const candidate = candidateOf(turn, 0, {
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
    uses,
    useBlocks: toolUseBlocks(uses, (prefix) => call.newId(prefix)),
    hidesThinking: request.thinking?.["display"] === "omitted",
  };
}

/**
 * The usage of a response with this many output tokens, as an honest provider reports it; at the
 * beginning without tool uses.
 */
export function trueMessageUsage(
  { cacheUse, candidate, uses }: MessageJob,
  outputTokens: number,
  begun = false,
): Usage {
  const { reasoning } = candidate.tokens;
  const { uncached, read, written5m, written1h } = cacheUse;
  const done = begun ? [] : uses;
  const count = (kind: ToolUse): number => done.filter((use) => use === kind).length;
  return {
    input_tokens: uncached + inputOfUses(done, uncached + read + written5m + written1h, outputTokens),
    cache_creation_input_tokens: written5m + written1h,
    cache_read_input_tokens: read,
    cache_creation: { ephemeral_5m_input_tokens: written5m, ephemeral_1h_input_tokens: written1h },
    output_tokens: outputTokens,
    output_tokens_details: reasoning > 0 && outputTokens >= reasoning ? { thinking_tokens: reasoning } : null,
    server_tool_use:
      done.length > 0 ? { web_search_requests: count("search"), web_fetch_requests: count("fetch") } : null,
    service_tier: "standard",
  };
}

export function outputTokensOf({ candidate }: MessageJob): number {
  return candidate.tokens.reasoning + candidate.tokens.text;
}

/** Why the response ended: reason, stop sequence, and details of a refusal. */
export function ending({ call, candidate }: MessageJob): object {
  const chosen = call.faults["end-reason"];
  if (chosen !== undefined) return { stop_reason: chosen, stop_sequence: null };
  const refused = candidate.refusal.length > 0 || candidate.finish === "filter";
  const explanation = textOf(candidate.refusal) || "The response was withheld.";
  const stopped = candidate.stoppedBy !== undefined && candidate.finish === "stop";
  return {
    stop_reason: refused ? "refusal" : stopped ? "stop_sequence" : stopReasons[candidate.finish],
    stop_sequence: stopped ? candidate.stoppedBy : null,
    ...(refused && { stop_details: { type: "refusal", category: null, explanation } }),
  };
}

/** The input of a tool call; empty if a token limit truncated it. */
function inputOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

/** The complete content of a response. */
export function contentOf({ candidate, hidesThinking, useBlocks }: MessageJob): object[] {
  const thinking = textOf(candidate.reasoning);
  const text = textOf(candidate.content);
  return [
    ...(thinking === ""
      ? []
      : [{ type: "thinking", thinking: hidesThinking ? "" : thinking, signature: signatureOf(thinking) }]),
    ...useBlocks,
    ...(text === "" ? [] : [{ type: "text", text }]),
    ...candidate.calls.map(({ id, name, input }) => ({ type: "tool_use", id, name, input: inputOf(textOf(input)) })),
  ];
}

/** The usage reported to the client. */
export function usageReport(job: MessageJob, outputTokens: number, begun = false): Usage | undefined {
  return reportedUsage(trueMessageUsage(job, outputTokens, begun), job.call.faults);
}
