import type { ChatFlavour, Counts } from "../completions/flavour.ts";
import { firstIssue } from "../completions/issue.ts";
import { promptTokensOf } from "../completions/prompt-tokens.ts";
import { respondChat } from "../completions/response.ts";
import { openAiChatSchema } from "../completions/schema.ts";
import { openAiWording } from "../completions/wording.ts";
import { steeringOf } from "../content/steer.ts";
import type { Call, Reply } from "../http/types.ts";
import type { Usage } from "../usage.ts";
import { brokenRule, unknownField } from "./chat-checks.ts";
import { findOpenAiModel } from "./models.ts";
import { openAiProtocol, rejectOpenAi } from "./protocol.ts";

function openaiChatUsage(counts: Counts): Usage {
  const completion = counts.text + counts.audioOut + counts.reasoning + counts.rejectedPrediction;
  return {
    prompt_tokens: counts.prompt,
    completion_tokens: completion,
    total_tokens: counts.prompt + completion,
    prompt_tokens_details: { cached_tokens: counts.cached, audio_tokens: counts.audioIn },
    completion_tokens_details: {
      reasoning_tokens: counts.reasoning,
      audio_tokens: counts.audioOut,
      accepted_prediction_tokens: counts.acceptedPrediction,
      rejected_prediction_tokens: counts.rejectedPrediction,
    },
  };
}

const flavour: ChatFlavour = {
  protocol: openAiProtocol,
  showsReasoning: false,
  speech: "transcript",
  padsChunks: true,
  responseFields: { service_tier: "default", system_fingerprint: "fp_simulator0" },
  messageFields: { refusal: null, annotations: [] },
  toolCallIdPrefix: "call_",
  responseIdPrefix: "chatcmpl-",
  usage: openaiChatUsage,
};

function missingModel(id: string): never {
  const message = `The model \`${id}\` does not exist or you do not have access to it.`;
  throw rejectOpenAi({ status: 404, message, code: "model_not_found" });
}

/** `POST /v1/chat/completions` */
export function openAiChat(call: Call): Reply {
  const { body } = call;
  if (typeof body !== "object" || body === null || Array.isArray(body))
    throw rejectOpenAi({ status: 400, message: "Invalid body: expected a JSON object." });
  if (call.model === undefined) throw rejectOpenAi({ status: 400, message: "you must provide a model parameter" });
  const unknown = call.faults.strict === undefined ? undefined : unknownField(body);
  if (unknown !== undefined) {
    throw rejectOpenAi({ status: 400, message: `Unrecognized request argument supplied: ${unknown}` });
  }
  const parsed = openAiChatSchema.safeParse(body);
  if (!parsed.success) {
    const issue = firstIssue(parsed.error, body);
    throw rejectOpenAi({ status: 400, param: issue.param, ...openAiWording(issue) });
  }
  const request = parsed.data;
  const model = findOpenAiModel(call.model) ?? missingModel(call.model);
  const broken = brokenRule(request, model);
  if (broken !== undefined) throw rejectOpenAi(broken);
  const prompt = promptTokensOf(request, model, `openai ${call.credential}`);
  if (prompt.total > model.contextTokens) {
    const message = `This model's maximum context length is ${model.contextTokens} tokens. However, your messages resulted in ${prompt.total} tokens. Please reduce the length of the messages.`;
    throw rejectOpenAi({ status: 400, message, param: "messages", code: "context_length_exceeded" });
  }
  const last = request.messages.at(-1);
  if (typeof last?.content === "string" && steeringOf(last.content).blocked) {
    const message = "Your request was rejected as a result of our safety system.";
    throw rejectOpenAi({ status: 400, message, code: "content_policy_violation" });
  }
  const limit = request.max_completion_tokens ?? request.max_tokens;
  const unlimited = call.faults.huge === undefined ? model.maxOutputTokens : Number.POSITIVE_INFINITY;
  return respondChat({ call, request, model, flavour, prompt, maxTokens: limit ?? unlimited });
}
