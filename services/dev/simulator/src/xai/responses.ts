import { firstIssue } from "../completions/issue.ts";
import { promptTokensOf } from "../completions/prompt-tokens.ts";
import type { Call, Reply } from "../http/types.ts";
import { asChat } from "../responses/as-chat.ts";
import { brokenItem } from "../responses/checks.ts";
import type { ResponsesFlavour } from "../responses/job.ts";
import { respondResponses } from "../responses/respond.ts";
import { responsesSchema } from "../responses/schema.ts";
import { brokenRule, wordingOf } from "./chat.ts";
import { findGrokModel } from "./models.ts";
import { rejectXai, xaiProtocol } from "./protocol.ts";

/** Reasoning is part of the output here. https://docs.x.ai/docs/guides/responses-api */
const flavour: ResponsesFlavour = {
  padsEvents: false,
  moreUsage: { num_sources_used: 0, num_server_side_tools_used: 0 },
};

/** `POST /v1/responses` */
export function grokResponses(call: Call): Reply {
  const parsed = responsesSchema.safeParse({ ...(call.body as object), model: call.model });
  if (!parsed.success) {
    const { status, message } = wordingOf(firstIssue(parsed.error, call.body));
    throw rejectXai(status, message);
  }
  const request = parsed.data;
  const model = findGrokModel(request.model);
  if (model === undefined) {
    throw rejectXai(404, `The model ${request.model} does not exist or your team does not have access to it.`);
  }
  const chat = asChat(request);
  const broken = brokenRule(chat, model) ?? brokenItem(request)?.message;
  if (broken !== undefined) throw rejectXai(400, broken);
  const prompt = promptTokensOf(chat, model, `xai ${call.credential}`);
  if (prompt.total > model.contextTokens) {
    const message = `This model's maximum prompt length is ${model.contextTokens} but the request contains ${prompt.total} tokens.`;
    throw rejectXai(400, message);
  }
  const unlimited = call.faults.huge === undefined ? model.maxOutputTokens : Number.POSITIVE_INFINITY;
  const maxTokens = request.max_output_tokens ?? unlimited;
  return respondResponses({ call, request, chat, model, protocol: xaiProtocol, flavour, prompt, maxTokens });
}
