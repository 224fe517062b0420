import type { ChatFlavour, Counts } from "../completions/flavour.ts";
import { firstIssue } from "../completions/issue.ts";
import { promptTokensOf } from "../completions/prompt-tokens.ts";
import { respondChat } from "../completions/response.ts";
import { steeringOf } from "../content/steer.ts";
import type { Call, Reply } from "../http/types.ts";
import type { Usage } from "../usage.ts";
import { brokenRule, thinksOn } from "./checks.ts";
import { findQwenModel, type QwenModel } from "./models.ts";
import { dashScopeProtocol, rejectDashScope } from "./protocol.ts";
import { type QwenChatRequest, qwenChatSchema } from "./schema.ts";
import { qwenWording } from "./wording.ts";

function dashscopeChatUsage(counts: Counts): Usage {
  const completion = counts.text + counts.audioOut + counts.reasoning;
  const media = counts.imageIn + counts.audioIn + counts.videoIn;
  const isOmni = media > 0 || counts.audioOut > 0;
  return {
    prompt_tokens: counts.prompt,
    completion_tokens: completion,
    total_tokens: counts.prompt + completion,
    prompt_tokens_details: {
      cached_tokens: counts.cached,
      ...(isOmni && { text_tokens: counts.prompt - media }),
      ...(counts.imageIn > 0 && { image_tokens: counts.imageIn }),
      ...(counts.audioIn > 0 && { audio_tokens: counts.audioIn }),
      ...(counts.videoIn > 0 && { video_tokens: counts.videoIn }),
    },
    completion_tokens_details: {
      text_tokens: counts.text,
      ...(counts.audioOut > 0 && { audio_tokens: counts.audioOut }),
      ...(counts.reasoning > 0 && { reasoning_tokens: counts.reasoning }),
    },
  };
}

const flavour: ChatFlavour = {
  protocol: dashScopeProtocol,
  showsReasoning: true,
  speech: "beside",
  padsChunks: false,
  responseFields: { system_fingerprint: null },
  messageFields: {},
  toolCallIdPrefix: "call_",
  responseIdPrefix: "chatcmpl-",
  usage: dashscopeChatUsage,
};

function modelFor(id: string): QwenModel {
  const model = findQwenModel(id);
  if (model !== undefined) return model;
  const message = `The model \`${id}\` does not exist or you do not have access to it.`;
  throw rejectDashScope({ status: 404, message, code: "model_not_found" });
}

/** The model as it reads the images of a request. */
function reading({ vl_high_resolution_images: isHigh }: QwenChatRequest, model: QwenModel): QwenModel {
  return isHigh === true
    ? { ...model, imageTokens: { ...model.imageTokens, high: model.imageTokens.original } }
    : model;
}

function checkPrompt(request: QwenChatRequest, model: QwenModel, tokens: number): void {
  const last = request.messages.at(-1);
  if (typeof last?.content === "string" && steeringOf(last.content).blocked) {
    const message = "<400> InternalError.Algo.DataInspectionFailed: Input data may contain inappropriate content.";
    throw rejectDashScope({ status: 400, message, code: "data_inspection_failed" });
  }
  if (tokens > model.contextTokens) {
    const message = `<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, ${model.contextTokens}]`;
    throw rejectDashScope({ status: 400, message });
  }
}

/** `POST /compatible-mode/v1/chat/completions` */
export function qwenChat(call: Call): Reply {
  const { body } = call;
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    throw rejectDashScope({ status: 400, message: "Required body invalid, please check the request body format." });
  }
  if (call.model === undefined)
    throw rejectDashScope({ status: 400, message: "you must provide a model parameter", code: null });
  const model = modelFor(call.model);
  const parsed = qwenChatSchema.safeParse(body);
  if (!parsed.success) throw rejectDashScope({ status: 400, message: qwenWording(firstIssue(parsed.error, body)) });
  const request = parsed.data;
  const broken = brokenRule(request, model);
  if (broken !== undefined) throw rejectDashScope(broken);
  const prompt = promptTokensOf(request, reading(request, model), `dashscope ${call.credential}`);
  checkPrompt(request, model, prompt.total);
  if (request.enable_search && !model.searches) {
    // The one error that is only found after the stream has begun.
    return {
      type: "events",
      framing: "sse",
      events: [
        dashScopeProtocol.streamError({
          status: 400,
          message: "<400> InternalError.Algo.InvalidParameter: The model does not support enable_search.",
        }),
      ],
    };
  }
  const limit = request.max_completion_tokens ?? request.max_tokens;
  const unlimited = call.faults.huge === undefined ? model.maxOutputTokens : Number.POSITIVE_INFINITY;
  const thinks = thinksOn(request, model);
  return respondChat({ call, request, model, flavour, prompt, maxTokens: limit ?? unlimited, thinks });
}
