import type { ApiError, ChatModel } from "../completions/flavour.ts";
import { type ChatRequest, openAiChatSchema, otherOpenAiFields } from "../completions/schema.ts";
import { listed } from "../completions/wording.ts";
import { parseDataUrl } from "../content/data-url.ts";
import { imageInfo } from "../content/image-size.ts";

type Check = (request: ChatRequest, model: ChatModel) => ApiError | undefined;

function bad(message: string, param: string | null, code: string | null = null): ApiError {
  return { status: 400, message, param, code };
}

function unsupported(param: string, hint = ""): ApiError {
  return bad(
    `Unsupported parameter: '${param}' is not supported with this model.${hint}`,
    param,
    "unsupported_parameter",
  );
}

const streamOptions: Check = (request) =>
  request.stream_options && !request.stream
    ? bad("The 'stream_options' parameter is only allowed when 'stream' is enabled.", "stream_options")
    : undefined;

const topLogprobs: Check = (request) =>
  request.top_logprobs != null && !request.logprobs
    ? bad(
        "Invalid value for 'top_logprobs': 'top_logprobs' is only allowed when 'logprobs' is enabled.",
        "top_logprobs",
      )
    : undefined;

const toolsPresent: Check = (request) => {
  if (request.tools !== undefined) return undefined;
  const param =
    request.tool_choice !== undefined && request.tool_choice !== "none" ? "tool_choice" : "parallel_tool_calls";
  const isUsed = param === "tool_choice" || request.parallel_tool_calls !== undefined;
  return isUsed
    ? bad(`Invalid value for '${param}': '${param}' is only allowed when 'tools' are specified.`, param)
    : undefined;
};

const chosenTool: Check = (request) => {
  const choice = request.tool_choice;
  if (typeof choice !== "object" || choice.type !== "function") return undefined;
  const { name } = choice.function;
  const known = (request.tools ?? []).some((tool) => tool.type === "function" && tool.function.name === name);
  return known ? undefined : bad(`Tool choice '${name}' not found in 'tools' parameter.`, "tool_choice");
};

const toolMessages: Check = (request) => {
  let open = new Set<string>();
  for (const [at, message] of request.messages.entries()) {
    if (message.role === "tool") {
      if (!open.delete(message.tool_call_id)) {
        const text =
          "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.";
        return bad(text, `messages.[${at}].role`);
      }
      continue;
    }
    if (open.size > 0) break;
    const calls = message.role === "assistant" ? (message.tool_calls ?? []) : [];
    open = new Set(calls.map((call) => call.id));
  }
  if (open.size === 0) return undefined;
  const text = `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${[...open].join(", ")}`;
  return bad(text, "messages");
};

const assistantHasContent: Check = (request) => {
  const at = request.messages.findIndex(
    (message) =>
      message.role === "assistant" &&
      message.content == null &&
      !message.tool_calls &&
      !message["function_call"] &&
      !message["audio"] &&
      !message.refusal,
  );
  if (at < 0) return undefined;
  return bad(`Invalid value for 'content': expected a string, got null.`, `messages.[${at}].content`);
};

const jsonMentioned: Check = (request) => {
  if (request.response_format?.type !== "json_object") return undefined;
  if (/json/i.test(JSON.stringify(request.messages))) return undefined;
  const text = "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.";
  return bad(text, "messages");
};

const strictSchema: Check = (request) => {
  const format = request.response_format;
  if (format?.type !== "json_schema") return undefined;
  const { name, schema, strict } = format.json_schema;
  if (schema === undefined)
    return bad(
      "Missing required parameter: 'response_format.json_schema.schema'.",
      "response_format.json_schema.schema",
      "missing_required_parameter",
    );
  if (schema["type"] !== "object" && strict) {
    const got = schema["type"] === undefined ? "None" : String(schema["type"]);
    return bad(
      `Invalid schema for response_format '${name}': schema must be a JSON Schema of 'type: "object"', got 'type: "${got}"'.`,
      "response_format",
      "invalid_json_schema",
    );
  }
  if (strict && schema["additionalProperties"] !== false) {
    return bad(
      `Invalid schema for response_format '${name}': In context=(), 'additionalProperties' is required to be supplied and to be false.`,
      "response_format",
      "invalid_json_schema",
    );
  }
  return undefined;
};

const images: Check = (request) => {
  for (const [at, message] of request.messages.entries()) {
    if (message.role !== "user" || typeof message.content === "string") continue;
    for (const [i, part] of message.content.entries()) {
      if (part.type !== "image_url") continue;
      const param = `messages[${at}].content[${i}].image_url.url`;
      const { url } = part.image_url;
      if (/^https?:\/\//.test(url)) continue;
      const data = parseDataUrl(url);
      if (data === undefined) {
        return bad(
          `Invalid '${param}'. Expected a valid URL, or a base64-encoded data URL with an image MIME type (e.g. 'data:image/png;base64,aW1nIGJ5dGVzIGhlcmU=').`,
          param,
          "invalid_value",
        );
      }
      if (imageInfo(data.bytes) === undefined) {
        return bad(
          "You uploaded an unsupported image. Please make sure your image has of one the following formats: ['png', 'jpeg', 'gif', 'webp'].",
          null,
          "invalid_image_format",
        );
      }
    }
  }
  return undefined;
};

const maxTokens: Check = (request, model) => {
  const { max_tokens: old, max_completion_tokens: current } = request;
  if (old != null && model.efforts !== undefined)
    return unsupported("max_tokens", " Use 'max_completion_tokens' instead.");
  if (old != null && current != null) {
    const text = "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.";
    return bad(text, "max_tokens", "invalid_parameter_combination");
  }
  const [name, value] = old != null ? ["max_tokens", old] : ["max_completion_tokens", current ?? 0];
  if (value <= model.maxOutputTokens) return undefined;
  return bad(
    `${name} is too large: ${value}. This model supports at most ${model.maxOutputTokens} completion tokens, whereas you provided ${value}.`,
    name,
    "invalid_value",
  );
};

const effort: Check = (request, model) => {
  const value = request.reasoning_effort;
  if (value == null) return undefined;
  if (model.efforts === undefined) return unsupported("reasoning_effort");
  if (model.efforts.includes(value)) return undefined;
  const text = `Unsupported value: 'reasoning_effort' does not support '${value}' with this model. Supported values are: ${listed(model.efforts)}.`;
  return bad(text, "reasoning_effort", "unsupported_value");
};

const neverForReasoning = ["logprobs", "top_logprobs", "logit_bias", "stop", "prediction", "audio"] as const;
const defaultOnly = { temperature: 1, top_p: 1, presence_penalty: 0, frequency_penalty: 0 } as const;

const reasoningLimits: Check = (request, model) => {
  if (model.efforts === undefined) return undefined;
  for (const param of neverForReasoning) {
    if (request[param] != null && request[param] !== false) return unsupported(param);
  }
  for (const [param, value] of Object.entries(defaultOnly)) {
    const given = request[param];
    if (given == null || given === value) continue;
    if (param !== "temperature") return unsupported(param);
    return bad(
      `Unsupported value: 'temperature' does not support ${given} with this model. Only the default (1) value is supported.`,
      "temperature",
      "unsupported_value",
    );
  }
  return undefined;
};

const modalities: Check = (request, model) => {
  const speaks = request.modalities?.includes("audio") === true;
  const needsPcm = speaks && request.stream && request.audio && request.audio.format !== "pcm16";
  if (needsPcm) {
    const text = `Unsupported value: 'audio.format' does not support '${request.audio?.format}' when stream=true. Supported values are: 'pcm16'.`;
    return bad(text, "audio.format", "unsupported_value");
  }
  if (speaks && model.audio === undefined)
    return bad("This model does not support audio output.", "modalities", "invalid_value");
  if (speaks && !request.audio)
    return bad("Missing required parameter: 'audio'.", "audio", "missing_required_parameter");
  return undefined;
};

const checks: readonly Check[] = [
  streamOptions,
  topLogprobs,
  maxTokens,
  effort,
  reasoningLimits,
  modalities,
  toolsPresent,
  chosenTool,
  assistantHasContent,
  toolMessages,
  jsonMentioned,
  strictSchema,
  images,
];

/** The first of OpenAI's rules beyond the schema that a request breaks. */
export function brokenRule(request: ChatRequest, model: ChatModel): ApiError | undefined {
  for (const check of checks) {
    const error = check(request, model);
    if (error !== undefined) return error;
  }
  return undefined;
}

/** The first top-level field unknown to OpenAI. */
export function unknownField(body: object): string | undefined {
  return Object.keys(body).find((name) => !(name in openAiChatSchema.shape) && !otherOpenAiFields.has(name));
}
