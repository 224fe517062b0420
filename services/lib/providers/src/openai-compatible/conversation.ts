import { createHash } from "node:crypto";
import { encodeJson } from "@uag/untrusted/json/encode";
import type { Fields } from "../conversation/fields.ts";
import { shortToolName } from "../conversation/tool-name.ts";
import type { Conversation, Strict } from "../conversation/types.ts";
import type { UpstreamCall } from "../generation.ts";
import { takesSampling } from "../reasoning.ts";
import { messagesOf, type OpenAiContext } from "./messages.ts";
import { optionFields, samplingFields } from "./options.ts";
import { capFieldOf, providerHeaders } from "./request.ts";
import { isStrictSchema } from "./strict-schema.ts";
import { thinkingFields } from "./thinking.ts";

/** OpenAI accepts user names up to this length. */
const maxUserLength = 64;

/** Encodes a conversation for OpenAI's chat protocol. */
export async function encodeForOpenAi(conversation: Conversation, context: OpenAiContext): Promise<UpstreamCall> {
  const { call, upstream, variant } = context;
  const { model } = call;
  const stream = call.stream || model.streamOnly;
  const forced = conversation.toolChoice?.kind === "tool" || conversation.toolChoice?.kind === "required";
  const thinking = thinkingFields(conversation.thinking, model, forced);
  const takes = takesSampling(model.reasoning, thinking.reasoning_effort);
  const body = {
    model: upstream.model,
    messages: await messagesOf(conversation, context),
    ...(stream && { stream: true, stream_options: { include_usage: true } }),
    ...(conversation.outputCap !== undefined && {
      [capFieldOf(model, upstream.provider) ?? "max_tokens"]: conversation.outputCap,
    }),
    ...(conversation.candidates > 1 && { n: conversation.candidates }),
    ...toolFields(conversation, context),
    ...samplingFields(conversation, context, takes),
    ...(conversation.sampling.seed !== undefined && { seed: conversation.sampling.seed }),
    ...optionFields(conversation, context, takes),
    ...thinking,
    ...formatField(conversation),
    ...(conversation.user !== undefined && { user: shortUser(conversation.user) }),
  };
  const { unsupportedFields } = upstream.provider;
  const fields = Object.entries(body).filter(([name]) => unsupportedFields?.has(name) !== true);
  return {
    path: variant.path,
    headers: [...providerHeaders(upstream.provider), "x-client-request-id", call.requestId],
    body: await encodeJson(Object.fromEntries(fields)),
    stream,
  };
}

const namedTool = (name: string): object => ({ type: "function", function: { name: shortToolName(name) } });

function toolFields(
  { tools, toolChoice, parallelTools }: Conversation,
  { variant, upstream: { provider } }: OpenAiContext,
): object {
  if (tools.length === 0) return {};
  const choice = ((): unknown => {
    switch (toolChoice?.kind) {
      case "tool":
        return namedTool(toolChoice.name);
      case "required":
        if (variant.takesRequired) return "required";
        return tools.length === 1 ? namedTool(tools[0]?.name ?? "") : "auto";
      default:
        return toolChoice?.kind;
    }
  })();
  return {
    tools: tools.map(({ name, description, schema, strict }) => {
      const parameters = { type: "object", properties: {}, ...schema };
      const named = { name: shortToolName(name), ...(description !== undefined && { description }) };
      const held = provider.openAiOptions.has("strict") ? strictField(strict, parameters) : {};
      return { type: "function", function: { ...named, parameters, ...held } };
    }),
    ...(choice !== undefined && { tool_choice: choice }),
    ...(!parallelTools && { parallel_tool_calls: false }),
  };
}

function formatField({ format }: Conversation): object {
  if (format.kind === "text") return {};
  if (format.kind === "json") return { response_format: { type: "json_object" } };
  const { name, description, schema, strict } = format;
  const named = { name, ...(description !== undefined && { description }) };
  return {
    response_format: { type: "json_schema", json_schema: { ...named, schema, ...strictField(strict, schema) } },
  };
}

function strictField(strict: Strict, schema: Fields): object {
  const held = strict === "where possible" ? isStrictSchema(schema) || undefined : strict;
  return held === undefined ? {} : { strict: held };
}

function shortUser(user: string): string {
  return user.length <= maxUserLength ? user : createHash("sha256").update(user).digest("hex");
}
