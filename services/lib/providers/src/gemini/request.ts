import type { Upstream } from "@uag/catalog/types";
import { encodeJson } from "@uag/untrusted/json/encode";
import { shortToolName } from "../conversation/tool-name.ts";
import { systemParts } from "../conversation/turns.ts";
import type { Conversation } from "../conversation/types.ts";
import type { GenerationCall, UpstreamCall } from "../generation.ts";
import { contentsOf, type GeminiContext } from "./contents.ts";
import { geminiHeaders } from "./headers.ts";
import { logProbabilityFields } from "./log-probabilities.ts";
import { thinkingConfig } from "./models.ts";
import { geminiSchema } from "./schema.ts";

/** The maximum number of stop sequences that Gemini accepts. */
const maxStops = 5;

/**
 * Encodes a conversation for Gemini. Media given by URL are fetched, because it only accepts them
 * inline.
 */
export async function encodeForGemini(
  conversation: Conversation,
  call: GenerationCall,
  upstream: Upstream,
  signal: AbortSignal,
): Promise<UpstreamCall> {
  const body = await geminiBody(conversation, { call, upstream, signal });
  const method = call.stream ? "streamGenerateContent?alt=sse" : "generateContent";
  return {
    path: `/v1beta/models/${encodeURIComponent(upstream.model)}:${method}`,
    headers: [...geminiHeaders(upstream.provider), "x-client-request-id", call.requestId],
    body: await encodeJson(body),
  };
}

/** Builds a `GenerateContentRequest`. */
export async function geminiBody(conversation: Conversation, context: GeminiContext): Promise<object> {
  const system = systemParts(conversation);
  const config = generationConfig(conversation, context.upstream);
  return {
    contents: await contentsOf(conversation, context),
    ...(system.length > 0 && { systemInstruction: { parts: system.map(({ text }) => ({ text })) } }),
    ...toolFields(conversation),
    ...(Object.keys(config).length > 0 && { generationConfig: config }),
  };
}

function generationConfig(conversation: Conversation, { model, provider }: Upstream): object {
  const { sampling, stop, candidates, outputCap, thinking } = conversation;
  const config: Record<string, unknown> = {
    temperature: sampling.temperature,
    topP: sampling.topP,
    topK: sampling.topK,
    seed: sampling.seed,
    presencePenalty: sampling.presencePenalty,
    frequencyPenalty: sampling.frequencyPenalty,
    maxOutputTokens: outputCap,
    candidateCount: candidates > 1 ? candidates : undefined,
    stopSequences: stop.length > 0 ? stop.slice(0, maxStops) : undefined,
    thinkingConfig: thinkingConfig(model, thinking),
    ...formatFields(conversation),
    // Google enables them for few models, and rejects a request for any other.
    ...(provider.openAiOptions.has("logprobs") && logProbabilityFields(conversation)),
  };
  return Object.fromEntries(Object.entries(config).filter(([, value]) => value !== undefined));
}

function formatFields({ format }: Conversation): object {
  if (format.kind === "text") return {};
  const schema = format.kind === "schema" ? { responseJsonSchema: geminiSchema(format.schema) } : {};
  return { responseMimeType: "application/json", ...schema };
}

function toolFields({ tools, toolChoice }: Conversation): object {
  if (tools.length === 0) return {};
  const functionDeclarations = tools.map(({ name, description, schema }) => ({
    name: shortToolName(name),
    ...(description !== undefined && { description }),
    ...(hasProperties(schema) && { parametersJsonSchema: { type: "object", ...geminiSchema(schema) } }),
  }));
  const mode = modeOf(toolChoice);
  return {
    tools: [{ functionDeclarations }],
    ...(mode !== undefined && { toolConfig: { functionCallingConfig: mode } }),
  };
}

function hasProperties(schema: Conversation["tools"][number]["schema"]): schema is Readonly<Record<string, unknown>> {
  return schema !== undefined && (Object.keys(schema["properties"] ?? {}).length > 0 || schema["$ref"] !== undefined);
}

function modeOf(choice: Conversation["toolChoice"]): object | undefined {
  switch (choice?.kind) {
    case undefined:
      return undefined;
    case "auto":
      return { mode: "AUTO" };
    case "none":
      return { mode: "NONE" };
    case "required":
      return { mode: "ANY" };
    case "tool":
      return { mode: "ANY", allowedFunctionNames: [shortToolName(choice.name)] };
  }
}
