import { steeringOf } from "../content/steer.ts";
import { reportedUsage } from "../faults/usage.ts";
import type { Call, Reply } from "../http/types.ts";
import { brokenRule } from "./checks.ts";
import { eventsOf } from "./events.ts";
import { withCamelNames } from "./field-names.ts";
import { endingOf, type GenerateJob, jobFor, totalsOf, trueGeminiUsage, usageReport } from "./job.ts";
import { logprobsResult } from "./logprobs.ts";
import { findGeminiModel, type GeminiModel } from "./models.ts";
import { partsOf } from "./parts.ts";
import { type Prompt, promptOf } from "./prompt.ts";
import { rejectGemini } from "./protocol.ts";
import { countSchema, type GenerateRequest, generateSchema } from "./schema.ts";
import { turnOf } from "./turn.ts";
import { geminiWording } from "./wording.ts";

/** The model of a path; rejects an unknown one. */
export function modelFor(call: Call, method: string): GeminiModel {
  const model = findGeminiModel(call.model ?? "");
  if (model !== undefined) return model;
  throw rejectGemini(
    404,
    `models/${call.model} is not found for API version v1beta, or is not supported for ${method}. Call ListModels to see the list of available models and their supported methods.`,
  );
}

function wholeReply(job: GenerateJob): Reply {
  const { response, thoughts } = totalsOf(job);
  const usage = usageReport(job, response, thoughts);
  const candidates = job.candidates.map((candidate) => {
    const parts = partsOf(job, candidate);
    return {
      content: { ...(parts.length > 0 && { parts }), role: "model" },
      ...endingOf(job, candidate),
      ...logprobsResult(job, candidate.content),
      index: candidate.index,
    };
  });
  const body = {
    candidates,
    ...(usage !== undefined && { usageMetadata: usage }),
    modelVersion: job.model.id,
    responseId: job.responseId,
  };
  const trueUsage = trueGeminiUsage(job, response, thoughts);
  const tokens = response + (job.showsThoughts ? thoughts : 0);
  return { type: "json", status: 200, body, usage, trueUsage, tokens, responseId: job.responseId };
}

function blockedReply(call: Call, model: GeminiModel, prompt: Prompt, streams: boolean): Reply {
  const trueUsage = { promptTokenCount: prompt.total, totalTokenCount: prompt.total };
  const usage = reportedUsage(trueUsage, call.faults);
  const responseId = call.newId("");
  const body = {
    promptFeedback: { blockReason: "PROHIBITED_CONTENT" },
    ...(usage !== undefined && { usageMetadata: usage }),
    modelVersion: model.id,
    responseId: responseId,
  };
  if (!streams) return { type: "json", status: 200, body, usage, trueUsage, responseId };
  return {
    type: "events",
    framing: framingOf(call),
    events: [{ data: JSON.stringify(body), usage }],
    trueUsage,
    responseId,
  };
}

function framingOf(call: Call): "sse" | "json-array" {
  return call.query.get("alt") === "sse" ? "sse" : "json-array";
}

function checked(call: Call, model: GeminiModel): GenerateRequest {
  const parsed = generateSchema.safeParse(withCamelNames(call.body));
  if (!parsed.success) throw rejectGemini(400, geminiWording(parsed.error));
  const broken = brokenRule(parsed.data, model);
  if (broken !== undefined) throw rejectGemini(400, broken);
  return parsed.data;
}

function generate(call: Call, streams: boolean): Reply {
  const model = modelFor(call, streams ? "streamGenerateContent" : "generateContent");
  const request = checked(call, model);
  const prompt = promptOf(request, `gemini ${call.credential} ${model.id}`);
  if (prompt.total > model.inputTokenLimit) {
    throw rejectGemini(
      400,
      `The input token count (${prompt.total}) exceeds the maximum number of tokens allowed (${model.inputTokenLimit}).`,
    );
  }
  if (steeringOf(turnOf(call, request, model).userText).blocked) return blockedReply(call, model, prompt, streams);
  const job = jobFor(call, request, model, prompt);
  if (!streams) return wholeReply(job);
  const { response, thoughts } = totalsOf(job);
  const trueUsage = trueGeminiUsage(job, response, thoughts);
  return { type: "events", framing: framingOf(call), events: eventsOf(job), trueUsage, responseId: job.responseId };
}

/** `POST /v1beta/models/{model}:generateContent` */
export function generateContent(call: Call): Reply {
  return generate(call, false);
}

/**
 * `POST /v1beta/models/{model}:streamGenerateContent`; events with `alt=sse`, else one JSON array.
 */
export function streamGenerateContent(call: Call): Reply {
  return generate(call, true);
}

/** `POST /v1beta/models/{model}:countTokens` */
export function countTokensOf(call: Call): Reply {
  modelFor(call, "countTokens");
  const parsed = countSchema.safeParse(withCamelNames(call.body));
  if (!parsed.success) throw rejectGemini(400, geminiWording(parsed.error));
  const { contents, generateContentRequest } = parsed.data;
  const request = generateContentRequest ?? (contents && { contents });
  if (request === undefined) throw rejectGemini(400, "* CountTokensRequest.contents: contents is not specified\n");
  const prompt = promptOf(request, "");
  const details = [...prompt.byModality].map(([modality, tokenCount]) => ({ modality, tokenCount }));
  return { type: "json", status: 200, body: { totalTokens: prompt.total, promptTokensDetails: details } };
}
