import type { Piece } from "../content/tokens.ts";
import type { StreamEvent } from "../http/types.ts";
import { ending, type MessageJob, outputTokensOf, usageReport } from "./job.ts";
import { signatureOf } from "./signature.ts";

function event(type: string, fields: object, tokens = 0): StreamEvent {
  return { event: type, data: JSON.stringify({ type, ...fields }), tokens };
}

function delta(index: number, fields: object, tokens = 0): StreamEvent {
  return event("content_block_delta", { index, delta: fields }, tokens);
}

function* textBlock(index: number, pieces: readonly Piece[]): Generator<StreamEvent> {
  yield event("content_block_start", { index, content_block: { type: "text", text: "" } });
  for (const { text, tokens } of pieces) yield delta(index, { type: "text_delta", text }, tokens);
  yield event("content_block_stop", { index });
}

function* thinkingBlock(job: MessageJob, index: number): Generator<StreamEvent> {
  const pieces = job.candidate.reasoning;
  yield event("content_block_start", { index, content_block: { type: "thinking", thinking: "", signature: "" } });
  if (!job.hidesThinking) {
    for (const { text, tokens } of pieces) yield delta(index, { type: "thinking_delta", thinking: text }, tokens);
  }
  const signature = signatureOf(pieces.map((piece) => piece.text).join(""));
  yield delta(index, { type: "signature_delta", signature });
  yield event("content_block_stop", { index });
}

function* toolBlock(
  job: MessageJob,
  index: number,
  call: MessageJob["candidate"]["calls"][number],
): Generator<StreamEvent> {
  const { id, name, input, nameTokens } = call;
  yield event("content_block_start", { index, content_block: { type: "tool_use", id, name, input: {} } }, nameTokens);
  if (job.call.faults["tool-whole"] === undefined) {
    yield delta(index, { type: "input_json_delta", partial_json: "" });
    for (const { text, tokens } of input) yield delta(index, { type: "input_json_delta", partial_json: text }, tokens);
  } else {
    const whole = input.map((piece) => piece.text).join("");
    const tokens = input.reduce((sum, piece) => sum + piece.tokens, 0);
    yield delta(index, { type: "input_json_delta", partial_json: whole }, tokens);
  }
  yield event("content_block_stop", { index });
}

function* blocks(job: MessageJob): Generator<StreamEvent> {
  const { reasoning, content, calls } = job.candidate;
  let index = 0;
  if (reasoning.length > 0) yield* thinkingBlock(job, index++);
  for (const block of job.useBlocks) {
    yield event("content_block_start", { index, content_block: block });
    yield event("content_block_stop", { index: index++ });
  }
  if (content.length > 0) yield* textBlock(index++, content);
  for (const call of calls) yield* toolBlock(job, index++, call);
}

function startOf(job: MessageJob): StreamEvent {
  const usage = usageReport(job, 1, true);
  const message = {
    id: job.id,
    type: "message",
    role: "assistant",
    model: job.modelId,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    ...(usage !== undefined && { usage }),
  };
  return { ...event("message_start", { message }), usage };
}

function messageDelta(job: MessageJob, outputTokens: number, fields: object): StreamEvent {
  const reported = usageReport(job, outputTokens);
  const usage = reported && {
    input_tokens: reported["input_tokens"],
    cache_creation_input_tokens: reported["cache_creation_input_tokens"],
    cache_read_input_tokens: reported["cache_read_input_tokens"],
    output_tokens: reported["output_tokens"],
    ...(reported["server_tool_use"] != null && { server_tool_use: reported["server_tool_use"] }),
    ...(reported["output_tokens_details"] != null && { output_tokens_details: reported["output_tokens_details"] }),
  };
  const sent = event("message_delta", { delta: fields, ...(usage !== undefined && { usage }) });
  return { ...sent, usage, usageOnly: true };
}

/**
 * The events of a streamed message: start, blocks one after another (a ping after the first one
 * opens), delta with usage, stop.
 */
export function* eventsOf(job: MessageJob): Generator<StreamEvent> {
  const cumulative = job.call.faults["usage-cumulative"] !== undefined;
  let sentTokens = 0;
  let pinged = false;
  yield startOf(job);
  for (const part of blocks(job)) {
    yield part;
    sentTokens += part.tokens ?? 0;
    if (!pinged) yield event("ping", {});
    pinged = true;
    if (cumulative && part.event === "content_block_stop") {
      yield { ...messageDelta(job, sentTokens, { stop_reason: null, stop_sequence: null }) };
    }
  }
  yield messageDelta(job, outputTokensOf(job), ending(job));
  yield { ...event("message_stop", {}), terminator: true };
}
