import { steeringOf } from "../content/steer.ts";
import type { Call, Reply } from "../http/types.ts";
import { brokenRule } from "./checks.ts";
import { eventsOf } from "./events.ts";
import { contentOf, ending, jobFor, type MessageJob, outputTokensOf, trueMessageUsage, usageReport } from "./job.ts";
import { type AnthropicModel, findAnthropicModel } from "./models.ts";
import { type Prompt, promptOf } from "./prompt.ts";
import { rejectAnthropic } from "./protocol.ts";
import { type CountRequest, countSchema, type MessagesRequest, messagesSchema } from "./schema.ts";
import { extraField, removedContent, versionOf } from "./versions.ts";
import { anthropicWording } from "./wording.ts";

function checkedBody(call: Call): object {
  const version = versionOf(call.headers);
  if ("error" in version) throw rejectAnthropic(400, version.error);
  const { body } = call;
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    throw rejectAnthropic(400, "Input should be a valid dictionary");
  }
  const extra = extraField(body, version.version, call.headers);
  if (extra !== undefined) throw rejectAnthropic(400, `${extra}: Extra inputs are not permitted`);
  const removed = removedContent(body, version.version);
  if (removed !== undefined) throw rejectAnthropic(400, removed);
  return body;
}

function modelFor(call: Call): AnthropicModel {
  const model = findAnthropicModel(call.model ?? "");
  if (model === undefined) throw rejectAnthropic(404, `model: ${call.model}`);
  return model;
}

function promptWithin(call: Call, request: CountRequest, model: AnthropicModel): Prompt {
  const broken = brokenRule(request, model);
  if (broken !== undefined) throw rejectAnthropic(400, broken);
  const prompt = promptOf(request, `anthropic ${call.credential} ${model.id}`);
  if (prompt.tokens > model.contextTokens) {
    throw rejectAnthropic(400, `prompt is too long: ${prompt.tokens} tokens > ${model.contextTokens} maximum`);
  }
  return prompt;
}

function lastText(request: MessagesRequest): string {
  const content = request.messages.at(-1)?.content ?? "";
  if (typeof content === "string") return content;
  return content.map((block) => (block.type === "text" ? block.text : "")).join("\n");
}

function wholeReply(job: MessageJob): Reply {
  const usage = usageReport(job, outputTokensOf(job));
  const body = {
    id: job.id,
    type: "message",
    role: "assistant",
    model: job.modelId,
    content: contentOf(job),
    ...ending(job),
    container: null,
    ...(usage !== undefined && { usage }),
  };
  const trueUsage = trueMessageUsage(job, outputTokensOf(job));
  const { reasoning, text } = job.candidate.tokens;
  const tokens = text + (job.hidesThinking ? 0 : reasoning);
  return { type: "json", status: 200, body, usage, trueUsage, tokens, responseId: job.id };
}

/** `POST /v1/messages` */
export function messages(call: Call): Reply {
  const body = checkedBody(call);
  const parsed = messagesSchema.safeParse(body);
  if (!parsed.success) throw rejectAnthropic(400, anthropicWording(parsed.error, body));
  const request = parsed.data;
  const model = modelFor(call);
  const prompt = promptWithin(call, request, model);
  if (steeringOf(lastText(request)).blocked) throw rejectAnthropic(400, "Output blocked by content filtering policy");
  const job = jobFor(call, request, model, prompt);
  if (!request.stream) return wholeReply(job);
  const trueUsage = trueMessageUsage(job, outputTokensOf(job));
  return { type: "events", framing: "sse", events: eventsOf(job), trueUsage, responseId: job.id };
}

/** `POST /v1/messages/count_tokens` */
export function countTokensOf(call: Call): Reply {
  const body = checkedBody(call);
  const parsed = countSchema.safeParse(body);
  if (!parsed.success) throw rejectAnthropic(400, anthropicWording(parsed.error, body));
  const prompt = promptWithin(call, parsed.data, modelFor(call));
  return { type: "json", status: 200, body: { input_tokens: prompt.tokens } };
}
