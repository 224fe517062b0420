import type { Call, Reply } from "../http/types.ts";
import { rejectOpenAi } from "../openai/protocol.ts";
import { checkImageRequest, unknownParameter, wrongBody } from "./image-checks.ts";
import { type ImageModel, openAiImageModel } from "./image-models.ts";
import { respondImages } from "./image-response.ts";
import { generationSchema } from "./image-schema.ts";

const gptFields = ["background", "moderation", "output_compression", "output_format", "stream", "partial_images"];
const known = new Set(Object.keys(generationSchema.shape));

/** The model of an id; rejects an unknown one. */
export function imageModelOf(id: string): ImageModel {
  const model = openAiImageModel(id);
  if (model !== undefined) return model;
  const message = `The model '${id}' does not exist.`;
  throw rejectOpenAi({ status: 404, message, param: "model", code: "model_not_found" });
}

/**
 * `POST /v1/images/generations`; the default model is dall-e-2, or gpt-image-1.5 when a field is
 * one of gpt-image's own.
 */
export async function openAiImages(call: Call): Promise<Reply> {
  const parsed = generationSchema.safeParse(call.body);
  if (!parsed.success) throw wrongBody(parsed.error, call.body);
  const request = parsed.data;
  const unknown = Object.keys(request).find((name) => !known.has(name));
  if (unknown !== undefined) throw unknownParameter(unknown);
  const usual = gptFields.some((name) => name in request) ? "gpt-image-1.5" : "dall-e-2";
  const model = imageModelOf(call.model ?? usual);
  checkImageRequest(call, request, model);
  return respondImages({ call, request, model, inputs: [], eventPrefix: "image_generation" });
}
