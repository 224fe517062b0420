import type { ApiError } from "../completions/flavour.ts";
import { parseDataUrl } from "../content/data-url.ts";
import type { QwenModel } from "./models.ts";
import type { QwenChatRequest } from "./schema.ts";

type Check = (request: QwenChatRequest, model: QwenModel) => string | undefined;

const algo = "<400> InternalError.Algo.InvalidParameter:";

/** Whether the model thinks for this request. */
export function thinksOn(request: QwenChatRequest, model: QwenModel): boolean {
  if (model.thinks === "always" || model.thinks === "never") return model.thinks === "always";
  return request.enable_thinking ?? model.thinks === "on";
}

const roles: Check = ({ messages }) => {
  const at = messages.findIndex((message) => message.role === "developer");
  return at < 0
    ? undefined
    : `'developer' is not one of ['system', 'assistant', 'user', 'tool', 'function'] - 'messages.${at}.role'`;
};

const streaming: Check = (request, model) => {
  if (request.stream) return undefined;
  if (model.streamOnly)
    return "This model only support stream mode, please enable the stream parameter to access the model. ";
  return model.thinks === "on" && thinksOn(request, model)
    ? "parameter.enable_thinking must be set to false for non-streaming calls"
    : undefined;
};

const streamOptions: Check = (request) =>
  request.stream_options && !request.stream
    ? `${algo} The 'stream_options' parameter is only allowed when 'stream' is enabled.`
    : undefined;

const thinkingKnown: Check = (request, model) =>
  request.enable_thinking && model.thinks === "never"
    ? `${algo} The model does not support enable_thinking.`
    : undefined;

const budget: Check = (request) => {
  const cap = 38_912;
  return (request.thinking_budget ?? 0) > cap
    ? `${algo} The thinking_budget parameter must be a positive integer and not greater than ${cap}`
    : undefined;
};

const toolChoice: Check = (request, model) => {
  const choice = request.tool_choice;
  if (choice === "required" || (typeof choice === "object" && choice.type !== "function")) {
    return `${algo} The tool_choice parameter only supports "none", "auto" or a named function.`;
  }
  if (typeof choice === "object" && thinksOn(request, model))
    return `${algo} The tool_choice parameter does not support being set to object in thinking mode`;
  return undefined;
};

const toolResponses: Check = ({ messages }) => {
  let open = new Set<string>();
  for (const message of messages) {
    if (message.role === "tool") {
      if (!open.delete(message.tool_call_id)) {
        return `${algo} messages with role "tool" must be a response to a preceeding message with "tool_calls".`;
      }
      continue;
    }
    if (open.size > 0) break;
    open = new Set(message.role === "assistant" ? (message.tool_calls ?? []).map((call) => call.id) : []);
  }
  if (open.size === 0) return undefined;
  return `${algo} An assistant message with "tool_calls" must be followed by tool messages responding to each "tool_call_id". The following tool_call_ids did not have response messages: ${[...open].join(", ")}`;
};

const jsonMentioned: Check = (request) => {
  if (request.response_format?.type !== "json_object" || /json/i.test(JSON.stringify(request.messages)))
    return undefined;
  return `${algo} 'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.`;
};

const maxTokens: Check = (request, model) => {
  const wanted = request.max_completion_tokens ?? request.max_tokens ?? 1;
  return wanted > model.maxOutputTokens
    ? `${algo} Range of max_tokens should be [1, ${model.maxOutputTokens}]`
    : undefined;
};

function isMediaUrl(url: string): boolean {
  return /^https?:\/\//.test(url) || parseDataUrl(url) !== undefined;
}

const media: Check = (request, model) => {
  for (const message of request.messages) {
    if (message.role !== "user" || typeof message.content === "string") continue;
    for (const part of message.content) {
      if (part.type === "text") continue;
      if (part.type === "input_audio" ? !model.hears : !model.sees)
        return `${algo} The model does not support ${part.type} input.`;
      const urls =
        part.type === "image_url"
          ? [part.image_url.url]
          : part.type === "video_url"
            ? [part.video_url.url]
            : part.type === "video"
              ? part.video
              : [part.input_audio.data];
      if (!urls.every(isMediaUrl))
        return `${algo} The provided URL does not appear to be valid. Ensure it is correctly formatted.`;
    }
  }
  return undefined;
};

const speech: Check = (request, model) => {
  if (!request.modalities?.includes("audio")) return undefined;
  if (!model.audio) return `${algo} The model does not support audio output.`;
  if (thinksOn(request, model)) return `${algo} Audio output is not supported in thinking mode.`;
  return request.audio ? undefined : `${algo} Field required: audio`;
};

const checks: readonly Check[] = [
  roles,
  streaming,
  streamOptions,
  thinkingKnown,
  budget,
  toolChoice,
  toolResponses,
  jsonMentioned,
  maxTokens,
  media,
  speech,
];

/** The first of DashScope's rules beyond the schema that a request breaks. */
export function brokenRule(request: QwenChatRequest, model: QwenModel): ApiError | undefined {
  for (const check of checks) {
    const message = check(request, model);
    if (message !== undefined) return { status: 400, message };
  }
  return undefined;
}
