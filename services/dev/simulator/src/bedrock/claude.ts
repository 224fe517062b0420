import { z } from "zod";
import { countTokensOf, messages } from "../anthropic/messages.ts";
import { findAnthropicModel } from "../anthropic/models.ts";
import { type Call, Rejection, type Reply, type StreamEvent } from "../http/types.ts";
import type { Usage } from "../usage.ts";
import { rejectBedrock } from "./protocol.ts";

/** The name of a Claude model in its id at Bedrock, with or without the prefix of an inference profile. */
const claudeId = /^(?:[a-z]+\.)?anthropic\.(claude-[\w-]+?)(?:-v\d+(?::\d+)?)?$/;

/** Serves Claude; a request is Anthropic's, without what the path has, and with its version and betas. */
export function invokeClaude(call: Call, streams: boolean): Reply {
  return framed(served(invocation(call, streams), messages));
}

/** An invocation as it may be counted: of a model itself, with everything that an invocation needs. */
const countSchema = z.strictObject({
  input: z.strictObject({ invokeModel: z.strictObject({ body: z.base64().min(4) }) }),
});

/** https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_CountTokens.html */
export function countClaude(call: Call): Reply {
  if (!call.model?.startsWith("anthropic.claude"))
    throw rejectBedrock("The provided model doesn't support counting tokens.");
  const read = countSchema.safeParse(call.body);
  if (!read.success) throw rejectBedrock("The input must have the body of an invocation in base64.");
  const body = parsed(Buffer.from(read.data.input.invokeModel.body, "base64").toString("utf8"));
  if (!(Number(body["max_tokens"]) >= 1)) throw rejectBedrock("max_tokens: Field required");
  const counted = invocation({ ...call, body }, false);
  const { max_tokens: _, ...prompt } = counted.body as Record<string, unknown>;
  const reply = served({ ...counted, body: prompt }, countTokensOf);
  if (reply.type !== "json") throw new Error("a count is not JSON");
  const { input_tokens: inputTokens } = reply.body as { input_tokens: number };
  return { type: "json", status: 200, body: { inputTokens } };
}

function parsed(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text);
  } catch {
    throw rejectBedrock("Malformed input request, please reformat your input and try again.");
  }
}

/** The call as Anthropic gets it. */
function invocation(call: Call, streams: boolean): Call {
  const [, model = ""] = claudeId.exec(call.model ?? "") ?? [];
  if (findAnthropicModel(model) === undefined) throw rejectBedrock("The provided model identifier is invalid.");
  const { anthropic_version: version, anthropic_beta: betas, ...body } = call.body as Record<string, unknown>;
  if (version !== "bedrock-2023-05-31") throw rejectBedrock(`"${version}" is not a valid version.`);
  for (const field of ["model", "stream"])
    if (field in body) throw rejectBedrock(`${field}: Extra inputs are not permitted`);
  if (hasUrl(body["messages"])) throw rejectBedrock("source.type: Input should be 'base64'");
  const { "anthropic-beta": _, ...sent } = call.headers;
  const headers = {
    ...sent,
    "anthropic-version": "2023-06-01",
    ...(Array.isArray(betas) && { "anthropic-beta": betas.join() }),
  };
  const asked = { ...body, model, ...(streams && { stream: true }) };
  return { ...call, model, headers, body: asked };
}

/** Images and documents are accepted only inline. */
function hasUrl(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const { source } = value as { source?: { type?: unknown } };
  return source?.type === "url" || Object.values(value).some(hasUrl);
}

/** An error of the model is a validation error with its message. */
function served(call: Call, serve: (call: Call) => Reply): Reply {
  try {
    return serve(call);
  } catch (cause) {
    if (!(cause instanceof Rejection) || cause.reply.type !== "json") throw cause;
    const { error } = cause.reply.body as { error: { message: string } };
    throw rejectBedrock(error.message);
  }
}

function framed(reply: Reply): Reply {
  if (reply.type !== "events") return reply;
  return { ...reply, framing: "aws", events: chunks(reply.events, reply.trueUsage) };
}

/** Events of the model, each in base64 in an event of Bedrock's; the last one has its measurements. */
function* chunks(events: Iterable<StreamEvent>, usage: Usage | undefined): Generator<StreamEvent> {
  for (const event of events) {
    const data = event.terminator ? withMetrics(event.data, usage) : event.data;
    const bytes = Buffer.from(data).toString("base64");
    yield { ...event, event: "chunk", data: JSON.stringify({ bytes, p: "abcdefghijk".slice(0, bytes.length % 11) }) };
  }
}

function withMetrics(data: string, usage: Usage = {}): string {
  const metrics = {
    inputTokenCount: usage["input_tokens"],
    outputTokenCount: usage["output_tokens"],
    invocationLatency: 640,
    firstByteLatency: 320,
    cacheReadInputTokenCount: usage["cache_read_input_tokens"],
    cacheWriteInputTokenCount: usage["cache_creation_input_tokens"],
  };
  return JSON.stringify({ ...JSON.parse(data), "amazon-bedrock-invocationMetrics": metrics });
}
