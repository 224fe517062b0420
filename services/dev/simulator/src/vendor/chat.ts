import type { ChatFlavour, ChatModel, Counts } from "../completions/flavour.ts";
import { firstIssue } from "../completions/issue.ts";
import { promptTokensOf } from "../completions/prompt-tokens.ts";
import { respondChat } from "../completions/response.ts";
import { type ChatRequest, openAiChatSchema } from "../completions/schema.ts";
import { openAiWording } from "../completions/wording.ts";
import type { Call, Reply } from "../http/types.ts";
import type { Usage } from "../usage.ts";
import { rejectVendor, vendorProtocol } from "./protocol.ts";

// The minimum that an OpenAI-compatible vendor reports: no details.
function vendorChatUsage(counts: Counts): Usage {
  const completion = counts.text + counts.reasoning;
  return { prompt_tokens: counts.prompt, completion_tokens: completion, total_tokens: counts.prompt + completion };
}

const flavour: ChatFlavour = {
  protocol: vendorProtocol,
  showsReasoning: true,
  speech: "beside",
  padsChunks: false,
  responseFields: {},
  messageFields: {},
  toolCallIdPrefix: "call_",
  responseIdPrefix: "",
  usage: vendorChatUsage,
};

const reasoners = /-thinking\b|-reasoner\b|-r1\b/;

/** Any id is served; one with a reasoning model's suffix reasons. */
function modelFor(id: string): ChatModel {
  const model: ChatModel = { id, respondsAs: id, contextTokens: 1_000_000, maxOutputTokens: 131_072 };
  return reasoners.test(id) ? { ...model, efforts: ["low", "medium", "high"] } : model;
}

/**
 * The switch that DeepSeek and Kimi have, `thinking: {type}`; undefined: the model's default.
 * https://api-docs.deepseek.com/guides/thinking_mode
 */
function thinkingOf(request: ChatRequest): boolean | undefined {
  const { thinking } = request;
  if (typeof thinking !== "object" || thinking === null || !("type" in thinking)) return undefined;
  return thinking.type === "enabled";
}

/** DeepSeek's rule for messages with tool calls while it thinks (same guide, "Tool Calls"). */
function requireReasoning({ messages }: ChatRequest): void {
  const lost = messages.some(
    (message) =>
      message.role === "assistant" &&
      message.tool_calls !== undefined &&
      typeof message["reasoning_content"] !== "string",
  );
  if (lost) throw rejectVendor(400, "The reasoning_content in the thinking mode must be passed back to the API.");
}

/** `POST /v1/chat/completions` */
export function vendorChat(call: Call): Reply {
  const parsed = openAiChatSchema.safeParse(call.body);
  if (!parsed.success) throw rejectVendor(400, openAiWording(firstIssue(parsed.error, call.body)).message);
  const request = parsed.data;
  const thinks = thinkingOf(request);
  if (thinks === true) requireReasoning(request);
  if (request.model.startsWith("unknown")) throw rejectVendor(400, "Model Not Exist");
  const model = modelFor(request.model);
  const prompt = promptTokensOf(request, model, `vendor ${call.credential}`);
  const limit = request.max_tokens ?? request.max_completion_tokens;
  const unlimited = call.faults.huge === undefined ? model.maxOutputTokens : Number.POSITIVE_INFINITY;
  const maxTokens = limit ?? unlimited;
  return respondChat({ call, request, model, flavour, prompt, maxTokens, ...(thinks !== undefined && { thinks }) });
}
