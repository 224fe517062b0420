import type { ChatFlavour, Counts } from "../completions/flavour.ts";
import { firstIssue, type Issue } from "../completions/issue.ts";
import { promptTokensOf } from "../completions/prompt-tokens.ts";
import { respondChat } from "../completions/response.ts";
import { type ChatRequest, openAiChatSchema } from "../completions/schema.ts";
import { steeringOf } from "../content/steer.ts";
import type { Call, Reply } from "../http/types.ts";
import type { Usage } from "../usage.ts";
import { findGrokModel, type GrokModel } from "./models.ts";
import { rejectXai, xaiProtocol } from "./protocol.ts";

// Reasoning is separate from the completion here, not part of it; the total includes all three.
function xaiChatUsage(counts: Counts): Usage {
  return {
    prompt_tokens: counts.prompt,
    completion_tokens: counts.text,
    total_tokens: counts.prompt + counts.text + counts.reasoning,
    prompt_tokens_details: {
      text_tokens: counts.prompt - counts.imageIn,
      audio_tokens: 0,
      image_tokens: counts.imageIn,
      cached_tokens: counts.cached,
    },
    completion_tokens_details: {
      reasoning_tokens: counts.reasoning,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
    num_sources_used: 0,
  };
}

const flavour: ChatFlavour = {
  protocol: xaiProtocol,
  showsReasoning: true,
  speech: "transcript",
  padsChunks: false,
  responseFields: { system_fingerprint: "fp_simulator1" },
  messageFields: { refusal: null },
  toolCallIdPrefix: "call_",
  responseIdPrefix: "",
  usage: xaiChatUsage,
};

export function wordingOf({ param, problem }: Issue): { status: number; message: string } {
  if (problem.kind === "range" || problem.kind === "length") {
    return {
      status: 400,
      message: `Invalid value for ${param}: must be ${problem.side === "max" ? "at most" : "at least"} ${problem.limit}.`,
    };
  }
  const what = problem.kind === "missing" ? `missing field \`${param.split(".").at(-1)}\`` : `${param}: invalid value`;
  return { status: 422, message: `Failed to deserialize the JSON body into the target type: ${what}` };
}

const neverForReasoning = ["presence_penalty", "frequency_penalty", "stop"] as const;

export function brokenRule(request: ChatRequest, model: GrokModel): string | undefined {
  const reasons = model.efforts !== undefined;
  const unsupported = reasons ? neverForReasoning.find((name) => request[name] != null) : undefined;
  if (unsupported !== undefined) return `Argument not supported on this model: ${unsupported}`;
  const effort = request.reasoning_effort;
  if (effort != null && (!reasons || model.fixedEffort))
    return `Model ${model.respondsAs} does not support parameter reasoningEffort.`;
  if (effort != null && !model.efforts?.includes(effort)) {
    return `Invalid reasoning effort: '${effort}'. Supported values are: ${model.efforts?.join(", ")}.`;
  }
  const sees = model.imageTokens !== undefined;
  const hasImage = request.messages.some(
    ({ content }) => Array.isArray(content) && content.some((part) => part.type === "image_url"),
  );
  if (hasImage && !sees) return "Image inputs are not supported by this model.";
  if (request.stream_options && !request.stream) return "stream_options requires stream to be true.";
  if (request.tool_choice !== undefined && request.tool_choice !== "none" && request.tools === undefined) {
    return "A tool_choice was set on the request but no tools were specified.";
  }
  return undefined;
}

/** `POST /v1/chat/completions` */
export function grokChat(call: Call): Reply {
  const parsed = openAiChatSchema.safeParse(call.body);
  if (!parsed.success) {
    const { status, message } = wordingOf(firstIssue(parsed.error, call.body));
    throw rejectXai(status, message);
  }
  const request = parsed.data;
  const model = findGrokModel(request.model);
  if (model === undefined) {
    throw rejectXai(404, `The model ${request.model} does not exist or your team does not have access to it.`);
  }
  const broken = brokenRule(request, model);
  if (broken !== undefined) throw rejectXai(400, broken);
  const last = request.messages.at(-1);
  if (typeof last?.content === "string" && steeringOf(last.content).blocked) {
    throw rejectXai(400, "Content violates usage guidelines.");
  }
  const prompt = promptTokensOf(request, model, `xai ${call.credential}`);
  if (prompt.total > model.contextTokens) {
    throw rejectXai(
      400,
      `This model's maximum prompt length is ${model.contextTokens} but the request contains ${prompt.total} tokens.`,
    );
  }
  const limit = request.max_completion_tokens ?? request.max_tokens;
  const unlimited = call.faults.huge === undefined ? model.maxOutputTokens : Number.POSITIVE_INFINITY;
  return respondChat({ call, request, model, flavour, prompt, maxTokens: limit ?? unlimited });
}
