import type { StopReason, Tokens } from "../../conversation/events.ts";
import { type Fields, fieldsOf, listOf, textOf } from "../../conversation/fields.ts";
import type { GenerationCall } from "../../generation.ts";

/** Fields of a longer request are not repeated in its response. */
const maxRepeatedBytes = 64 * 1024;

/** Why a response is not complete; undefined for one that is. */
const incomplete: Readonly<Partial<Record<StopReason, string>>> = {
  length: "max_output_tokens",
  context_full: "max_output_tokens",
  refusal: "content_filter",
};

/** The state of a response at one moment. */
export interface ResponseState {
  readonly id: string;
  readonly model: string;
  /** Unix time, seconds. */
  readonly createdAt: number;
  readonly output: readonly object[];
  readonly tokens: Tokens | undefined;
  /** Undefined while it is in progress. */
  readonly stop: StopReason | undefined;
}

/** The response object, as in OpenAI's reference. */
export function responseObject(call: Pick<GenerationCall, "body" | "fields">, state: ResponseState): object {
  const { id, model, createdAt, output, tokens, stop } = state;
  const reason = stop === undefined ? undefined : incomplete[stop];
  return {
    id,
    object: "response",
    created_at: createdAt,
    completed_at: stop === undefined || reason !== undefined ? null : Math.floor(Date.now() / 1_000),
    status: stop === undefined ? "in_progress" : statusOf(stop),
    background: false,
    error: null,
    incomplete_details: reason === undefined ? null : { reason },
    model,
    output,
    previous_response_id: null,
    service_tier: "default",
    store: false,
    ...repeated(call.body.length > maxRepeatedBytes ? {} : call.fields),
    usage: stop === undefined ? null : responseUsage(tokens),
  };
}

export function statusOf(stop: StopReason): "incomplete" | "completed" {
  return incomplete[stop] === undefined ? "completed" : "incomplete";
}

/** The request's own fields, with the values that hold where it has none. */
function repeated(fields: Fields): object {
  const { effort = null, summary = null } = fieldsOf(fields["reasoning"]);
  const { format = { type: "text" }, verbosity = "medium" } = fieldsOf(fields["text"]);
  return {
    frequency_penalty: 0,
    instructions: textOf(fields["instructions"]) ?? null,
    max_output_tokens: fields["max_output_tokens"] ?? null,
    max_tool_calls: fields["max_tool_calls"] ?? null,
    metadata: fields["metadata"] ?? {},
    parallel_tool_calls: fields["parallel_tool_calls"] ?? true,
    presence_penalty: 0,
    prompt_cache_key: fields["prompt_cache_key"] ?? null,
    prompt_cache_retention: fields["prompt_cache_retention"] ?? null,
    reasoning: { effort, summary },
    safety_identifier: fields["safety_identifier"] ?? null,
    temperature: fields["temperature"] ?? 1,
    text: { format, verbosity },
    tool_choice: fields["tool_choice"] ?? "auto",
    tools: listOf(fields["tools"]).map(repeatedTool),
    top_logprobs: fields["top_logprobs"] ?? 0,
    top_p: fields["top_p"] ?? 1,
    truncation: fields["truncation"] ?? "disabled",
    user: fields["user"] ?? null,
  };
}

/** A function's own fields are all in a response; `strict` holds only where the request has it. */
function repeatedTool(tool: unknown): unknown {
  const fields = fieldsOf(tool);
  if (fields["type"] !== "function") return tool;
  return {
    ...fields,
    description: fields["description"] ?? null,
    parameters: fields["parameters"] ?? null,
    strict: fields["strict"] ?? false,
  };
}

/** The usage object of the Responses format: its details are included in the totals. */
function responseUsage(tokens: Tokens | undefined): object | null {
  if (tokens === undefined) return null;
  const written = tokens.cacheWrite5m + tokens.cacheWrite1h;
  const input = tokens.input + tokens.cacheRead + written;
  return {
    input_tokens: input,
    input_tokens_details: {
      cached_tokens: tokens.cacheRead,
      ...(written > 0 && { cache_write_tokens: written }),
    },
    output_tokens: tokens.output,
    output_tokens_details: { reasoning_tokens: tokens.thinking },
    total_tokens: input + tokens.output,
  };
}

/** The response's id in OpenAI's format. */
export function responseId(id: string, requestId: string): string {
  return `resp_${(id || requestId).replace(/^(chatcmpl-|msg_|resp_)/, "")}`;
}
