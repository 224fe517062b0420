import { createHash } from "node:crypto";
import type { Model } from "@uag/catalog/types.ts";
import { encodeJson } from "@uag/kit/json/encode.ts";
import { shortToolName } from "../conversation/tool-name.ts";
import { type Conversation, efforts, type Thinking } from "../conversation/types.ts";
import type { UpstreamCall } from "../generation.ts";
import { messagesOf, type OpenAiContext } from "./messages.ts";
import { providerHeaders } from "./request.ts";
import { isStrictSchema } from "./strict-schema.ts";
import type { OpenAiVariant } from "./variant.ts";

/** OpenAI accepts at most this many stop sequences, and user names up to this length. */
const maxStops = 4;
const maxUserLength = 64;

/** Encodes a conversation for OpenAI's chat protocol. */
export async function encodeForOpenAi(conversation: Conversation, context: OpenAiContext): Promise<UpstreamCall> {
  const { call, upstream, variant } = context;
  const { model } = call;
  const reasons = model.reasoning !== undefined;
  const stream = call.stream || model.streamOnly;
  const { temperature, topP } = conversation.sampling;
  const effort = reasoningEffort(conversation.thinking, model);
  const body = {
    model: upstream.model,
    messages: await messagesOf(conversation, context),
    ...(stream && { stream: true, stream_options: { include_usage: true } }),
    ...(conversation.outputCap !== undefined && { [model.outputCapField ?? "max_tokens"]: conversation.outputCap }),
    ...toolFields(conversation, variant),
    ...(!reasons && temperature !== undefined && { temperature }),
    ...(!reasons && topP !== undefined && { top_p: topP }),
    ...(!reasons && conversation.stop.length > 0 && { stop: conversation.stop.slice(0, maxStops) }),
    ...(effort !== undefined && { reasoning_effort: effort }),
    ...formatField(conversation),
    ...(conversation.user !== undefined && { user: shortUser(conversation.user) }),
  };
  return {
    path: variant.path,
    headers: [...providerHeaders(upstream.provider), "x-client-request-id", call.requestId],
    body: await encodeJson(body),
    stream,
  };
}

const namedTool = (name: string): object => ({ type: "function", function: { name: shortToolName(name) } });

function toolFields({ tools, toolChoice, parallelTools }: Conversation, variant: OpenAiVariant): object {
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
    tools: tools.map(({ name, description, schema }) => ({
      type: "function",
      function: {
        name: shortToolName(name),
        ...(description !== undefined && { description }),
        parameters: { type: "object", properties: {}, ...schema },
      },
    })),
    ...(choice !== undefined && { tool_choice: choice }),
    ...(!parallelTools && { parallel_tool_calls: false }),
  };
}

/** The nearest effort that the model supports; undefined: the model's default. */
function reasoningEffort(thinking: Thinking | undefined, { reasoning }: Model): string | undefined {
  if (thinking === undefined || reasoning === undefined) return undefined;
  const wanted = thinking.on ? (thinking.effort ?? effortOfBudget(thinking.budget)) : "none";
  if (wanted === undefined) return undefined;
  const rank = (effort: string): number => (efforts as readonly string[]).indexOf(effort);
  const distance = (effort: string): number => Math.abs(rank(effort) - rank(wanted));
  const known = reasoning.efforts.filter((effort) => rank(effort) >= 0);
  return known.toSorted((a, b) => distance(a) - distance(b))[0];
}

/** Converts a budget of thinking tokens to an effort. */
function effortOfBudget(budget: number | undefined): string | undefined {
  if (budget === undefined) return undefined;
  if (budget < 4_096) return "low";
  return budget < 16_384 ? "medium" : "high";
}

function formatField({ format }: Conversation): object {
  if (format.kind === "text") return {};
  if (format.kind === "json") return { response_format: { type: "json_object" } };
  const { name, schema } = format;
  const jsonSchema = { name, schema, ...(isStrictSchema(schema) && { strict: true }) };
  return { response_format: { type: "json_schema", json_schema: jsonSchema } };
}

function shortUser(user: string): string {
  return user.length <= maxUserLength ? user : createHash("sha256").update(user).digest("hex");
}
