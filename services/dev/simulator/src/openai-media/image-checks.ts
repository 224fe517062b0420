import type { z } from "zod";
import { firstIssue } from "../completions/issue.ts";
import { listed, openAiWording } from "../completions/wording.ts";
import { steeringOf } from "../content/steer.ts";
import { type Call, Rejection } from "../http/types.ts";
import { rejectOpenAi } from "../openai/protocol.ts";
import { freeSizeFault, type ImageModel } from "./image-models.ts";
import type { ImageRequest } from "./image-schema.ts";

const gptOnly = [
  "background",
  "output_format",
  "output_compression",
  "stream",
  "partial_images",
  "moderation",
] as const;

/** The rejection of a body that does not match its schema. */
export function wrongBody(error: z.ZodError, body: unknown): Rejection {
  const issue = firstIssue(error, body);
  return rejectOpenAi({ status: 400, param: issue.param, ...openAiWording(issue) });
}

/** The rejection of a field that the model, or the operation, does not support. */
export function unknownParameter(name: string): Rejection {
  const message = `Unknown parameter: '${name}'.`;
  return rejectOpenAi({ status: 400, message, param: name, code: "unknown_parameter" });
}

function notAmong(param: string, value: string, supported: readonly string[]): Rejection {
  const message = `Invalid value: '${value}'. Supported values are: ${listed(supported)}.`;
  return rejectOpenAi({ status: 400, message, param, code: "invalid_value" });
}

function checkFields(request: ImageRequest, model: ImageModel): void {
  const given = (name: keyof ImageRequest) => request[name] !== undefined && request[name] !== null;
  if (model.kind === "gpt-image") {
    if (given("response_format")) throw unknownParameter("response_format");
  } else {
    for (const name of gptOnly) if (given(name)) throw unknownParameter(name);
  }
  if (given("style") && model.kind !== "dall-e-3") throw unknownParameter("style");
  if (given("input_fidelity") && !model.fidelity) {
    const message = `The model '${model.id}' does not support the 'input_fidelity' parameter.`;
    const code = "invalid_input_fidelity_model";
    throw rejectOpenAi({ status: 400, message, param: "input_fidelity", code });
  }
}

function checkSize(size: string, model: ImageModel): void {
  if (model.sizes !== undefined) {
    if (!model.sizes.includes(size)) throw notAmong("size", size, model.sizes);
    return;
  }
  const fault = size === "auto" ? undefined : freeSizeFault(size);
  if (fault === undefined) return;
  throw rejectOpenAi({
    status: 400,
    message: `Invalid size '${size}'. ${fault}`,
    param: "size",
    code: "invalid_value",
  });
}

function checkOutput(request: ImageRequest, model: ImageModel): void {
  const { background, output_format: format = "png", output_compression: compression, n } = request;
  if ((n ?? 1) > model.max) {
    const message = `Invalid 'n': integer above maximum value. Expected a value <= ${model.max}, but got ${n} instead.`;
    throw rejectOpenAi({ status: 400, message, param: "n", code: "integer_above_max_value" });
  }
  if (background === "transparent") {
    if (!model.transparent) {
      const message = `Transparent background is not supported for model '${model.id}'.`;
      throw rejectOpenAi({ status: 400, message, param: "background", code: "invalid_value" });
    }
    if (format === "jpeg") {
      const message = "Transparent background is not supported for JPEG output format.";
      throw rejectOpenAi({ status: 400, message, param: "background", code: "invalid_value" });
    }
  }
  if ((compression ?? 100) < 100 && (format ?? "png") === "png") {
    const message = "Compression less than 100 is not supported for PNG output format.";
    throw rejectOpenAi({ status: 400, message, param: "output_compression", code: "invalid_value" });
  }
  if ((request.partial_images ?? 0) > 0 && !request.stream) {
    const message = "The 'partial_images' parameter is only supported when 'stream' is true.";
    throw rejectOpenAi({ status: 400, message, param: "partial_images", code: "invalid_value" });
  }
}

/** Rejects a request that its model does not support, or that violates the content rules. */
export function checkImageRequest(call: Call, request: ImageRequest, model: ImageModel): void {
  checkFields(request, model);
  if (request.prompt.length > model.maxPromptLength) {
    const message = `Invalid 'prompt': string too long. Expected a string with maximum length ${model.maxPromptLength}, but got a string with length ${request.prompt.length} instead.`;
    throw rejectOpenAi({ status: 400, message, param: "prompt", code: "string_above_max_length" });
  }
  checkSize(request.size ?? "1024x1024", model);
  const { quality } = request;
  if (quality && quality !== "auto" && !model.qualities.includes(quality))
    throw notAmong("quality", quality, model.qualities);
  checkOutput(request, model);
  if (call.faults.moderation !== undefined || steeringOf(request.prompt).blocked) throw moderated(call);
}

function moderated(call: Call): Rejection {
  const message = `Your request was rejected by the safety system. If you believe this is an error, contact us at help.openai.com and include the request ID ${call.newId("req_")}. safety_violations=[sexual].`;
  const error = { message, type: "image_generation_user_error", param: null, code: "moderation_blocked" };
  return new Rejection({ type: "json", status: 400, body: { error } });
}
