import { firstIssue } from "../completions/issue.ts";
import { type PromptTokens, promptTokensOf } from "../completions/prompt-tokens.ts";
import type { ChatRequest } from "../completions/schema.ts";
import { openAiWording } from "../completions/wording.ts";
import { steeringOf } from "../content/steer.ts";
import type { Call, Reply } from "../http/types.ts";
import { asChat, reasoningIn } from "../responses/as-chat.ts";
import { brokenItem, inResponsesNames } from "../responses/checks.ts";
import type { ResponsesFlavour } from "../responses/job.ts";
import { respondResponses } from "../responses/respond.ts";
import { type ResponsesRequest, responsesSchema, unknownField } from "../responses/schema.ts";
import { brokenRule } from "./chat-checks.ts";
import { findOpenAiModel } from "./models.ts";
import { openAiProtocol, rejectOpenAi } from "./protocol.ts";

const flavour: ResponsesFlavour = { padsEvents: true, moreUsage: {} };

interface Accepted {
  readonly request: ResponsesRequest;
  readonly chat: ChatRequest;
  readonly model: NonNullable<ReturnType<typeof findOpenAiModel>>;
  readonly prompt: PromptTokens;
}

function accepted(call: Call): Accepted {
  const { body } = call;
  if (typeof body !== "object" || body === null || Array.isArray(body))
    throw rejectOpenAi({ status: 400, message: "Invalid body: expected a JSON object." });
  const unknown = unknownField(body);
  if (unknown !== undefined) {
    const message = `Unknown parameter: '${unknown}'.`;
    throw rejectOpenAi({ status: 400, message, param: unknown, code: "unknown_parameter" });
  }
  const parsed = responsesSchema.safeParse({ ...body, model: call.model });
  if (!parsed.success) {
    const issue = firstIssue(parsed.error, body);
    throw rejectOpenAi({ status: 400, param: issue.param, ...openAiWording(issue) });
  }
  const request = parsed.data;
  const model = findOpenAiModel(request.model);
  if (model === undefined || model.audio) {
    const message = `The requested model '${request.model}' does not exist.`;
    throw rejectOpenAi({ status: 400, message, param: "model", code: "model_not_found" });
  }
  const chat = asChat(request);
  const broken = brokenItem(request) ?? brokenRule(chat, model);
  if (broken !== undefined) throw rejectOpenAi(inResponsesNames(broken));
  const prompt = promptTokensOf(chat, model, `openai ${call.credential}`);
  if (prompt.total > model.contextTokens) {
    const message = "Your input exceeds the context window of this model. Please adjust your input and try again.";
    throw rejectOpenAi({ status: 400, message, param: "input", code: "context_length_exceeded" });
  }
  return { request, chat, model, prompt };
}

/** `POST /v1/responses` */
export function openAiResponses(call: Call): Reply {
  const { request, chat, model, prompt } = accepted(call);
  const last = chat.messages.at(-1);
  if (typeof last?.content === "string" && steeringOf(last.content).blocked) {
    const message = "Invalid prompt: your prompt was flagged as potentially violating our usage policy.";
    throw rejectOpenAi({ status: 400, message, code: "invalid_prompt" });
  }
  const unlimited = call.faults.huge === undefined ? model.maxOutputTokens : Number.POSITIVE_INFINITY;
  const maxTokens = request.max_output_tokens ?? unlimited;
  return respondResponses({ call, request, chat, model, protocol: openAiProtocol, flavour, prompt, maxTokens });
}

/** `POST /v1/responses/input_tokens` */
export function countResponses(call: Call): Reply {
  const { request, prompt } = accepted(call);
  const count = prompt.total + reasoningIn(request);
  return { type: "json", status: 200, body: { object: "response.input_tokens", input_tokens: count } };
}
