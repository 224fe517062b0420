import { type Candidate, candidateOf, textOf } from "../../content/candidate.ts";
import { steeringOf } from "../../content/steer.ts";
import { reportedUsage } from "../../faults/usage.ts";
import type { Call, Reply, StreamEvent } from "../../http/types.ts";
import type { Usage } from "../../usage.ts";
import { rejectBedrock } from "../protocol.ts";
import { type CacheUse, useCache } from "./cache.ts";
import { brokenRule, type ConverseRequest, converseSchema } from "./schema.ts";
import { promptSteps, turnOf } from "./turn.ts";

/** Models that are served, without the prefix of an inference profile. */
export const converseModels = [
  "amazon.nova-2-lite-v1:0",
  "amazon.nova-pro-v1:0",
  "amazon.nova-lite-v1:0",
  "amazon.nova-micro-v1:0",
  "meta.llama4-maverick-17b-instruct-v1:0",
  "mistral.mistral-large-3-675b-instruct",
] as const;

const cachesPrompts = (model: string): boolean => /^amazon\.nova-(?:micro|lite|pro|premier)-v1/.test(model);

const defaultMaxTokens = 8_192;
const stopReasons = { stop: "end_turn", length: "max_tokens", tools: "tool_use", filter: "content_filtered" } as const;

function checked(call: Call): ConverseRequest {
  const name = call.model?.replace(/^(?:us|eu|apac|jp|au|global)\./, "");
  if (!converseModels.some((model) => model === name)) throw rejectBedrock("The provided model identifier is invalid.");
  const parsed = converseSchema.safeParse(call.body);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw rejectBedrock(`${issue?.path.join(".")}: ${issue?.message}`);
  }
  const broken = brokenRule(parsed.data, cachesPrompts(name ?? ""));
  if (broken !== undefined) throw rejectBedrock(broken);
  return parsed.data;
}

/** https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_TokenUsage.html */
function converseUsageOf({ uncached, read, written }: CacheUse, { tokens }: Candidate): Usage {
  return {
    inputTokens: uncached,
    outputTokens: tokens.text,
    totalTokens: uncached + read + written + tokens.text,
    cacheReadInputTokens: read,
    cacheWriteInputTokens: written,
  };
}

function endingOf({ faults }: Call, { finish, stoppedBy }: Candidate): string {
  if (faults["end-reason"] !== undefined) return faults["end-reason"];
  return finish === "stop" && stoppedBy !== undefined ? "stop_sequence" : stopReasons[finish];
}

function contentOf({ content, calls }: Candidate): object[] {
  const text = textOf(content);
  return [
    ...(text === "" ? [] : [{ text }]),
    ...calls.map(({ id, name, input }) => ({ toolUse: { toolUseId: id, name, input: parsed(textOf(input)) } })),
  ];
}

/** The input of a call; empty if a token limit truncated it. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

const event = (name: string, data: object, tokens = 0): StreamEvent => ({
  event: name,
  data: JSON.stringify({ ...data, p: "abcdefgh" }),
  tokens,
});

function* eventsOf(candidate: Candidate, stopReason: string, usage: Usage | undefined): Generator<StreamEvent> {
  let contentBlockIndex = 0;
  yield event("messageStart", { role: "assistant" });
  for (const { text, tokens } of candidate.content)
    yield event("contentBlockDelta", { contentBlockIndex, delta: { text } }, tokens);
  if (candidate.content.length > 0) yield event("contentBlockStop", { contentBlockIndex: contentBlockIndex++ });
  for (const { id, name, nameTokens, input } of candidate.calls) {
    yield event("contentBlockStart", { contentBlockIndex, start: { toolUse: { toolUseId: id, name } } }, nameTokens);
    for (const { text, tokens } of input)
      yield event("contentBlockDelta", { contentBlockIndex, delta: { toolUse: { input: text } } }, tokens);
    yield event("contentBlockStop", { contentBlockIndex: contentBlockIndex++ });
  }
  yield { ...event("messageStop", { stopReason }), terminator: true };
  yield { ...event("metadata", { ...(usage && { usage }), metrics: { latencyMs: 640 } }), usage };
}

/** `POST /model/{id}/converse` and `/converse-stream` */
export function converse(call: Call, streams: boolean): Reply {
  const request = checked(call);
  const turn = turnOf(call, request);
  if (steeringOf(turn.userText).blocked) throw rejectBedrock("The request was blocked by content filtering policy.");
  const { maxTokens = defaultMaxTokens, stopSequences = [] } = request.inferenceConfig ?? {};
  const candidate = candidateOf(turn, 0, { maxTokens, stop: stopSequences, newCallId: () => call.newId("tooluse_") });
  const trueUsage = converseUsageOf(useCache(promptSteps(request), call), candidate);
  const usage = reportedUsage(trueUsage, call.faults);
  const stopReason = endingOf(call, candidate);
  if (streams) return { type: "events", framing: "aws", events: eventsOf(candidate, stopReason, usage), trueUsage };
  const body = {
    metrics: { latencyMs: 640 },
    output: { message: { role: "assistant", content: contentOf(candidate) } },
    stopReason,
    ...(usage !== undefined && { usage }),
  };
  return { type: "json", status: 200, body, usage, trueUsage, tokens: candidate.tokens.text };
}
