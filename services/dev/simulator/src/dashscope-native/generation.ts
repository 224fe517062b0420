import type { Call, Reply } from "../http/types.ts";
import { qwenImageModel } from "./image-models.ts";
import { qwenImages } from "./images.ts";
import { invalidParameter, rejectNative } from "./protocol.ts";
import { qwenSpeech } from "./speech.ts";

const speechModel = /^qwen3-tts-(instruct-)?flash(-\d{4}-\d{2}-\d{2})?$/;
const videoModel = /^(wan|happyhorse-)/;

/**
 * `POST /api/v1/services/aigc/multimodal-generation/generation`: images or speech, depending on the
 * model.
 */
export function multimodalGeneration(call: Call): Reply {
  const { model } = call;
  if (model === undefined)
    throw rejectNative({ status: 400, code: "BadRequest.EmptyModel", message: "Model is empty." });
  const { body } = call;
  const hasInput = typeof body === "object" && body !== null && "input" in body;
  if (!hasInput)
    throw rejectNative({
      status: 400,
      code: "BadRequest.EmptyInput",
      message: "Required input parameter missing from request.",
    });
  const image = qwenImageModel(model);
  if (image !== undefined) return qwenImages(call, image);
  if (speechModel.test(model)) return qwenSpeech(call);
  if (videoModel.test(model)) throw invalidParameter("url error, please check url！");
  throw rejectNative({ status: 404, code: "ModelNotFound", message: `Model not exist.` });
}
