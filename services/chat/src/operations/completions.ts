import type { Model } from "@uag/catalog/types";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import { completionRequest, defaultCompletionTokens } from "@uag/contract/requests/completions";
import type { JsonBody } from "@uag/pipeline/request/body";
import { completionsFormat } from "@uag/providers/formats/completions/format";
import { noServerTools } from "@uag/providers/formats/server-tools";
import { fieldCosts } from "@uag/providers/passed-fields/media";
import { chatTakesSampling } from "@uag/providers/reasoning";
import { checked } from "@uag/untrusted/schema-fault";
import type { z } from "zod";
import type { ClientFormat, GenerationRequest } from "../format.ts";
import { chatCompletions } from "./chat-completions.ts";

/** `POST /v1/completions`, for every chat model: the prompt is a user's message. */
export const completions: ClientFormat = {
  ...chatCompletions,
  name: "completions",
  format: completionsFormat,
  knownFields: fieldCosts.completions,
  read: readCompletionRequest,
};

type Requested = z.infer<typeof completionRequest>;

/** Most characters of echoed prompts in one response. */
const maxEchoed = 1024 * 1024;

const passed = ["n", "seed", "user", "stop", "temperature", "top_p", "frequency_penalty", "presence_penalty"] as const;

/**
 * Checks a request for a completion, and converts it to one for chat.
 * @throws {GatewayError} `invalid_request`, naming the field
 */
function readCompletionRequest({ body, fields: sent }: JsonBody, { reasoning }: Model): GenerationRequest {
  const requested = checked(completionRequest, sent);
  const { prompt, stream, stream_options, n, max_tokens } = requested;
  const content = [prompt].flat().join("");
  const outputCap = max_tokens ?? defaultCompletionTokens;
  checkTogether(requested, content);
  const takes = chatTakesSampling(reasoning, undefined);
  const sampling = passed.filter((name) => requested[name] != null && takes(name));
  return {
    body,
    fields: {
      model: requested.model,
      messages: [{ role: "user", content }],
      max_tokens: outputCap,
      ...Object.fromEntries(sampling.map((name) => [name, requested[name]])),
      ...(takes("logprobs") && logprobFields(requested)),
      ...(requested.echo === true && { echoed: content }),
    },
    stream: stream === true,
    usageWanted: stream_options?.include_usage === true,
    candidates: n ?? 1,
    outputCap,
    serverTools: noServerTools,
  };
}

const logprobFields = ({ logprobs }: Requested): object =>
  logprobs == null ? {} : { logprobs: true, ...(logprobs > 0 && { top_logprobs: logprobs }) };

/** @throws {GatewayError} `invalid_request` for fields that exclude each other */
function checkTogether({ n, best_of, echo, logprobs, stream, stream_options }: Requested, prompt: string): void {
  const fault = (param: string, text: string): GatewayError =>
    new GatewayError("invalid_request", `${param}: ${text}.`, { param });
  if (stream_options != null && stream !== true) throw fault("stream_options", "requires stream to be true");
  if ((best_of ?? 1) > (n ?? 1)) throw fault("best_of", "must not exceed n: the gateway returns every choice it bills");
  if (echo !== true) return;
  if (logprobs != null) throw fault("echo", "cannot be combined with logprobs: chat models return none of a prompt");
  if (prompt.length * (n ?? 1) > maxEchoed)
    throw fault("echo", `the choices would repeat more than ${maxEchoed} characters. Lower n, or leave echo out`);
}
